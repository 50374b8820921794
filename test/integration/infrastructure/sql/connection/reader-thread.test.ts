/** The thread that reads lists of a database file: when there is one, and what happens to lists when it dies. */
import { join } from "node:path"
import type { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Database } from "../../../../../infrastructure/sql/connection/client.ts"
import * as OpenDatabase from "../../../../../infrastructure/sql/connection/open.ts"
import * as ReaderThread from "../../../../../infrastructure/sql/connection/reader-thread.ts"
import type { Rows } from "../../../../../infrastructure/sql/connection/session.ts"
import { settings, temporaryFolder } from "../../../../support/storage.ts"

const inFile = Effect.map(temporaryFolder, (folder) => join(folder, "evald.db"))
const databaseAt = (path: string) =>
  OpenDatabase.layer({ ...settings, driver: "sqlite", url: Redacted.make(`file:${path}`) })

/** threads that begin from here on */
const begun = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const workers: Array<Worker> = []
      const add = (worker: Worker) => workers.push(worker)
      process.on("worker", add)
      return { workers, add }
    }),
    ({ add }) => Effect.sync(() => process.off("worker", add))
  ),
  ({ workers }): ReadonlyArray<Worker> => workers
)

const one = Effect.flatMap(Database, ({ readLong }) =>
  readLong("test", (session) => session.query<{ n: number }>("SELECT 1 AS n", []))
)

describe("the thread that reads lists", () => {
  it.scopedLive("begins with the first list and ends with the database", () =>
    Effect.gen(function* () {
      const workers = yield* begun
      const path = yield* inFile
      yield* Effect.gen(function* () {
        const { read } = yield* Database
        yield* read("test", (session) => session.query("SELECT 1", []))
        assert.strictEqual(workers.length, 0)
        for (let lists = 0; lists < 3; lists++) assert.deepEqual(yield* one, [{ n: 1 }])
        assert.strictEqual(workers.length, 1)
      }).pipe(Effect.provide(databaseAt(path)))
      // a thread that has ended has no number
      assert.deepEqual(
        workers.map(({ threadId }) => threadId),
        [-1]
      )
    })
  )

  it.scopedLive("may die: the lists that it owed are read all the same, and the next one has a new thread", () =>
    Effect.gen(function* () {
      const workers = yield* begun
      const path = yield* inFile
      yield* Effect.gen(function* () {
        yield* one
        for (const worker of workers) void worker.terminate()
        assert.deepEqual(yield* Effect.all([one, one], { concurrency: 2 }), [[{ n: 1 }], [{ n: 1 }]])
        assert.strictEqual(workers.length, 1)
        assert.deepEqual(yield* one, [{ n: 1 }])
        assert.strictEqual(workers.length, 2)
      }).pipe(Effect.provide(databaseAt(path)))
    })
  )

  it.scopedLive("may be impossible: lists are read in the thread that serves", () =>
    Effect.gen(function* () {
      const path = yield* inFile
      let served = 0
      const here: Rows = <Row>() =>
        Effect.sync(() => {
          served++
          return [] as ReadonlyArray<Row>
        })
      const rows = yield* ReaderThread.make(path, [], here)
      assert.deepEqual(yield* rows("SELECT 1", []), [])
      assert.strictEqual(served, 1)
      // the file is there now
      yield* Effect.scoped(Effect.asVoid(Effect.provide(Effect.void, databaseAt(path))))
      assert.deepEqual(yield* rows("SELECT 1 AS n", []), [{ n: 1 }])
      assert.strictEqual(served, 1)
    })
  )
})
