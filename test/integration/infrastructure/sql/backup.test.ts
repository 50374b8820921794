/** Backups and checks of a database file, with its server running. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { JobStore } from "../../../../application/ports/stores/job-store.ts"
import { checkDatabase } from "../../../../infrastructure/sql/connection/check.ts"
import { Database } from "../../../../infrastructure/sql/connection/client.ts"
import * as OpenDatabase from "../../../../infrastructure/sql/connection/open.ts"
import * as Inspect from "../../../../infrastructure/sql/inspect.ts"
import { backup } from "../../../../infrastructure/sql/inspect.ts"
import { settings, sqliteAt, temporaryFolder } from "../../../support/storage.ts"
import { report } from "../../../support/store-actions.ts"
import { completedEvent, jobId, makeJob } from "../../../support/stored-jobs.ts"

const configOf = (path: string) => ({ ...settings, driver: "sqlite" as const, url: Redacted.make(`file:${path}`) })

describe("a database file from outside", () => {
  it.scopedLive("is copied while its server writes, and the copy is sound and can be served", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [path, copy] = [join(folder, "evald.db"), join(folder, "copy.db")]
      const job = makeJob({ id: jobId(1), tenant: "t", benchmarks: 50 })
      yield* Effect.gen(function* () {
        yield* (yield* JobStore).insert(job, [])
        yield* Effect.all(
          [
            Effect.forEach(job.benchmarks, ({ index }) => report(job.id, completedEvent(index)), { discard: true }),
            Effect.provide(backup(copy), Inspect.layer(configOf(path)))
          ],
          { concurrency: "unbounded" }
        )
        assert.deepEqual(yield* Effect.provide(checkDatabase, Inspect.layer(configOf(path))), [])
      }).pipe(Effect.provide(sqliteAt(path)))
      assert.deepEqual(yield* Effect.provide(checkDatabase, Inspect.layer(configOf(copy))), [])
      const { counts } = yield* Effect.provide(
        Effect.flatMap(JobStore, (store) => store.load("t", job.id)),
        sqliteAt(copy)
      )
      assert.strictEqual(counts.pending + counts.completed, 50)
      assert.isFalse(existsSync(`${copy}.partial`))
    })
  )

  it.scoped("a copy never overwrites, and goes nowhere where it cannot be complete", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const path = join(folder, "evald.db")
      yield* Effect.provide(Effect.void, sqliteAt(path))
      const refusal = (target: string) =>
        Effect.map(Effect.flip(Effect.provide(backup(target), Inspect.layer(configOf(path)))), ({ message }) => message)
      assert.include(yield* refusal(path), "is there already")
      assert.include(yield* refusal(join(folder, "absent", "copy.db")), "cannot be written")
    })
  )

  it.scoped("contradictions are named", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "evald.db")
      const job = makeJob({ id: jobId(1), tenant: "t" })
      yield* Effect.provide(
        Effect.flatMap(JobStore, (store) => store.insert(job, [])),
        sqliteAt(path)
      )
      yield* Effect.flatMap(Database, (database) =>
        database.write("test", (session) =>
          Effect.all([
            session.write("UPDATE job_benchmarks SET state = 'running' WHERE idx = 1", []),
            session.write("UPDATE jobs SET state = 'completed'", []),
            session.write("INSERT INTO job_requests (job_key, wire, data) VALUES (77, '', '{}')", [])
          ])
        )
      ).pipe(Effect.provide(OpenDatabase.layer(configOf(path))))
      assert.deepEqual(yield* Effect.provide(checkDatabase, Inspect.layer(configOf(path))), [
        `job ${job.id}: counts 2/0/0/0/0, but its benchmarks are 1/1/0/0/0 (pending/running/completed/failed/cancelled)`,
        `job ${job.id}: is completed, but its counts say pending`,
        "tenant t: the total of completed jobs is kept as 0, but there are 1",
        "tenant t: the total of pending jobs is kept as 1, but there are 0",
        "1 requests without their job"
      ])
    })
  )

  it.scoped("what is no database of this build is refused with the reason", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const refusal = (url?: string) =>
        Effect.map(
          Effect.flip(
            Effect.provide(
              checkDatabase,
              Inspect.layer({
                ...settings,
                driver: "sqlite",
                ...(url === undefined ? {} : { url: Redacted.make(url) })
              })
            )
          ),
          ({ message }) => message
        )
      assert.include(yield* refusal(), "memory")
      assert.include(yield* refusal(`file:${join(folder, "absent.db")}`), "there is no database file")
      writeFileSync(join(folder, "text.db"), "this is no database, however long the text may be that it holds")
      assert.include(yield* refusal(`file:${join(folder, "text.db")}`), "text.db")
      yield* Effect.provide(Effect.void, OpenDatabase.layer(configOf(join(folder, "empty.db"))))
      assert.include(yield* refusal(`file:${join(folder, "empty.db")}`), "is no evald database")
    })
  )
})
