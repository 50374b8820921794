import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Ref, TestClock } from "effect"
import type { LoadClock } from "../../../../../providers/evald/performance/load-clock.ts"
import { ratesBetween, sweepBenchmark } from "../../../../../providers/evald/performance/sweep.ts"
import type { AdapterError, Results } from "../../../../../providers/sdk/adapter.ts"
import { itemContext } from "../item-fixtures.ts"
import { clientOf, serverError, streamedAfter, virtualClock } from "./load-fixtures.ts"

const sweep = (maxParallel: number, clock: LoadClock = virtualClock()): Effect.Effect<Results, AdapterError> =>
  Effect.gen(function* () {
    const busy = yield* Ref.make(0)
    // 500 ms an answer; more than `maxParallel` at once are refused
    const ask = () =>
      Effect.acquireUseRelease(
        Ref.updateAndGet(busy, (n) => n + 1),
        (n) => (n > maxParallel ? Effect.fail(serverError) : streamedAfter(100, 40, 11)),
        () => Ref.update(busy, (n) => n - 1)
      )
    const { job } = itemContext()
    const parameters = { max_seconds: 5, warmup_seconds: 0.9, cooldown_seconds: 0.1, sweep_points: 3 }
    const context = itemContext({ job: { ...job, parameters } })
    const quiet = { status: () => Effect.void, warn: () => Effect.void }
    const fiber = yield* Effect.fork(Effect.scoped(sweepBenchmark(clock, 6).run(context, clientOf(ask), quiet)))
    yield* TestClock.adjust("1 minute")
    return yield* Fiber.join(fiber)
  })

const value = ({ metrics }: Results, name: string) => Number(metrics.find((metric) => metric.name === name)?.value)

describe("perf_sweep", () => {
  it("takes rates evenly between both ends", () => {
    assert.deepStrictEqual(ratesBetween(2, 10, 3), [4, 6, 8])
    assert.deepStrictEqual(ratesBetween(10, 2, 1), [6])
  })

  it.effect("publishes every point and the best one", () =>
    Effect.gen(function* () {
      const results = yield* sweep(1000)
      assert.closeTo(value(results, "point_0/requests_per_second"), 2, 0.2)
      // 6 streams, two rounds a second
      assert.closeTo(value(results, "point_4/requests_per_second"), 12, 1.6)
      assert.strictEqual(value(results, "output_tokens_per_second"), value(results, "point_4/output_tokens_per_second"))
      assert.strictEqual(results.additionalInfo?.["best_point"], "point_4")
      const load = results.additionalInfo?.["load"] as ReadonlyArray<{
        readonly profile: string
        readonly rate?: number
      }>
      assert.deepStrictEqual(
        load.map(({ profile }) => profile),
        ["synchronous", "constant", "constant", "constant", "throughput"]
      )
    })
  )

  it.effect("a point with more than one percent errors is never the best", () =>
    Effect.gen(function* () {
      const results = yield* sweep(4)
      assert.isAbove(value(results, "point_4/error_rate"), 0.01)
      assert.notStrictEqual(results.additionalInfo?.["best_point"], "point_4")
      assert.strictEqual(value(results, "error_rate"), 0)
    })
  )

  it.effect("an unreachable endpoint and a saturated generator give no result", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(sweep(0))).code, "model_server_error")
      assert.strictEqual((yield* Effect.flip(sweep(1000, virtualClock([90])))).code, "load_generator_saturated")
    })
  )
})
