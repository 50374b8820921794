/** What every store does to hold the limits of a tenant. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { Idempotency } from "../../../application/ports/stores/idempotency.ts"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import { SampleStore } from "../../../application/ports/stores/sample-store.ts"
import { StoredBytes } from "../../../application/ports/stores/stored-bytes.ts"
import { TaskQueue } from "../../../application/ports/task-queue.ts"
import { readSample } from "../../../domain/sample/read-sample.ts"
import type { TenantLimits } from "../../../domain/tenant/limits.ts"
import type { StorageLayer } from "../../support/storage.ts"
import { cancel, remove, report } from "../../support/store-actions.ts"
import { completedEvent, jobId, launchTasks, makeJob, runningEvent } from "../../support/stored-jobs.ts"

export const tenantLimitsSuite = (name: string, storage: StorageLayer): void => {
  describe(`limits of tenants: ${name}`, () => {
    const create = (number: number, benchmarks: number, tenant: string, limits?: TenantLimits) =>
      Effect.gen(function* () {
        const job = makeJob({ id: jobId(number), tenant, benchmarks })
        yield* (yield* JobStore).insert(job, launchTasks(job), limits)
        return job
      })
    const claim = (limit: number, mostLaunched: number) =>
      Effect.flatMap(TaskQueue, (queue) => queue.claim("launch", "me", limit, 30_000, mostLaunched))
    const tenants = (tasks: ReadonlyArray<{ readonly tenant: string }>) => tasks.map(({ tenant }) => tenant)

    it.effect("a job that does not fit is refused with the numbers, nothing of it is stored, and it fits later", () =>
      Effect.gen(function* () {
        const limits = { maxQueued: 2, maxRunning: 1 }
        const first = yield* create(1, 2, "a", limits)
        const refused = yield* Effect.either(create(2, 2, "a", limits))
        assert.deepStrictEqual(
          Either.isLeft(refused) && refused.left._tag === "TenantFull" ? refused.left.over : undefined,
          { limit: "max_queued", most: 3, found: 2, added: 2 }
        )
        assert.strictEqual((yield* Effect.flip((yield* JobStore).load("a", jobId(2))))._tag, "NotFound")
        // a neighbour, and one that just fits
        yield* create(3, 3, "b", limits)
        yield* create(4, 1, "a", limits)
        yield* report(first.id, completedEvent(0))
        yield* cancel("a", first.id)
        yield* create(2, 2, "a", limits)
      }).pipe(Effect.provide(storage))
    )

    it.effect(
      "results that a rerun takes over need no room: only what waits is counted (carried benchmarks were)",
      () =>
        Effect.gen(function* () {
          const job = makeJob({ id: jobId(1), tenant: "a", benchmarks: 3 })
          const benchmarks = job.benchmarks.map((one) =>
            one.index === 2 ? one : { ...one, state: "completed" as const }
          )
          const counts = { ...job.counts, pending: 1, completed: 2 }
          yield* (yield* JobStore).insert({ ...job, benchmarks, counts, state: "running" }, [], { maxQueued: 1 })
          assert.strictEqual((yield* Effect.flip(create(2, 1, "a", { maxQueued: 1 })))._tag, "TenantFull")
        }).pipe(Effect.provide(storage))
    )

    it.effect("a refused job leaves its idempotency key free, and a replay needs no room", () =>
      Effect.gen(function* () {
        const store = yield* JobStore
        const key = (text: string) => ({
          scope: "s",
          key: text,
          bodyDigest: "d",
          expiresAt: "2999-01-01T00:00:00.000Z"
        })
        const job = makeJob({ id: jobId(1), tenant: "a", benchmarks: 1 })
        assert.strictEqual(
          (yield* Effect.flip(store.insertOnce(job, launchTasks(job), key("k"), { maxQueued: 0 })))._tag,
          "TenantFull"
        )
        assert.isUndefined(yield* (yield* Idempotency).find("s", "k"))
        assert.strictEqual(yield* store.insertOnce(job, launchTasks(job), key("k"), { maxQueued: 1 }), "inserted")
        const again = makeJob({ id: jobId(2), tenant: "a", benchmarks: 1 })
        assert.strictEqual(yield* store.insertOnce(again, launchTasks(again), key("k"), { maxQueued: 0 }), "taken")
      }).pipe(Effect.provide(storage))
    )

    it.effect("submissions at the same moment do not take the last place twice", () =>
      Effect.gen(function* () {
        const results = yield* Effect.forEach(
          Array.from({ length: 12 }, (_, number) => number + 1),
          (number) => Effect.either(create(number, 1, "a", { maxQueued: 5 })),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(results.filter(Either.isRight).length, 5)
      }).pipe(Effect.provide(storage))
    )

    it.effect("a tenant's benchmarks beyond its limit wait for the end of others, and its neighbours do not", () =>
      Effect.gen(function* () {
        const queue = yield* TaskQueue
        const [first] = [yield* create(1, 4, "a"), yield* create(2, 3, "b")]
        const tasks = yield* claim(10, 2)
        assert.deepStrictEqual(tenants(tasks).toSorted(), ["a", "a", "b", "b"])
        assert.deepStrictEqual(yield* claim(10, 2), [])
        // launched, without an event yet; then running
        for (const task of tasks) yield* queue.complete(task, "me")
        assert.deepStrictEqual(yield* claim(10, 2), [])
        yield* report(first.id, runningEvent(0))
        assert.deepStrictEqual(yield* claim(10, 2), [])
        yield* report(first.id, completedEvent(0))
        assert.deepStrictEqual(
          (yield* claim(10, 2)).map(({ tenant, index }) => [tenant, index]),
          [["a", 2]]
        )
      }).pipe(Effect.provide(storage))
    )

    it.effect("full tenants do not keep the turn from others, and launches that came to nothing take no place", () =>
      Effect.gen(function* () {
        const queue = yield* TaskQueue
        for (const [position, tenant] of ["a", "b", "c", "d"].entries()) yield* create(position + 1, 2, tenant)
        const [one, two, three] = [yield* claim(1, 1), yield* claim(1, 1), yield* claim(1, 1)]
        assert.deepStrictEqual(tenants([...one, ...two, ...three]), ["a", "b", "c"])
        // as many full tenants before it as tasks are asked for
        assert.deepStrictEqual(tenants(yield* claim(1, 1)), ["d"])
        for (const task of one) yield* queue.retry(task, "me", 0, "not yet")
        assert.deepStrictEqual(tenants(yield* claim(4, 1)), ["a"])
        // what a cancelled job left in the queue has its turn, comes to nothing, and is not counted against its tenant
        yield* cancel("b", jobId(2))
        const later = yield* create(5, 1, "b")
        const left = yield* claim(4, 1)
        assert.deepStrictEqual(
          left.map(({ jobId: id }) => id),
          [jobId(2)]
        )
        for (const task of left) yield* queue.complete(task, "me")
        assert.deepStrictEqual(
          (yield* claim(4, 1)).map(({ jobId: id }) => id),
          [later.id]
        )
      }).pipe(Effect.provide(storage))
    )

    it.effect("what is kept is measured for each tenant, with samples, and is gone with its jobs", () =>
      Effect.gen(function* () {
        const { measure } = yield* StoredBytes
        assert.deepStrictEqual([...(yield* measure)], [])
        const big = yield* create(1, 3, "a")
        yield* create(2, 1, "b")
        const before = yield* measure
        assert.isAbove(before.get("a") ?? 0, before.get("b") ?? Number.POSITIVE_INFINITY)
        const text = Array.from({ length: 2000 }, (_, number) => (number * 7919).toString(36)).join(" ")
        const { sample } = readSample(
          { v: 1, sample_id: "s", task: "t", index: 0, repeat: 0, verdict: "correct", response: text },
          []
        )
        yield* (yield* SampleStore).add(
          { tenant: "b", jobId: jobId(2), index: 0 },
          sample === undefined ? [] : [sample],
          { content: "full", maxPerJob: 10 }
        )
        const after = yield* measure
        assert.strictEqual(after.get("a"), before.get("a"))
        assert.isAbove((after.get("b") ?? 0) - (before.get("b") ?? 0), 3000)
        yield* remove("a", big.id)
        assert.deepStrictEqual([...(yield* measure).keys()], ["b"])
      }).pipe(Effect.provide(storage))
    )
  })
}
