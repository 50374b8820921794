import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { JobSpec } from "../../providers/contract/job-spec.ts"
import { type DemoModelOptions, startDemoModel } from "../../providers/demo-model/server.ts"
import type { ProcedureBenchmark } from "../../providers/evald/benchmark.ts"
import { liveClock } from "../../providers/evald/performance/load-clock.ts"
import { perfConstant, perfSynchronous, profileBenchmark } from "../../providers/evald/performance/profiles.ts"
import { sweepBenchmark } from "../../providers/evald/performance/sweep.ts"
import type { AdapterError, Callbacks, Results } from "../../providers/sdk/adapter.ts"
import { makeModelClient } from "../../providers/sdk/model/model-client.ts"
import { type Asked, evaluate, value } from "../integration/providers/evald/evaluate.ts"
import { bodyOf, serve } from "../support/loopback-server.ts"
import { context } from "../unit/providers/evald/solver-check.ts"

/** the first token after 80 ms, then one every 10 ms: 20 tokens take 270 ms */
const paced = { ttftMs: 80, tokensPerSecond: 100 }
const expected = { ttft: 80, itl: 10, latency: 270 }
const short = { max_seconds: 4, warmup_seconds: 0.5, cooldown_seconds: 0.2, output_tokens: 20, prompt_tokens: 64 }

/** a measurement that finds its own generator too late says so and may be repeated; on a busy machine that is the right answer */
const measured = (asked: Asked) => repeated(evaluate(asked))

const repeated = <A, R>(run: Effect.Effect<A, AdapterError, R>) =>
  Effect.retry(run, { times: 5, while: ({ code }) => code === "load_generator_saturated" })

const silent: Callbacks = { status: () => Effect.void, warn: () => Effect.void }
const loadContext = (parameters: JobSpec["parameters"]) => {
  const base = context()
  return context({ parameters, job: { ...base.job, parameters } })
}

/** enough to be a crowd, few enough for model and generator in one process */
const streams = 16
const crowd = { ttftMs: 400, tokensPerSecond: 10 }
const many = { max_seconds: 5, warmup_seconds: 1.5, cooldown_seconds: 0.2, output_tokens: 8, prompt_tokens: 32 }

/** a benchmark with fewer streams than the shipped one, over HTTP against the demo model */
const procedure = (benchmark: ProcedureBenchmark, demo: DemoModelOptions, parameters: JobSpec["parameters"]) =>
  Effect.gen(function* () {
    const { url } = yield* Effect.orDie(startDemoModel(demo))
    const client = yield* makeModelClient({ url, model: "evald-demo", timeoutMs: 30_000 })
    return yield* repeated(benchmark.run(loadContext(parameters), client, silent))
  }).pipe(Effect.scoped)

/** a model that answers one request after the other, each after `millis` */
const oneAtATime = (millis: number) => {
  let free = Promise.resolve()
  const stream = (text: string) => `data: ${text}\n\n`
  const chunk = (content: string) => stream(JSON.stringify({ id: "1", choices: [{ index: 0, delta: { content } }] }))
  const usage = stream(JSON.stringify({ id: "1", choices: [], usage: { prompt_tokens: 16, completion_tokens: 2 } }))
  return Effect.map(
    Effect.acquireRelease(
      Effect.promise(() =>
        serve((request, response) => {
          void bodyOf(request).then(() => {
            free = free.then(() => new Promise((done) => setTimeout(done, millis)))
            return free.then(() => {
              response.writeHead(200, { "content-type": "text/event-stream" })
              response.write(chunk("one "))
              response.end(`${chunk("two")}${usage}data: [DONE]\n\n`)
            })
          })
        })
      ),
      ({ close }) => Effect.promise(close)
    ),
    ({ url }) => ({ url: `${url}/v1` })
  )
}

const within = (actual: number, wanted: number, what: string) =>
  assert.isAtMost(Math.abs(actual - wanted), Math.max(2, 0.05 * wanted), `${what}: ${actual} instead of ${wanted}`)

describe("performance of a model with known delays", () => {
  for (const [id, parameters] of [
    ["perf_synchronous", {}],
    ["perf_concurrent", { rate: 4 }],
    ["perf_constant", { rate: 5 }],
    ["perf_poisson", { rate: 5 }]
  ] as const) {
    it.live(`${id}: median TTFT, ITL and latency within 5 % or 2 ms`, () =>
      Effect.gen(function* () {
        const results = yield* measured({ id, demo: paced, parameters: { ...short, ...parameters } })
        within(value(results, "p50_ttft_ms"), expected.ttft, "TTFT")
        within(value(results, "p50_itl_ms"), expected.itl, "ITL")
        within(value(results, "p50_latency_ms"), expected.latency, "latency")
        assert.strictEqual(value(results, "error_rate"), 0)
        const [low = 0, high = 0] = results.metrics.find(({ name }) => name === "output_tokens_per_second")?.ci ?? []
        const tokens = 20 * value(results, "requests_per_second")
        assert.isTrue(low <= tokens && tokens <= high, `${tokens} tokens a second lie in ${low} to ${high}`)
        assert.strictEqual(results.additionalInfo?.["demo"], true)
      })
    )
  }

  it.live("perf_throughput: as many requests under way as asked for, ITL and latency within 5 %", () =>
    Effect.gen(function* () {
      const throughput = profileBenchmark(
        { id: "perf_throughput", profile: "throughput", rate: 1, seconds: 30 },
        liveClock,
        streams
      )
      const results = yield* procedure(throughput, crowd, many)
      within(value(results, "p50_itl_ms"), 100, "ITL")
      within(value(results, "p50_latency_ms"), 1100, "latency")
      within(value(results, "concurrency"), streams, "concurrency")
      within(value(results, "requests_per_second"), streams / 1.1, "requests per second")
      assert.strictEqual(value(results, "error_rate"), 0)
    })
  )

  it.live("perf_sweep: from one request at a time to as many as possible, the latency of each point within 5 %", () =>
    Effect.gen(function* () {
      const sweep = procedure(sweepBenchmark(liveClock, streams), crowd, { ...many, sweep_points: 2 })
      // a point that found its generator late has no metrics; the others stand
      const whole = (results: Results) =>
        [0, 1, 2, 3].every((point) => Number.isFinite(value(results, `point_${point}/p50_latency_ms`)))
      const results = yield* Effect.repeat(sweep, { times: 2, until: whole })
      const requests = [0, 1, 2, 3].map((point) => value(results, `point_${point}/requests_per_second`))
      for (const point of [0, 1, 2, 3])
        within(value(results, `point_${point}/p50_latency_ms`), 1100, `latency of point ${point}`)
      assert.deepStrictEqual(
        [...requests].sort((one, other) => one - other),
        requests
      )
      assert.strictEqual(
        value(results, "requests_per_second"),
        requests[3],
        "the headline is the point with the most output tokens"
      )
    })
  )

  it.live("an open loop counts the waiting before a slow model: no coordinated omission", () =>
    Effect.gen(function* () {
      // one request at a time, 200 ms each; ten a second are due, so the request n is answered at 0.2·(n + 1) s and waits longer and longer
      const { url } = yield* oneAtATime(200)
      const client = yield* makeModelClient({ url, model: "slow", timeoutMs: 30_000 })
      const parameters = {
        max_seconds: 4,
        warmup_seconds: 0,
        cooldown_seconds: 0.1,
        output_tokens: 2,
        prompt_tokens: 16,
        rate: 10
      }
      const open = yield* repeated(perfConstant.run(loadContext(parameters), client, silent))
      // the half that is still waiting at the end waits longer than the half that was answered
      const answered = Math.floor(3.9 / 0.2)
      assert.isAbove(
        value(open, "p50_latency_ms"),
        1.1 * (200 + (100 * (answered - 1)) / 2),
        "latency with the waiting"
      )
      within(value(open, "requests_per_second"), 5, "answers a second")
      const closed = yield* repeated(perfSynchronous.run(loadContext(parameters), client, silent))
      within(value(closed, "p50_latency_ms"), 200, "latency of one at a time")
    }).pipe(Effect.scoped)
  )

  it.live("a moment is not waited for as late as timers fire, which would be part of every time of an open loop", () =>
    Effect.gen(function* () {
      const late: Array<number> = []
      for (let round = 0; round < 60; round++) {
        const atMs = (yield* liveClock.now) + 5 + 0.37 * round
        yield* liveClock.until(atMs)
        late.push((yield* liveClock.now) - atMs)
      }
      const [earliest = -1, median = 1] = [0, 30].map((rank) => late.toSorted((one, other) => one - other)[rank])
      assert.isAtLeast(earliest, 0)
      assert.isBelow(median, 0.5)
    })
  )

  it.live("a generator that is kept from its work says so instead of blaming the model", () =>
    Effect.gen(function* () {
      const busy = setInterval(() => {
        const end = performance.now() + 60
        while (performance.now() < end);
      }, 120)
      const failed = yield* Effect.flip(
        evaluate({ id: "perf_constant", demo: paced, parameters: { ...short, rate: 5 } })
      ).pipe(Effect.ensuring(Effect.sync(() => clearInterval(busy))))
      assert.strictEqual(failed.code, "load_generator_saturated")
      assert.match(failed.message, /The measurement is not valid: the event loop of the load generator was late/)
    })
  )

  it.live("rates follow the profile", () =>
    Effect.gen(function* () {
      const constant = yield* measured({ id: "perf_constant", demo: paced, parameters: { ...short, rate: 10 } })
      assert.closeTo(value(constant, "requests_per_second"), 10, 0.5)
      const four = yield* measured({ id: "perf_concurrent", demo: paced, parameters: { ...short, rate: 4 } })
      assert.closeTo(value(four, "concurrency"), 4, 0.2)
      assert.closeTo(value(four, "requests_per_second"), 4 / 0.27, 1.5)
    })
  )

  it.live("a server error is counted, a wrong key is named", () =>
    Effect.gen(function* () {
      const failing = yield* Effect.flip(
        measured({
          id: "perf_constant",
          demo: { ...paced, errorRate: 0.5 },
          parameters: { ...short, rate: 10, max_retries: 0 }
        })
      )
      assert.include(["too_many_errors", "model_server_error"], failing.code)
      const locked = yield* Effect.flip(evaluate({ id: "perf_quick", demo: { requireKey: "secret" } }))
      assert.strictEqual(locked.code, "model_authentication_failed")
    })
  )
})
