/** What retention does to the jobs of a store. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { Idempotency } from "../../../application/ports/stores/idempotency.ts"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import { StoreStatistics } from "../../../application/ports/stores/store-statistics.ts"
import { TaskQueue } from "../../../application/ports/task-queue.ts"
import { removeExpired, removeExpiredKeys, retention } from "../../../application/runtime/retention.ts"
import type { StorageLayer } from "../../support/storage.ts"
import { launchTasks, makeJob } from "../../support/stored-jobs.ts"

const day = 86_400_000

const idAt = (millis: number, number: number): string => {
  const time = millis.toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${number.toString(16).padStart(12, "0")}`
}

const jobAt = (millis: number, number: number, state: "completed" | "running") => {
  const job = makeJob({
    id: idAt(millis, number),
    tenant: number % 2 === 0 ? "a" : "b",
    benchmarks: 1,
    createdAt: new Date(millis).toISOString()
  })
  const counts = { pending: 0, running: 0, completed: 0, failed: 0, cancelled: 0, [state]: 1 }
  return { ...job, state, counts, benchmarks: job.benchmarks.map((benchmark) => ({ ...benchmark, state })) }
}

export const retentionSuite = (name: string, storage: StorageLayer): void => {
  describe(`retention: ${name}`, () => {
    it.live("removes what is finished for long, of every tenant, and leaves the rest alone", () =>
      Effect.gen(function* () {
        // the stores work on timers: moving a test clock by years would keep them busy for long
        const now = yield* Clock.currentTimeMillis
        const store = yield* JobStore
        const old = [jobAt(now - 31 * day, 1, "completed"), jobAt(now - 40 * day, 2, "completed")]
        const kept = [jobAt(now - 29 * day, 3, "completed"), jobAt(now - 90 * day, 4, "running")]
        for (const job of [...old, ...kept]) yield* store.insert(job, launchTasks(job))
        assert.strictEqual(yield* removeExpired(30), 2)
        assert.strictEqual(yield* removeExpired(30), 0)
        for (const { tenant, id } of kept) assert.strictEqual((yield* store.load(tenant, id)).id, id)
        for (const { tenant, id } of old)
          assert.strictEqual((yield* Effect.flip(store.load(tenant, id)))._tag, "NotFound")
        const cleanups = yield* (yield* TaskQueue).claim("cleanup", "me", 10, 1000)
        assert.deepStrictEqual(cleanups.map(({ jobId }) => jobId).sort(), old.map(({ id }) => id).sort())
        const { jobs } = yield* (yield* StoreStatistics).stored
        assert.deepStrictEqual(
          jobs.filter(({ count }) => count > 0),
          [
            { state: "completed", count: 1 },
            { state: "running", count: 1 }
          ]
        )
      }).pipe(Effect.provide(storage))
    )

    it.scopedLive("forgets expired idempotency keys even where jobs are kept for good", () =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const store = yield* JobStore
        const old = jobAt(now - 90 * day, 1, "completed")
        const claim = { scope: "s", key: "k", bodyDigest: "d", expiresAt: new Date(now - day).toISOString() }
        assert.strictEqual(yield* store.insertOnce(old, [], claim), "inserted")
        yield* removeExpiredKeys
        assert.strictEqual(yield* (yield* Idempotency).removeExpired(1), 0)
        yield* Effect.timeoutOption(retention({ jobsDays: undefined }), "50 millis")
        assert.strictEqual((yield* store.load(old.tenant, old.id)).id, old.id)
      }).pipe(Effect.provide(storage))
    )
  })
}
