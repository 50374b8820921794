/** Figures of a model server whose delays are known because the test makes them: each lies within 3 % of the truth, or the truth in its interval. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ProcedureBenchmark } from "../../providers/evald/benchmark.ts"
import { liveClock } from "../../providers/evald/performance/load-clock.ts"
import {
  perfConcurrent,
  perfConstant,
  perfPoisson,
  profileBenchmark
} from "../../providers/evald/performance/profiles.ts"
import type { Callbacks, Results } from "../../providers/sdk/adapter.ts"
import { makeModelClient } from "../../providers/sdk/model/model-client.ts"
import { bodyOf, serve } from "../support/loopback-server.ts"
import { context } from "../unit/providers/evald/solver-check.ts"

interface Pace {
  readonly ttftMs: number
  readonly itlMs: number
  readonly tokens: number
  /** tokens in each piece; default 1 */
  readonly perPiece?: number
  /** what usage says, times the truth */
  readonly claims?: number
  /** every n-th request gets its first piece and nothing more */
  readonly hangs?: number
}

const silent: Callbacks = { status: () => Effect.void, warn: () => Effect.void }

/** milliseconds that the server itself took, by its own clock: a busy machine's timers come late there too */
interface Kept {
  readonly ttft: Array<number>
  readonly latency: Array<number>
}

const medianOf = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** every piece at its own time after the request, so that lateness does not add up */
const modelServer = ({ ttftMs, itlMs, tokens, perPiece = 1, claims = 1, hangs = 0 }: Pace, kept: Kept) => {
  let asked = 0
  const event = (body: object) => `data: ${JSON.stringify({ id: "1", ...body })}\n\n`
  return Effect.acquireRelease(
    Effect.promise(() =>
      serve((request, response) => {
        const began = performance.now()
        void bodyOf(request).then(() => {
          // the first request opens the connection and is not measured
          const hanging = hangs > 0 && asked++ > 0 && asked % hangs === 0
          response.writeHead(200, { "content-type": "text/event-stream" })
          const piece = (from: number) => {
            const words = "word ".repeat(Math.min(perPiece, tokens - from))
            if (from === 0) kept.ttft.push(performance.now() - began)
            response.write(event({ choices: [{ index: 0, delta: { content: words } }] }))
            const next = from + perPiece
            if (hanging) return
            if (next < tokens)
              return void setTimeout(() => piece(next), Math.max(0, began + ttftMs + itlMs * next - performance.now()))
            kept.latency.push(performance.now() - began)
            const usage = { prompt_tokens: 32, completion_tokens: tokens * claims }
            response.end(
              `${event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}${event({ choices: [], usage })}data: [DONE]\n\n`
            )
          }
          setTimeout(() => piece(0), Math.max(0, began + ttftMs - performance.now()))
        })
      })
    ),
    ({ close }) => Effect.promise(close)
  )
}

const measure = (benchmark: ProcedureBenchmark, pace: Pace, parameters: { readonly [name: string]: unknown }) =>
  Effect.gen(function* () {
    const kept: Kept = { ttft: [], latency: [] }
    const { url } = yield* modelServer(pace, kept)
    const client = yield* makeModelClient({ url: `${url}/v1`, model: "known", timeoutMs: 60_000 })
    const base = context()
    const run = benchmark.run(context({ parameters, job: { ...base.job, parameters } }), client, silent)
    // a machine too busy for the test's own server says so, and the measurement is made again
    const results = yield* Effect.retry(run, { times: 5, while: ({ code }) => code === "load_generator_saturated" })
    return { ...results, ttft: medianOf(kept.ttft), latency: medianOf(kept.latency) }
  }).pipe(Effect.scoped)

const metricOf = (results: Results, name: string) => {
  const metric = results.metrics.find((one) => one.name === name)
  assert.isDefined(metric, name)
  return { value: Number(metric?.value), ci: metric?.ci }
}

const isTrue = (results: Results, name: string, truth: number) => {
  const { value, ci } = metricOf(results, name)
  const covers = ci !== undefined && ci[0] <= truth && truth <= ci[1]
  const most = Math.max(0.03 * truth, name.endsWith("_ms") ? 2 : 0)
  assert.isTrue(covers || Math.abs(value - truth) <= most, `${name}: ${value} for ${truth}, ${most} apart at most`)
}

const flagsOf = (results: Results) =>
  ((results.additionalInfo?.["flags"] ?? []) as ReadonlyArray<{ readonly code: string }>).map(({ code }) => code)

const window = { max_seconds: 5, warmup_seconds: 1, cooldown_seconds: 0.5, prompt_tokens: 32 }

describe("a model server with known delays", () => {
  it.live(
    "a closed loop whose answers take a third of the time: requests and tokens a second, latency (9.5 for 12.8 were reported)",
    () =>
      Effect.gen(function* () {
        const pace = { ttftMs: 500, itlMs: 80, tokens: 26 }
        const latency = 500 + 25 * 80
        const closed = profileBenchmark(
          { id: "perf_throughput", profile: "throughput", rate: 1, seconds: 8 },
          liveClock,
          16
        )
        const results = yield* measure(closed, pace, { ...window, max_seconds: 9, output_tokens: 26 })
        isTrue(results, "requests_per_second", (16 * 1000) / latency)
        isTrue(results, "output_tokens_per_second", (26 * 16 * 1000) / latency)
        isTrue(results, "p50_latency_ms", latency)
        isTrue(results, "mean_itl_ms", 80)
        assert.closeTo(
          metricOf(results, "requests_per_second").value,
          (16 * 1000) / latency,
          0.03 * ((16 * 1000) / latency)
        )
        assert.deepStrictEqual(flagsOf(results), [])
      })
  )

  for (const [name, benchmark] of [
    ["constant", perfConstant],
    ["poisson", perfPoisson]
  ] as const)
    it.live(`an open loop, ${name}: rate, tokens a second, latency`, () =>
      Effect.gen(function* () {
        const results = yield* measure(
          benchmark,
          { ttftMs: 100, itlMs: 10, tokens: 20 },
          { ...window, rate: 6, output_tokens: 20 }
        )
        isTrue(results, "requests_per_second", 6)
        isTrue(results, "output_tokens_per_second", 120)
        isTrue(results, "p50_ttft_ms", results.ttft)
        isTrue(results, "p50_latency_ms", results.latency)
        assert.isAtLeast(results.ttft, 99)
        assert.isAtLeast(results.latency, 289)
        assert.deepStrictEqual(flagsOf(results), [])
      })
    )

  it.live("several tokens in a piece, and usage times ten", () =>
    Effect.gen(function* () {
      const pace = { ttftMs: 100, itlMs: 20, tokens: 40, perPiece: 4 }
      const bundled = yield* measure(perfConcurrent, pace, { ...window, rate: 4, output_tokens: 40 })
      isTrue(bundled, "output_tokens_per_second", (4 * 40 * 1000) / (100 + 36 * 20))
      assert.deepStrictEqual(flagsOf(bundled), [])
      const inflated = yield* measure(
        perfConcurrent,
        { ttftMs: 100, itlMs: 20, tokens: 40, claims: 10 },
        { ...window, rate: 4, output_tokens: 400 }
      )
      isTrue(inflated, "output_tokens_per_second", (4 * 40 * 1000) / (100 + 39 * 20))
      assert.deepStrictEqual(flagsOf(inflated), ["usage_impossible"])
    })
  )

  it.live("a fifth of the streams hangs: it is said, and the latency is not that of the survivors", () =>
    Effect.gen(function* () {
      const results = yield* measure(
        perfConstant,
        { ttftMs: 100, itlMs: 10, tokens: 20, hangs: 5 },
        { ...window, max_seconds: 6, rate: 6, output_tokens: 20 }
      )
      assert.deepStrictEqual(flagsOf(results), ["incomplete_requests"])
      assert.isAbove(metricOf(results, "p99_latency_ms").value, 2000)
    })
  )
})
