/** What a dry run says that benchmarks may use, and what it is told from. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { UsageStore } from "../../../../application/ports/stores/usage-store.ts"
import { estimateUsage } from "../../../../application/usage/estimate-usage.ts"
import type { Usage } from "../../../../domain/budget/usage.ts"
import { sampleBenchmark } from "../../../support/sample-job.ts"

const used = (requests: number, inputTokens: number, outputTokens: number, more: Partial<Usage> = {}): Usage => ({
  ...{ requests, inputTokens, outputTokens, retries: 0, replayed: 0, reasoningTokens: 0, estimatedTokens: 0 },
  ...more
})
const estimated = (runs: ReadonlyArray<Usage>, parameters = {}, price?: { input: number; output: number }) => {
  const benchmark = sampleBenchmark()
  const entry = { ...benchmark.entry, parameters }
  const snapshot = { ...benchmark.snapshot, ...(price === undefined ? {} : { price }) }
  const asked: Array<readonly [string, string, string, number]> = []
  const store = Layer.mock(UsageStore, {
    lately: (tenant, { providerId, id }, limit) => {
      asked.push([tenant, providerId, id, limit])
      return Effect.succeed(runs)
    }
  })
  return estimateUsage("a", { ...benchmark, entry, snapshot }).pipe(
    Effect.provide(store),
    Effect.map((estimate) => ({ estimate, asked, entry }))
  )
}

describe("an estimate of a benchmark's usage", () => {
  it.effect("is the mean of the tenant's last ten runs, rounded up, with its cost where there is a price", () =>
    Effect.gen(function* () {
      const runs = [used(10, 1_000, 201), used(11, 3_000, 100)]
      const { estimate, asked, entry } = yield* estimated(runs, { num_examples: 500 }, { input: 2, output: 10 })
      assert.deepStrictEqual(asked, [["a", entry.providerId, entry.id, 10]])
      assert.deepStrictEqual(estimate, {
        requests: 11,
        tokens: { input: 2_000, output: 151 },
        cost: 0.00551,
        basis: { kind: "earlier_runs", runs: 2 }
      })
      assert.notProperty((yield* estimated(runs)).estimate, "cost")
    })
  )

  it.effect("leaves out runs of which a part came out of a log: they asked for less", () =>
    Effect.gen(function* () {
      const { estimate } = yield* estimated([used(2, 20, 2, { replayed: 98 }), used(100, 1_000, 100)])
      assert.deepStrictEqual(
        [estimate?.requests, estimate?.tokens, estimate?.basis],
        [100, { input: 1_000, output: 100 }, { kind: "earlier_runs", runs: 1 }]
      )
    })
  )

  it.effect("is a request for each example where nothing ran before, and absent where nothing tells it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* estimated([], { num_examples: 50 })).estimate, {
        requests: 50,
        basis: { kind: "num_examples" }
      })
      assert.isUndefined((yield* estimated([])).estimate)
    })
  )
})
