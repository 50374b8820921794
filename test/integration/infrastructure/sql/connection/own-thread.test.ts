/** Threads with a connection of their own to a database file: when there are any, and what happens when one dies. */
import { statSync } from "node:fs"
import { join } from "node:path"
import type { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Client from "../../../../../infrastructure/sql/connection/client.ts"
import * as OwnThread from "../../../../../infrastructure/sql/connection/own-thread.ts"
import type { Rows } from "../../../../../infrastructure/sql/connection/session.ts"
import { settings, temporaryFolder } from "../../../../support/storage.ts"
import { untilTrue } from "../../../../support/until.ts"

const inFile = Effect.map(temporaryFolder, (folder) => join(folder, "evald.db"))
const databaseAt = (path: string) => Client.layer({ ...settings, driver: "sqlite", url: Redacted.make(`file:${path}`) })

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

const one = Effect.flatMap(Client.Database, ({ readLong }) =>
  readLong("test", (session) => session.query<{ n: number }>("SELECT 1 AS n", []))
)

describe("the thread that reads lists", () => {
  it.scopedLive("begins with the first list and ends with the database", () =>
    Effect.gen(function* () {
      const workers = yield* begun
      const path = yield* inFile
      yield* Effect.gen(function* () {
        const { read } = yield* Client.Database
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
      const rows = yield* OwnThread.make({ path, readonly: true, pragmas: [] }, () => here)
      assert.deepEqual(yield* rows("SELECT 1", []), [])
      assert.strictEqual(served, 1)
      // the file is there now
      yield* Effect.scoped(Effect.asVoid(Effect.provide(Effect.void, databaseAt(path))))
      assert.deepEqual(yield* rows("SELECT 1 AS n", []), [{ n: 1 }])
      assert.strictEqual(served, 1)
    })
  )
})

const written = (bytes: number) =>
  Effect.flatMap(Client.Database, ({ write, writeLong }) =>
    Effect.zipRight(
      write("test", (session) => session.write("CREATE TABLE IF NOT EXISTS t (data BLOB)", [])),
      writeLong("test", (session) => session.write("INSERT INTO t (data) VALUES (?)", [Buffer.alloc(bytes, 1)]), "job")
    )
  )

describe("the thread that makes checkpoints", () => {
  it.scopedLive("begins with the first long write, and brings it into the file long before SQLite would", () =>
    Effect.gen(function* () {
      const workers = yield* begun
      const path = yield* inFile
      const bytes = 1_000_000
      yield* Effect.gen(function* () {
        assert.isBelow(statSync(path).size, bytes)
        assert.lengthOf(workers, 0)
        yield* written(bytes)
        yield* untilTrue(Effect.sync(() => statSync(path).size > bytes))
        assert.lengthOf(workers, 1)
      }).pipe(Effect.provide(databaseAt(path)))
      assert.deepEqual(
        workers.map(({ threadId }) => threadId),
        [-1]
      )
    })
  )

  it.scopedLive("may die: long writes go on, and the next one has a new thread", () =>
    Effect.gen(function* () {
      const workers = yield* begun
      const path = yield* inFile
      yield* Effect.gen(function* () {
        yield* written(1000)
        yield* untilTrue(Effect.sync(() => workers.length === 1))
        for (const worker of workers) yield* Effect.promise(() => worker.terminate())
        yield* written(1_000_000)
        yield* untilTrue(Effect.sync(() => statSync(path).size > 1_000_000))
        assert.lengthOf(workers, 2)
      }).pipe(Effect.provide(databaseAt(path)))
    })
  )
})
