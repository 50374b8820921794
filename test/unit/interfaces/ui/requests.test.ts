import { assert, describe, it } from "vitest"
import type { RecordedSample } from "../../../../interfaces/ui/data/sample-pages.ts"
import { curvesOf } from "../../../../interfaces/ui/screens/job/requests/curves.ts"
import {
  measurementsOf,
  sliceMillis,
  slicesOf,
  type TimedRequest,
  timedRequest
} from "../../../../interfaces/ui/screens/job/requests/timed.ts"

const recorded = (more: Partial<NonNullable<RecordedSample["record"]>>, id = "perf:s1-point_0:7"): RecordedSample => {
  const key = { sample_id: id, task: "perf", index: 7, repeat: 0, verdict: "correct" as const }
  const record = { v: 1 as const, ...key, ...more }
  return { benchmark_index: 0, sha256: "0".repeat(64), ...key, verdict: record.verdict, record }
}

const request = (started: number, ended: number, more: Partial<TimedRequest> = {}): TimedRequest => ({
  ...{ measurement: "point_0", profile: undefined, started, ended, latency: ended - started, firstToken: undefined },
  ...{ tokens: 0, outcome: "answered" },
  ...more
})

describe("a request of a performance benchmark", () => {
  it("has its times, its tokens, and the measurement that it belongs to", () => {
    const timing = { profile: "constant", started: 100, ended: 400 }
    const made = timedRequest(recorded({ latency_ms: 300, ttft_ms: 50, tokens: { completion: 12 }, timing }))
    assert.deepStrictEqual(made, {
      ...{ measurement: "point_0", profile: "constant", started: 100, ended: 400 },
      ...{ latency: 300, firstToken: 50, tokens: 12, outcome: "answered" }
    })
    assert.strictEqual(timedRequest(recorded({ timing }, "chat:point_12:0"))?.measurement, "point_12")
  })
  it("ends after its latency where no end is told, and may have failed or be under way", () => {
    assert.strictEqual(timedRequest(recorded({ latency_ms: 30, timing: { started: 5 } }))?.ended, 35)
    assert.strictEqual(timedRequest(recorded({ verdict: "error", timing: { started: 5 } }))?.outcome, "failed")
    assert.strictEqual(timedRequest(recorded({ verdict: "skipped", timing: { started: 5 } }))?.outcome, "unfinished")
  })
  it("that says no time, or none that can be one, is left out", () => {
    for (const timing of [undefined, {}, { started: "1" }, { started: -1 }, { started: null }])
      assert.isUndefined(timedRequest(recorded(timing === undefined ? {} : { timing })))
  })
  it("belongs to one of several measurements, which come in the order of their numbers", () => {
    const of = (measurement: string) => request(0, 1, { measurement })
    const found = measurementsOf([of("point_10"), of("point_2"), of("point_10")])
    assert.deepStrictEqual(
      found.map(([name, own]) => [name, own.length]),
      [
        ["point_2", 1],
        ["point_10", 2]
      ]
    )
  })
})

describe("the time of a measurement", () => {
  it.each([
    [10_000, 500],
    [30_000, 1000],
    [31_000, 2000],
    [600_000, 20_000],
    [0, 1]
  ])("of %d ms is told in parts of %d ms, at most thirty", (total, width) => {
    assert.strictEqual(sliceMillis(total), width)
    assert.isAtMost(total / width, 30)
  })
  it("has in each part what ended there: the fewest and the most milliseconds, what failed, nothing of what was under way", () => {
    const slices = slicesOf([
      request(0, 500, { latency: 500, firstToken: 100 }),
      request(100, 900, { latency: 800, firstToken: 40 }),
      request(900, 1200, { outcome: "failed", latency: undefined }),
      request(1000, 30_000, { outcome: "unfinished", latency: undefined })
    ])
    assert.strictEqual(slices.length, 30)
    const { tokensPerSecond: _, ...first } = slices[0] ?? { tokensPerSecond: 0 }
    assert.deepStrictEqual(first, {
      ...{ from: 0, to: 1000, answered: 2, failed: 0 },
      ...{ latency: { low: 500, high: 800 }, firstToken: { low: 40, high: 100 } }
    })
    assert.deepInclude(slices[1], { answered: 0, failed: 1, latency: undefined })
    assert.deepInclude(slices[29], { answered: 0, failed: 0 })
    assert.deepStrictEqual(slicesOf([]), [])
  })
  it("has the tokens of an answer evenly from its first to its end, and none is lost", () => {
    // from 500 to 2500 ms: a quarter, a half, a quarter
    const slices = slicesOf([
      request(0, 2500, { firstToken: 500, tokens: 80 }),
      request(0, 1500, { tokens: 10 }),
      request(0, 30_000, { outcome: "failed", tokens: 7 })
    ])
    assert.deepStrictEqual(
      slices.slice(0, 4).map(({ tokensPerSecond }) => tokensPerSecond),
      [20, 50, 20, 0]
    )
    assert.closeTo(
      slices.reduce((sum, { from, to, tokensPerSecond }) => sum + (tokensPerSecond * (to - from)) / 1000, 0),
      90,
      1e-9
    )
  })
})

describe("what is drawn", () => {
  it("is a point for each answer, and steps that hold to the end; what there is nothing of is not drawn", () => {
    const requests = [request(0, 500, { tokens: 10 }), request(250, 1000, { outcome: "failed", latency: 9 })]
    const curves = curvesOf(requests, slicesOf(requests))
    assert.deepStrictEqual(
      curves.map(({ title }) => title),
      ["Latency", "Tokens generated", "Failed requests"]
    )
    assert.deepStrictEqual([curves[0]?.at, curves[0]?.values], [[0], [500]])
    assert.strictEqual(curves[1]?.at.at(-1), 1)
    assert.strictEqual(curves[1]?.values.at(-1), curves[1]?.values.at(-2))
    assert.deepStrictEqual(curvesOf([], []), [])
  })
})
