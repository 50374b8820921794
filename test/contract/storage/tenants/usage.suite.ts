/** What every store does to keep what benchmarks used of their models. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { JobStore } from "../../../../application/ports/stores/job-store.ts"
import { UsageStore } from "../../../../application/ports/stores/usage-store.ts"
import { noCounts } from "../../../../domain/validity/wire-counts.ts"
import type { StorageLayer } from "../../../support/storage.ts"
import { remove, report } from "../../../support/store-actions.ts"
import { completedEvent, failedEvent, jobId, launchTasks, makeJob } from "../../../support/stored-jobs.ts"

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
