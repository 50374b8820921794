/** The log of a SQLite file is brought into it beside the writes, and by the COMMITs themselves where no thread does it. */
import { closeSync, openSync, readSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { Database } from "../../../../../../infrastructure/sql/connection/client.ts"
import { open } from "../../../../../../infrastructure/sql/connection/open.ts"
import * as Checkpoints from "../../../../../../infrastructure/sql/connection/sqlite-log/checkpoints.ts"
import { temporaryFolder } from "../../../../../support/storage.ts"
import { untilTrue } from "../../../../../support/until.ts"

const opened = Effect.gen(function* () {
  const path = join(yield* temporaryFolder, "evald.db")
  const database = yield* open({
    ...{ driver: "sqlite", url: Redacted.make(`file:${path}`), poolSize: 1, statementTimeoutMillis: 5000 }
  })
  yield* database.write("make", (session) => session.write("CREATE TABLE t (text TEXT)", []))
  return { path, database }
})

/** the log's first salt: another one as soon as it begins anew */
const saltOf = (path: string): number => {
  const file = openSync(`${path}-wal`, "r")
  try {
    const bytes = Buffer.alloc(4)
    readSync(file, bytes, 0, 4, 16)
    return bytes.readUInt32BE()
  } finally {
    closeSync(file)
  }
}

const insert = "INSERT INTO t (text) VALUES (?)"
const short = (database: typeof Database.Service) =>
  database.write("short", (session) => session.write(insert, ["short"]))
const long = (database: typeof Database.Service) =>
  database.writeLong("long", (session) => session.write(insert, ["x".repeat(100_000)]), "line")

describe("the log of a database file", () => {
  it.scopedLive(
    "begins anew after many writes, long before a COMMIT would have to see to it, and nothing is lost",
    () =>
      Effect.gen(function* () {
        const { path, database } = yield* opened
        const before = saltOf(path)
        const written = 120
        for (let round = 0; round < written; round++) yield* long(database)
        // the thread answers at some time; the next write then does the rest, and the one after that begins anew. COMMITs would do it after 10,000 of these
        yield* untilTrue(
          Effect.map(Effect.zipRight(short(database), Effect.sleep("5 millis")), () => saltOf(path) !== before)
        )
        const [row] = yield* database.read("count", (session) =>
          session.query<{ n: number }>("SELECT count(*) AS n FROM t WHERE text LIKE 'x%'", [])
        )
        assert.strictEqual(row?.n, written)
      })
  )

  it.scopedLive("a thread that cannot work leaves writes as they are", () =>
    Effect.gen(function* () {
      const { path, database } = yield* opened
      const checkpoints = yield* Checkpoints.make(join(path, "none"), {
        execute: () => Effect.dieMessage("nothing was answered, so that there is no rest")
      })
      for (let round = 0; round < 200; round++) yield* checkpoints.after(100, { isLong: true, hasFlushed: false })
      yield* Effect.sleep("200 millis")
      for (let round = 0; round < 200; round++) yield* checkpoints.after(100, { isLong: true, hasFlushed: false })
      yield* long(database)
      assert.isAbove(statSync(`${path}-wal`).size, 100_000)
    })
  )
})
