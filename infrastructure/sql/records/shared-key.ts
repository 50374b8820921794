/** Keys that the servers of a database share and that never leave it. */
import { Effect } from "effect"
import { Identifiers } from "../../../application/ports/identifiers.ts"
import { Database } from "../connection/client.ts"

/** the first server makes the key, all others take it */
export const sharedKey = (name: string) =>
  Effect.gen(function* () {
    const database = yield* Database
    const fresh = yield* (yield* Identifiers).secret
    return yield* database.write("sharedKey", (session) =>
      Effect.zipRight(
        session.write("INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", [name, fresh]),
        Effect.map(
          session.query<{ value: string }>("SELECT value FROM settings WHERE name = ?", [name]),
          ([row]) => row?.value ?? fresh
        )
      )
    )
  })
