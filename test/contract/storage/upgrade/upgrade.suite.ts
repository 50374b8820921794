/** A database that an earlier build has written is brought to the present schema with what it holds. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, type Scope } from "effect"
import { TaskQueue } from "../../../../application/ports/task-queue.ts"
import { Database } from "../../../../infrastructure/sql/connection/client.ts"
import type { DatabaseRefused } from "../../../../infrastructure/sql/connection/location.ts"
import { migrate, schemaVersion } from "../../../../infrastructure/sql/migrate.ts"
import { initial } from "../../../../infrastructure/sql/migrations/0001-initial.ts"
import { runtimeRecords } from "../../../../infrastructure/sql/migrations/0002-runtime-records.ts"
import type { StorageLayer } from "../../../support/storage.ts"

interface Place {
  readonly database: Layer.Layer<Database, DatabaseRefused>
  readonly storage: StorageLayer
}

const task = (kind: string, key: string, tenant: string, rank: number, rest: string) =>
  `INSERT INTO tasks (kind, key, tenant, job_id, idx, rank, due_at, lease_until, holder, term, attempts, reason, buried_at)
   VALUES ('${kind}', '${key}', '${tenant}', 'job', 0, ${rank}, '1970-01-01T00:00:00.000Z', ${rest})`

const free = "NULL, NULL, 0, 0, NULL, NULL"

/** what a build of schema 2 left behind: waiting, given up, held by a server that is gone, and where its queues stood */
const writtenAtTwo = [
  task("launch", "big/3", "a", 3, free),
  task("launch", "big/4", "a", 4, free),
  task("launch", "small/0", "b", 3, free),
  task("launch", "given-up/0", "b", 0, "NULL, NULL, 1, 9, 'no', '1970-01-01T00:00:00.000Z'"),
  task("launch", "held/0", "c", 1, "'1970-01-01T00:00:00.000Z', 'gone', 4, 4, NULL, NULL"),
  task("cleanup", "old", "b", 0, free),
  "INSERT INTO task_clocks (kind, rank) VALUES ('launch', 2)"
]

export const upgradeSuite = (name: string, place: Effect.Effect<Place, unknown, Scope.Scope>) =>
  describe(`upgrade: ${name}`, () => {
    it.scoped("from schema 2 keeps the tasks and serves their tenants in turn", () =>
      Effect.gen(function* () {
        const { database, storage } = yield* place
        const old = Effect.gen(function* () {
          assert.strictEqual(yield* migrate([initial, runtimeRecords]), 0)
          yield* (yield* Database).write("fill", (session) =>
            Effect.forEach(writtenAtTwo, (text) => session.write(text, []))
          )
        })
        yield* Effect.provide(old, database)
        const claimed = Effect.gen(function* () {
          const queue = yield* TaskQueue
          const launches = yield* queue.claim("launch", "new", 10, 30_000)
          const cleanups = yield* queue.claim("cleanup", "new", 10, 30_000)
          return [...launches, ...cleanups].map(({ key, tenant, term, attempts }) => [tenant, key, term, attempts])
        })
        assert.deepEqual(yield* Effect.provide(claimed, storage), [
          ["a", "big/3", 1, 1],
          ["b", "small/0", 1, 1],
          ["c", "held/0", 5, 5],
          ["a", "big/4", 1, 1],
          ["b", "old", 1, 1]
        ])
        assert.strictEqual(yield* Effect.provide(migrate(), database), schemaVersion)
      })
    )
  })
