import { assert, describe, it } from "@effect/vitest"
import { itlMs, loadMetrics, meanConcurrency, tpotMs, ttftMs } from "../../../../../providers/evald/performance/load-metrics.ts"
import { countedWindow, endedWithin, type FinishedRequest, type LoadRequest } from "../../../../../providers/evald/performance/timeline.ts"

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
const failed: LoadRequest = { outcome: "errored", startMs: 2500, endMs: 2600, code: "model_server_error", message: "500" }
const late = request(2950, 3100, { firstContentMs: 3000, lastContentMs: 3090 })
const open: LoadRequest = { outcome: "incomplete", startMs: 2900, endMs: 3500 }
const all: ReadonlyArray<LoadRequest> = [early, five, four, one, failed, late, open]

describe("performance metrics on a timeline worked out by hand", () => {
  const metrics = new Map(loadMetrics(all, window).map((metric) => [metric.name, metric]))
  const near = (name: string, want: number) => assert.closeTo(Number(metrics.get(name)?.value), want, 1e-9, name)

  it("counts what ended in the window", () => {
    assert.deepStrictEqual(endedWithin(all, window), [five, four, one, failed])
    near("output_tokens_per_second", 5)
    near("requests_per_second", 1.5)
    near("prompt_tokens_per_second", 30)
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
    near("p50_ttft_ms", 200)
    near("p90_ttft_ms", 280)
    near("p99_ttft_ms", 298)
    near("p50_itl_ms", 150)
    near("p90_itl_ms", 190)
    near("p50_latency_ms", 520)
    near("p90_latency_ms", 744)
    near("p95_latency_ms", 772)
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
    const names = loadMetrics([whole], window).map(({ name }) => name)
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
