/** Servers of one release on the schema of another: beside the next one they go on, beyond it they refuse. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, type Scope } from "effect"
import { JobStore } from "../../../../application/ports/stores/job-store.ts"
import { TaskQueue } from "../../../../application/ports/task-queue.ts"
import { Database } from "../../../../infrastructure/sql/connection/client.ts"
import type { DatabaseRefused } from "../../../../infrastructure/sql/connection/location.ts"
import { migrate, migrations, schemaVersion } from "../../../../infrastructure/sql/migrate.ts"
import type { StorageLayer } from "../../../support/storage.ts"
import { report } from "../../../support/store-actions.ts"
import { completedEvent, jobId, launchTasks, makeJob } from "../../../support/stored-jobs.ts"

interface Place {
  readonly database: Layer.Layer<Database, DatabaseRefused>
  readonly storage: StorageLayer
}

/** what a release may do to the schema of the one before: add */
const later = (number: number) => ({
  version: schemaVersion + number,
  name: `later ${number}`,
  statements: () => [
    `ALTER TABLE jobs ADD COLUMN later_${number} TEXT`,
    `ALTER TABLE tasks ADD COLUMN later_${number} INTEGER NOT NULL DEFAULT 0`,
    `CREATE TABLE later_${number} (id INTEGER PRIMARY KEY)`
  ]
})
const own = { release: "0.2", first: 1 }
const next = { release: "0.3", first: schemaVersion + 1 }
const afterNext = { release: "0.4", first: schemaVersion + 3 }

export const releasesSuite = (name: string, place: Effect.Effect<Place, unknown, Scope.Scope>): void => {
  describe(`releases: ${name}`, () => {
    it.scoped("a server of this release works on the schema of the next one", () =>
      Effect.gen(function* () {
        const { database, storage } = yield* place
        yield* Effect.provide(migrate([...migrations, later(1), later(2)], [own, next]), database)
        const work = Effect.gen(function* () {
          const job = makeJob({ id: jobId(1), tenant: "t", benchmarks: 1 })
          yield* (yield* JobStore).insert(job, launchTasks(job))
          const queue = yield* TaskQueue
          const [task] = yield* queue.claim("launch", "old", 5, 30_000)
          if (task !== undefined) yield* queue.complete(task, "old")
          return (yield* report(job.id, completedEvent(0))).head.state
        })
        assert.strictEqual(yield* Effect.provide(work, storage), "completed")
        const [row] = yield* Effect.provide(
          Effect.flatMap(Database, (one) =>
            one.read("test", (session) =>
              session.query<{ version: number }>("SELECT max(version) AS version FROM schema_version", [])
            )
          ),
          database
        )
        assert.strictEqual(row?.version, schemaVersion + 2)
      })
    )

    it.scoped("two releases further it refuses, and both versions and releases are named", () =>
      Effect.gen(function* () {
        const { database, storage } = yield* place
        yield* Effect.provide(migrate([...migrations, later(1), later(2), later(3)], [own, next, afterNext]), database)
        const refused = yield* Effect.flip(Effect.provide(Effect.void, storage))
        assert.strictEqual(
          refused.message,
          `the database has schema version ${schemaVersion + 3} of release 0.4, this build of release 0.2 knows versions up to ${schemaVersion} and runs on those of the next release at most: start a newer build, or restore a backup made before the update.`
        )
        // the next release itself is one behind
        assert.strictEqual(
          yield* Effect.provide(migrate([...migrations, later(1), later(2)], [own, next]), database),
          schemaVersion + 3
        )
      })
    )
  })
}
