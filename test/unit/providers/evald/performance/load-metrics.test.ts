import { assert, describe, it } from "@effect/vitest"
import { makeArrivals } from "../../../../../providers/evald/performance/arrivals.ts"
import {
  itlMs,
  loadMetrics,
  meanConcurrency,
  tpotMs,
  ttftMs
} from "../../../../../providers/evald/performance/load-metrics.ts"
import { requestRate } from "../../../../../providers/evald/performance/throughput.ts"
import {
  countedWindow,
  endedWithin,
  type FinishedRequest,
  type LoadRequest,
  type LoadRun
} from "../../../../../providers/evald/performance/timeline.ts"

const request = (startMs: number, endMs: number, rest: Partial<FinishedRequest>): FinishedRequest => ({
  outcome: "successful",
  startMs,
  endMs,
  promptTokens: 10,
  outputTokens: 5,
  estimated: false,
  retries: 0,
  ...rest
})

const window = { fromMs: 1000, toMs: 3000 }
const early = request(0, 510, { firstContentMs: 100, lastContentMs: 500 })
const five = request(900, 1420, { firstContentMs: 1000, lastContentMs: 1400 })
const four = request(1200, 2000, { firstContentMs: 1400, lastContentMs: 2000, outputTokens: 4, promptTokens: 20 })
const one = request(2000, 2310, { firstContentMs: 2300, lastContentMs: 2300, outputTokens: 1, promptTokens: 30 })
const failed: LoadRequest = {
  outcome: "errored",
  startMs: 2500,
  endMs: 2600,
  code: "model_server_error",
  message: "500"
}
const late = request(2950, 3100, { firstContentMs: 3000, lastContentMs: 3090 })
const open: LoadRequest = { outcome: "incomplete", startMs: 2900, endMs: 3500 }
const runOf = (requests: ReadonlyArray<LoadRequest>): Pick<LoadRun, "requests" | "arrivals" | "loop"> => {
  const arrivals = makeArrivals(0, 10_000)
  for (const one of requests) {
    if (one.outcome !== "successful") continue
    const { firstContentMs: first, lastContentMs: last, outputTokens: tokens, endMs } = one
    const times =
      first === undefined || last === undefined
        ? [endMs]
        : Array.from({ length: tokens }, (_, at) => first + ((last - first) * at) / Math.max(1, tokens - 1))
    arrivals.add({ times, tokens })
  }
  return { requests, arrivals, loop: "open" }
}
const all: ReadonlyArray<LoadRequest> = [early, five, four, one, failed, late, open]

describe("performance metrics on a timeline worked out by hand", () => {
  const metrics = new Map(loadMetrics(runOf(all), window).map((metric) => [metric.name, metric]))
  const near = (name: string, want: number) => assert.closeTo(Number(metrics.get(name)?.value), want, 1e-9, name)

  it("counts what ended in the window", () => {
    assert.deepStrictEqual(endedWithin(all, window), [five, four, one, failed])
    near("output_tokens_per_second", 5)
    // open loop: three ends, 445 ms apart on average
    near("requests_per_second", 1000 / 445)
    near("prompt_tokens_per_second", (20 * 1000) / 445)
    near("error_rate", 0.25)
    assert.strictEqual(metrics.get("error_rate")?.n, 4)
  })

  it("means: TTFT and TPOT over requests, ITL over gaps", () => {
    near("mean_ttft_ms", 200)
    near("mean_itl_ms", 1000 / 7)
    near("mean_tpot_ms", 200)
    near("mean_latency_ms", 1630 / 3)
  })

  it("percentiles between the nearest ranks", () => {
    // 50 ms weighs 1/4, then one request is lost from sight: 200 and 300 ms weigh 3/8 each
    near("p50_ttft_ms", 200 + 100 * ((0.6875 / 2 - 0.3125) / 0.375))
    near("p99_ttft_ms", 300 - 100 * ((0.6875 * 0.01) / 0.375))
    near("p50_itl_ms", 150)
    near("p90_itl_ms", 190)
    near("p50_latency_ms", 520)
    near("p90_latency_ms", 744)
    near("p95_latency_ms", 772)
  })

  it("in a closed loop each request counts with the share of its time inside the window", () => {
    const rate = requestRate(all, window, "closed")
    // five, four, one, late; the open one has run for 600 ms, and those that took longer took 800
    assert.closeTo(rate.perSecond, (420 / 520 + 1 + 1 + 50 / 150 + 100 / 800) / 2, 1e-9)
    assert.isUndefined(rate.interval, "four requests say nothing about how different they are")
  })

  it("has an interval that is at least the one of its requests: 400 and 600 ms in turn", () => {
    const turns = Array.from({ length: 20 }, (_, at) =>
      request(at * 500 + (at % 2) * -100, at * 500 + (at % 2) * -100 + (at % 2 === 0 ? 400 : 600), {})
    )
    const { perSecond, interval } = requestRate(turns, { fromMs: 0, toMs: 10_000 }, "closed")
    assert.closeTo(perSecond, 2, 1e-9)
    // Σ(1/20 − time/10,000)² = 20 · 0.01², times 20/19; t of 19 degrees 2.093024
    assert.closeTo(interval?.[1] ?? 0, 2 + 2 * 2.093024 * Math.sqrt((0.002 * 20) / 19), 1e-6)
  })

  it("waves of long answers: 128 streams of 10 s are 12.8 a second, whatever ends inside the window (9.5 were reported)", () => {
    const waves = [0, 10_000, 20_000].flatMap((from) =>
      Array.from(
        { length: 128 },
        (): LoadRequest =>
          from < 20_000 ? request(from, from + 10_000, {}) : { outcome: "incomplete", startMs: from, endMs: 30_000 - 1 }
      )
    )
    assert.closeTo(requestRate(waves, { fromMs: 2000, toMs: 29_000 }, "closed").perSecond, 12.8, 1e-9)
    assert.strictEqual(requestRate(waves, { fromMs: 2000, toMs: 29_000 }, "closed").interval?.length, 2)
  })

  it("a hanging request is none: it takes no part in the rate, and all of the time it was seen counts as latency at least", () => {
    const hanging: ReadonlyArray<LoadRequest> = [
      ...Array.from({ length: 10 }, (_, at) => request(at * 100, at * 100 + 100, {})),
      { outcome: "incomplete", startMs: 0, endMs: 1000 }
    ]
    const whole = { fromMs: 0, toMs: 1000 }
    assert.closeTo(requestRate(hanging, whole, "closed").perSecond, 10, 1e-9)
    const found = new Map(
      loadMetrics({ ...runOf(hanging), loop: "closed" }, whole).map(({ name, value }) => [name, value])
    )
    assert.closeTo(Number(found.get("p99_latency_ms")), 910, 1e-6)
    assert.strictEqual(found.get("p50_latency_ms"), 100)
  })

  it("a steady schedule gives its rate, and silence at the end belongs to the rate", () => {
    const every = (gap: number, count: number) =>
      Array.from({ length: count }, (_, at) => request(at * gap, at * gap + 50, {}))
    assert.closeTo(requestRate(every(200, 16), { fromMs: 0, toMs: 3300 }, "open").perSecond, 5, 1e-9)
    assert.closeTo(requestRate(every(200, 5), { fromMs: 0, toMs: 10_000 }, "open").perSecond, 0.5, 1e-9)
    assert.strictEqual(requestRate([], window, "open").perSecond, 0)
  })

  it("concurrency is request time inside the window over its length", () => {
    near("concurrency", (420 + 800 + 310 + 100 + 50 + 100) / 2000)
    assert.strictEqual(meanConcurrency([request(0, 4000, {})], window), 1)
    assert.strictEqual(meanConcurrency([early], window), 0)
  })

  it("one token has no ITL, an answer in one piece neither TTFT nor ITL, no token no TPOT", () => {
    assert.isUndefined(itlMs(one))
    assert.strictEqual(itlMs(five), 100)
    const whole = request(1000, 1500, {})
    assert.isUndefined(ttftMs(whole))
    assert.isUndefined(itlMs(whole))
    assert.strictEqual(tpotMs(whole), 100)
    assert.isUndefined(tpotMs(request(0, 1, { outputTokens: 0 })))
    const names = loadMetrics(runOf([whole]), window).map(({ name }) => name)
    assert.isFalse(names.some((name) => name.includes("ttft") || name.includes("itl")))
    assert.includeMembers(names, ["mean_tpot_ms", "p99_latency_ms"])
  })
})

describe("the counted window", () => {
  const plan = { durationMs: 10_000, warmupMs: 2000, cooldownMs: 1000 }
  const run = (endedAtMs: number) => ({ requests: [], startedAtMs: 500, endedAtMs, due: 0, sent: 0 })

  it("leaves out warm-up and cool-down", () => {
    assert.deepStrictEqual(countedWindow(run(10_500), plan), { fromMs: 2500, toMs: 9500 })
  })

  it("shrinks both when the requests were used up early", () => {
    assert.deepStrictEqual(countedWindow(run(5500), plan), { fromMs: 1500, toMs: 5000 })
  })
})
