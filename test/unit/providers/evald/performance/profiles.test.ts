import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import type { AskLoad } from "../../../../../providers/evald/performance/drive-load.ts"
import { loadPrompt } from "../../../../../providers/evald/performance/load-prompt.ts"
import { profileBenchmark } from "../../../../../providers/evald/performance/profiles.ts"
import { saturation } from "../../../../../providers/evald/performance/validity.ts"
import type { AdapterError, Callbacks, Results } from "../../../../../providers/sdk/adapter.ts"
import { estimateTokens } from "../../../../../providers/sdk/model/token-estimate.ts"
import { itemContext } from "../item-fixtures.ts"
import { clientOf, serverError, streamedAfter, virtualClock } from "./load-fixtures.ts"

const quiet: Callbacks = { status: () => Effect.void, warn: () => Effect.void }

const run = (
  ask: AskLoad,
  options: {
    readonly parameters?: { readonly [name: string]: unknown }
    readonly lags?: ReadonlyArray<number>
    readonly callbacks?: Callbacks
  } = {}
): Effect.Effect<Results, AdapterError> =>
  Effect.gen(function* () {
    const { job } = itemContext()
    const context = itemContext({ job: { ...job, parameters: options.parameters ?? {} } })
    const benchmark = profileBenchmark(
      { id: "perf_quick", profile: "constant", rate: 2, seconds: 10 },
      virtualClock(options.lags)
    )
    const fiber = yield* Effect.fork(Effect.scoped(benchmark.run(context, clientOf(ask), options.callbacks ?? quiet)))
    yield* TestClock.adjust("1 minute")
    return yield* Fiber.join(fiber)
  })

const value = ({ metrics }: Results, name: string) => metrics.find((metric) => metric.name === name)?.value

describe("a constant profile on virtual time", () => {
  it.effect("measures exactly what the model does", () =>
    Effect.gen(function* () {
      const results = yield* run(() => streamedAfter(100, 10, 11))
      // window 2.0..9.0 s, answers end 200 ms after x.0 and x.5: the first counted at 2.2, the last at 8.7
      assert.strictEqual(value(results, "requests_per_second"), 2)
      assert.strictEqual(value(results, "output_tokens_per_second"), 22)
      assert.strictEqual(value(results, "prompt_tokens_per_second"), 14)
      assert.closeTo(Number(value(results, "mean_ttft_ms")), 100, 1e-9)
      assert.strictEqual(value(results, "mean_itl_ms"), 10)
      assert.strictEqual(value(results, "p99_latency_ms"), 200)
      assert.closeTo(Number(value(results, "mean_tpot_ms")), 200 / 11, 1e-9)
      assert.closeTo(Number(value(results, "concurrency")), 0.4, 1e-9)
      assert.strictEqual(value(results, "error_rate"), 0)
      assert.deepStrictEqual(results.additionalInfo?.["counts"], {
        total: 14,
        scored: 14,
        errors: 0,
        timeouts: 0,
        invalid: 0
      })
    })
  )

  it.effect("obeys the job's parameters", () =>
    Effect.gen(function* () {
      const results = yield* run(() => streamedAfter(100, 0, 1), {
        parameters: { rate: 4, max_seconds: 5, warmup_seconds: 0, cooldown_seconds: 0 }
      })
      assert.strictEqual(value(results, "requests_per_second"), 4)
    })
  )

  it.effect("a wrong key fails with its own code before anything is measured", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(run(() => Effect.fail(serverError)))
      assert.strictEqual(error.code, "model_server_error")
    })
  )

  it.effect("too many failed requests publish no number", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        run((index) => (index % 4 === 3 ? Effect.fail(serverError) : streamedAfter(100, 0, 1)))
      )
      assert.strictEqual(error.code, "too_many_errors")
      assert.include(error.message, "model_server_error × ")
    })
  )

  it.effect("a model slower than the measurement gives no score of 0", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(run((index) => streamedAfter(index === 0 ? 1 : 20_000, 0, 1)))
      assert.strictEqual(error.code, "no_samples_scored")
      assert.include(error.message, "still under way")
    })
  )

  it.effect(
    "a fifth of the streams hangs: the share is counted and blocks (error rate 0 and a pass were reported)",
    () =>
      Effect.gen(function* () {
        const results = yield* run((index) => (index % 5 === 4 ? Effect.never : streamedAfter(100, 10, 11)))
        const flags = results.additionalInfo?.["flags"] as ReadonlyArray<{
          readonly code: string
          readonly level: string
          readonly count: number
        }>
        assert.strictEqual(flags[0]?.code, "incomplete_requests")
        assert.strictEqual(flags[0]?.level, "blocking")
        assert.isAtLeast(flags[0]?.count ?? 0, 3)
        assert.isAbove(Number(value(results, "p99_latency_ms")), 5000)
        const [load] = (results.additionalInfo?.["load"] ?? []) as ReadonlyArray<{
          readonly loop: string
          readonly requests: { readonly hanging: number }
        }>
        assert.deepInclude(load, { loop: "open" })
        assert.isAtLeast(load?.requests.hanging ?? 0, 3)
      })
  )

  it.effect("usage times ten is found, and what was streamed is counted", () =>
    Effect.gen(function* () {
      const results = yield* run(() =>
        Effect.map(streamedAfter(100, 10, 11), (answer) => ({
          ...answer,
          tokens: { prompt: 7, completion: 110, estimated: false }
        }))
      )
      const flags = results.additionalInfo?.["flags"] as ReadonlyArray<{ readonly code: string }>
      assert.deepStrictEqual(
        flags.map(({ code }) => code),
        ["usage_impossible"]
      )
      assert.strictEqual(value(results, "output_tokens_per_second"), 22)
    })
  )

  it.effect("a late event loop fails as a saturated generator", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(run(() => streamedAfter(100, 0, 1), { lags: [1, 2, 35] }))
      assert.strictEqual(error.code, "load_generator_saturated")
    })
  )

  it.effect(
    "a smoke test on a busy machine has a result with a note, not a failure (perf_quick called its generator saturated)",
    () =>
      Effect.gen(function* () {
        const told: Array<string> = []
        const noting: Callbacks = { status: () => Effect.void, warn: ({ code }) => Effect.sync(() => told.push(code)) }
        const results = yield* run(() => streamedAfter(100, 10, 11), {
          parameters: { on_saturation: "warn" },
          lags: [1, 2, 35],
          callbacks: noting
        })
        assert.strictEqual(value(results, "requests_per_second"), 2)
        const [note = ""] = (results.additionalInfo?.["notes"] ?? []) as ReadonlyArray<string>
        assert.match(
          note,
          /^load_generator_saturated: the event loop of the load generator was late by 9\.0 ms on average/
        )
        assert.deepStrictEqual(told, ["load_generator_saturated"])
        const [flag] = (results.additionalInfo?.["flags"] ?? []) as ReadonlyArray<object>
        assert.deepInclude(flag, { code: "load_generator_saturated", level: "advisory" })
      })
  )

  it.effect("a smoke test still publishes nothing when the model itself failed", () =>
    Effect.gen(function* () {
      const parameters = { on_saturation: "warn" }
      const broken = run((index) => (index % 4 === 3 ? Effect.fail(serverError) : streamedAfter(100, 0, 1)), {
        parameters,
        lags: [35]
      })
      assert.strictEqual((yield* Effect.flip(broken)).code, "too_many_errors")
      const late = run((index) => streamedAfter(index === 0 ? 1 : 20_000, 0, 1), { parameters, lags: [35] })
      assert.strictEqual((yield* Effect.flip(late)).code, "no_samples_scored")
    })
  )

  it.effect("warm-up and cool-down must leave time to measure", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(run(() => streamedAfter(1, 0, 1), { parameters: { max_seconds: 3 } }))
      assert.strictEqual(error.code, "invalid_parameter")
      assert.include(error.message, "max_seconds (3)")
    })
  )
})

describe("validity", () => {
  const calm = Array.from({ length: 3000 }, () => 1)
  const late = (lag: number, count: number) => [...calm, ...Array.from({ length: count }, () => lag)]

  it("less than 95 % sent, or late by more than 5 ms on average", () => {
    assert.isUndefined(saturation({ due: 100, sent: 95 }, calm, 100))
    assert.include(saturation({ due: 100, sent: 94 }, calm, 100) ?? "", "94 of 100")
    assert.include(saturation({ due: 1, sent: 1 }, late(500, 2), 100) ?? "", "event loop")
    assert.isUndefined(saturation({ due: 0, sent: 0 }, [], 0))
  })

  it("a busy machine's late moments move no figure by three percent (six false alarms in 28 runs)", () => {
    assert.isUndefined(saturation({ due: 1, sent: 1 }, late(30, 60), 100), "2 % of the ticks are 30 ms late")
    assert.isUndefined(saturation({ due: 1, sent: 1 }, late(500, 1), 100), "one stop of half a second in 33 s")
    assert.isUndefined(saturation({ due: 1, sent: 1 }, late(500, 2), 1000), "and two, where an answer takes a second")
  })
})

describe("synthetic prompts", () => {
  it("have the wanted size and differ from the first words on", () => {
    for (const size of [64, 256, 1024]) assert.closeTo(estimateTokens(loadPrompt(42, 3, size, 128)), size, 2)
    assert.notStrictEqual(loadPrompt(42, 1, 256, 128).slice(0, 40), loadPrompt(42, 2, 256, 128).slice(0, 40))
    assert.strictEqual(loadPrompt(42, 1, 256, 128), loadPrompt(42, 1, 256, 128))
  })
})
