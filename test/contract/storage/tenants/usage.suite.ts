/** What every store does to keep what benchmarks used of their models. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { JobStore } from "../../../../application/ports/stores/job-store.ts"
import { UsageStore } from "../../../../application/ports/stores/usage-store.ts"
import { wireSpent } from "../../../../domain/budget/usage.ts"
import { jobTest } from "../../../../domain/job/job-score.ts"
import { decideFailure } from "../../../../domain/job/runtime-fact.ts"
import { noCounts } from "../../../../domain/validity/wire-counts.ts"
import type { StorageLayer } from "../../../support/storage.ts"
import { cancel, remove, renderedJob, report } from "../../../support/store-actions.ts"
import { completedEvent, failedEvent, jobId, launchTasks, makeJob, runningEvent } from "../../../support/stored-jobs.ts"

export const usageSuite = (name: string, storage: StorageLayer): void => {
  describe(`usage: ${name}`, () => {
    const wire = { ...noCounts, sent: 4, retries: 1, inputTokens: 100, outputTokens: 20, estimatedTokens: 30 }
    const price = { input: 1, output: 5 }
    const create = (number: number, tenant: string, model: string, isPriced = true) =>
      Effect.gen(function* () {
        const made = makeJob({ id: jobId(number), tenant, benchmarks: 2 })
        const job = {
          ...made,
          model: { ...made.model, name: model },
          benchmarks: made.benchmarks.map((one) => ({
            ...one,
            snapshot: { ...one.snapshot, ...(isPriced ? { price } : {}) }
          }))
        }
        yield* (yield* JobStore).insert(job, launchTasks(job))
        return job.id
      })

    it.effect("is on the record of the benchmark and of the job, failed benchmarks included", () =>
      Effect.gen(function* () {
        const id = yield* create(1, "a", "m")
        yield* report(id, { ...completedEvent(0), wire })
        yield* report(id, { ...failedEvent(1), wire: { ...wire, fromLog: 2 } })
        const { json } = yield* (yield* JobStore).render("a", id)
        const { results } = JSON.parse(json) as {
          readonly results: { readonly usage: object; readonly benchmarks: ReadonlyArray<{ readonly usage: object }> }
        }
        const one = {
          ...{ requests: 4, retries: 1, replayed: 0, tokens: { input: 100, output: 20, reasoning: 0 } },
          ...{ estimated_share: 0.25, cost: 0.0002 }
        }
        assert.deepStrictEqual(
          results.benchmarks.map(({ usage }) => usage),
          [one, { ...one, replayed: 2 }]
        )
        assert.deepStrictEqual(results.usage, {
          ...{ requests: 8, retries: 2, replayed: 2, tokens: { input: 200, output: 40, reasoning: 0 } },
          ...{ estimated_share: 0.25, cost: 0.0004 }
        })
        const { usage } = yield* (yield* JobStore).load("a", id)
        assert.strictEqual(usage?.inputTokens, 200)
      }).pipe(Effect.provide(storage))
    )

    it.effect("is summed up by model within a tenant and a period, and stays when the job goes", () =>
      Effect.gen(function* () {
        const store = yield* UsageStore
        const first = yield* create(1, "a", "m")
        yield* report(first, { ...completedEvent(0), wire })
        yield* report(first, { ...completedEvent(1), wire })
        yield* report(yield* create(2, "a", "n", false), { ...completedEvent(0), wire })
        yield* report(yield* create(3, "b", "m"), { ...completedEvent(0), wire })
        yield* remove("a", first)
        const models = yield* store.byModel("a", {})
        assert.deepStrictEqual(
          models.map(({ model, benchmarks, usage }) => [model, benchmarks, usage.requests, usage.cost]),
          [
            ["m", 2, 8, 0.0004],
            ["n", 1, 4, undefined]
          ]
        )
        assert.deepStrictEqual(
          (yield* store.byModel("a", { model: "n" })).map(({ model }) => model),
          ["n"]
        )
        assert.deepStrictEqual(yield* store.byModel("a", { from: "2999-01-01T00:00:00.000Z" }), [])
        assert.strictEqual((yield* store.byModel("a", { to: "2999-01-01T00:00:00.000Z" })).length, 2)
        assert.deepStrictEqual(yield* store.byModel("c", {}), [])
      }).pipe(Effect.provide(storage))
    )

    const spent = (by: string, sent: number) => ({ by, spent: wireSpent({ ...wire, sent }) })
    /** what the tenant used: benchmarks that ended, their requests and their cost */
    const summed = Effect.map(
      Effect.flatMap(UsageStore, (store) => store.byModel("a", {})),
      (models) => models.map(({ benchmarks, usage }) => [benchmarks, usage.requests, usage.cost])
    )
    /** as the use cases tell what was used at any time */
    const tell = (id: string, index: number, told: ReturnType<typeof spent>) =>
      report(id, { ...runningEvent(index), status: "pending", spent: told })
    const jobRequests = (id: string) =>
      Effect.map(
        Effect.flatMap(JobStore, (store) => store.load("a", id)),
        ({ usage }) => usage?.requests
      )

    it.effect(
      "of a cancelled benchmark is what was told while it ran (tokens that were spent were counted for nobody)",
      () =>
        Effect.gen(function* () {
          const id = yield* create(1, "a", "m")
          yield* report(id, { ...runningEvent(0), spent: spent("s", 3) })
          assert.deepStrictEqual(yield* summed, [], "it has not ended")
          assert.strictEqual(yield* jobRequests(id), 3)
          yield* cancel("a", id)
          assert.deepStrictEqual(yield* summed, [[1, 3, 0.0002]])
          const { results } = yield* renderedJob("a", id)
          assert.nestedInclude(results, { "benchmarks[0].usage.requests": 3, "usage.requests": 3 })
        }).pipe(Effect.provide(storage))
    )

    it.effect("of all benchmarks of a job is kept at once, when it is cancelled and when it is removed", () =>
      Effect.gen(function* () {
        const used = (id: string) =>
          Effect.zipRight(
            report(id, { ...runningEvent(0), spent: spent("s", 3) }),
            report(id, { ...runningEvent(1), spent: spent("s", 4) })
          )
        const [cancelled, removed] = [yield* create(1, "a", "m"), yield* create(2, "a", "other", false)]
        yield* used(cancelled)
        yield* used(removed)
        yield* cancel("a", cancelled)
        assert.deepStrictEqual(yield* summed, [[2, 7, 0.0004]])
        yield* remove("a", removed)
        assert.sameDeepMembers(
          (yield* summed).map(([benchmarks, requests]) => [benchmarks, requests]),
          [
            [2, 7],
            [2, 7]
          ]
        )
      }).pipe(Effect.provide(storage))
    )

    it.effect(
      "takes what is told after the end: of cancelled ones, and of those that failed without their adapter",
      () =>
        Effect.gen(function* () {
          const id = yield* create(1, "a", "m")
          const lost = { attempt: 1, code: "runtime_object_lost", message: "gone", wire: { ...wire, sent: 2 } }
          yield* (yield* JobStore).changeBenchmark(
            { jobId: id, select: { index: 1 } },
            (head, benchmark) => {
              const change = decideFailure(head, benchmark, lost, head.updatedAt)
              return Either.right(change._tag === "Unchanged" ? change : { ...change, tasks: [] })
            },
            jobTest
          )
          yield* cancel("a", id)
          assert.deepStrictEqual(yield* summed, [[1, 2, 0.0002]])
          yield* tell(id, 0, spent("s", 4))
          yield* tell(id, 1, spent("1", 5))
          yield* tell(id, 1, spent("1", 5))
          assert.deepStrictEqual(yield* summed, [[2, 9, 0.0004]])
          assert.strictEqual(yield* jobRequests(id), 9)
          yield* tell(id, 0, spent("another", 1))
          assert.deepStrictEqual(
            (yield* summed).map(([benchmarks, requests]) => [benchmarks, requests]),
            [[2, 10]]
          )
        }).pipe(Effect.provide(storage))
    )

    it.effect("of a job that is removed while it runs stays with its tenant", () =>
      Effect.gen(function* () {
        const id = yield* create(1, "a", "m")
        yield* report(id, { ...runningEvent(0), spent: spent("s", 3) })
        yield* report(id, { ...completedEvent(1), wire })
        yield* remove("a", id)
        assert.deepStrictEqual(yield* summed, [[2, 7, 0.0004]])
      }).pipe(Effect.provide(storage))
    )

    it.effect("for estimates is that of whole runs alone", () =>
      Effect.gen(function* () {
        const id = yield* create(1, "a", "m")
        const { benchmarks } = yield* (yield* JobStore).load("a", id)
        const [entry] = benchmarks.map(({ entry: one }) => one)
        const benchmark = { providerId: entry?.providerId ?? "", id: entry?.id ?? "" }
        yield* report(id, { ...runningEvent(0), spent: spent("s", 3) })
        yield* cancel("a", id)
        assert.deepStrictEqual(yield* (yield* UsageStore).lately("a", benchmark, 10), [])
      }).pipe(Effect.provide(storage))
    )

    it.effect("of the last runs of a benchmark is found, newest first; nothing is kept of one that asked nothing", () =>
      Effect.gen(function* () {
        const store = yield* UsageStore
        const id = yield* create(1, "a", "m")
        const { benchmarks } = yield* (yield* JobStore).load("a", id)
        yield* report(id, { ...completedEvent(0), wire: noCounts })
        const [entry] = benchmarks.map(({ entry: one }) => one)
        const benchmark = { providerId: entry?.providerId ?? "", id: entry?.id ?? "" }
        assert.deepStrictEqual(yield* store.lately("a", benchmark, 10), [])
        for (const [number, sent] of [
          [2, 5],
          [3, 6],
          [4, 7]
        ] as const)
          yield* report(yield* create(number, "a", "m"), { ...completedEvent(0), wire: { ...wire, sent } })
        const found = yield* store.lately("a", benchmark, 2)
        assert.deepStrictEqual(
          found.map(({ requests }) => requests),
          [7, 6]
        )
        assert.deepStrictEqual(yield* store.lately("b", benchmark, 2), [])
      }).pipe(Effect.provide(storage))
    )
  })
}
