/** Whether the database takes writes: a disk that is full or read only answers every read. */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import type { Database } from "./client.ts"

/** large enough to need room of its own, so that a database without any is found out before it has to refuse a job */
const text = " ".repeat(32_768)

/** writes and takes back one row; nothing of it stays */
export const writeProbe = (database: typeof Database.Service, operation: string) =>
  Effect.flatMap(
    Effect.sync(() => `probe-${randomUUID()}`),
    (name) =>
      Effect.asVoid(
        database.write(operation, (session) =>
          Effect.zipRight(
            session.write("INSERT INTO settings (name, value) VALUES (?, ?)", [name, text]),
            session.write("DELETE FROM settings WHERE name = ?", [name])
          )
        )
      )
  )
