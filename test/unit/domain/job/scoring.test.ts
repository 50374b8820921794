import { assert, describe, it } from "@effect/vitest"
import type { Benchmark, BenchmarkTest, Metrics } from "../../../../domain/job/job.ts"
import { benchmarkTest, jobTest, resolveMetric } from "../../../../domain/job/scoring.ts"
import { sampleBenchmark, sampleSnapshot } from "../../../support/sample-job.ts"

describe("metric names", () => {
  const table: ReadonlyArray<readonly [name: string, metrics: Metrics, want: string | undefined]> = [
    ["exact name wins over others", { "x/acc": 1, acc: 0.5 }, "acc"],
    ["a group before the name, by slash", { "task/acc": 0.5, f1: 1 }, "task/acc"],
    ["a group before the name, by dot", { "task.acc": 0.5 }, "task.acc"],
    ["a filter after the name", { "acc,none": 0.5, "acc_stderr,none": 0.1 }, "acc,none"],
    ["two candidates are ambiguous", { "a/acc": 1, "b/acc": 0 }, undefined],
    ["a suffix without separator is another metric", { xacc: 1 }, undefined],
    ["a name that only begins alike is another metric", { acc_norm: 1 }, undefined],
    ["nothing reported", {}, undefined]
  ]
  for (const [name, metrics, want] of table) {
    it(name, () => {
      const match = resolveMetric(metrics, "acc")
      assert.strictEqual(match._tag === "Found" ? match.name : undefined, want)
    })
  }
  it("an exact name that is no number does not fall back to another one", () => {
    const match = resolveMetric({ acc: "NaN", "x/acc": 1 }, "acc")
    assert.deepStrictEqual(match, { _tag: "Missing", note: "Primary metric 'acc' has the value 'NaN', which is not a number." })
  })
  it("names of the prototype are not reported names", () => {
    assert.deepStrictEqual(resolveMetric({}, "constructor"), {
      _tag: "Missing",
      note: "Primary metric 'constructor' was not reported. Reported: none."
    })
  })
  it("says which names are ambiguous", () => {
    const match = resolveMetric({ "a/acc": 1, "b/acc": 0, f1: 1 }, "acc")
    assert.strictEqual(match._tag === "Missing" && match.note, "Primary metric 'acc' is ambiguous. Reported: 'a/acc', 'b/acc'.")
  })
})

describe("verdict of a benchmark", () => {
  const verdict = (lowerIsBetter: boolean, threshold: number, acc: number) =>
    benchmarkTest(sampleSnapshot({ primaryScore: { metric: "acc", lowerIsBetter, source: "job" }, threshold: { value: threshold, source: "job" } }), { acc })
      .test?.pass
  it("reaching the threshold passes", () => assert.isTrue(verdict(false, 0.5, 0.5)))
  it("staying below fails", () => assert.isFalse(verdict(false, 0.5, 0.49)))
  it("lower is better: the threshold itself passes", () => assert.isTrue(verdict(true, 0.5, 0.5)))
  it("lower is better: above fails", () => assert.isFalse(verdict(true, 0.5, 0.51)))
  it("works on scales of their own", () => assert.isTrue(verdict(false, 20, 25)))
  it("without a threshold there is a value and no verdict", () => {
    const { test } = benchmarkTest(sampleSnapshot(), { acc: 0.4 })
    assert.deepStrictEqual(test, { primaryScore: 0.4, metric: "acc", lowerIsBetter: false })
  })
  it("names the metric that was really used", () => {
    assert.strictEqual(benchmarkTest(sampleSnapshot(), { "t/acc": 0.4 }).test?.metric, "t/acc")
  })
  it("without a primary metric there is neither, and it is said", () => {
    const { primaryScore: _primary, ...snapshot } = sampleSnapshot()
    const { test, notes } = benchmarkTest(snapshot, { acc: 1 })
    assert.isUndefined(test)
    assert.deepStrictEqual(notes, ["No primary metric is defined for this benchmark, so it has no score."])
  })
})

const scored = (given: Partial<BenchmarkTest> | undefined, weight = 1, index = 0): Benchmark =>
  sampleBenchmark({
    index,
    state: "completed",
    snapshot: sampleSnapshot({ weight }),
    result: { metrics: {}, ...(given === undefined ? {} : { test: { primaryScore: 0, metric: "acc", lowerIsBetter: false, ...given } }) }
  })
const judge = (...benchmarks: ReadonlyArray<Benchmark>) => jobTest({ threshold: 0.5 }, benchmarks)

describe("score of a job", () => {
  it("is the weighted mean", () => {
    const test = judge(scored({ primaryScore: 1 }, 3), scored({ primaryScore: 0 }, 1))
    assert.deepStrictEqual(test, { score: 0.75, threshold: 0.5, pass: true, coverage: 1 })
  })
  it("turns values round where lower is better", () => {
    assert.strictEqual(judge(scored({ primaryScore: 0.25, lowerIsBetter: true }))?.score, 0.75)
  })
  it("leaves out weight 0, also when it has no value", () => {
    const test = judge(scored({ primaryScore: 0.6 }), scored(undefined, 0, 1))
    assert.deepStrictEqual(test, { score: 0.6, threshold: 0.5, pass: true, coverage: 1 })
  })
  it("counts a value outside 0..1 by its verdict", () => {
    const test = judge(scored({ primaryScore: 120, threshold: 100, pass: true }), scored({ primaryScore: -3, threshold: 0, pass: false }, 1, 1))
    assert.strictEqual(test?.score, 0.5)
  })
  it("leaves out a value outside 0..1 without a verdict, and says so", () => {
    const test = judge(scored({ primaryScore: 0.9 }), scored({ primaryScore: 42 }, 1, 1))
    assert.strictEqual(test?.score, 0.9)
    assert.deepStrictEqual(test?.notes, ["Benchmark 1 (p/b) is left out of the score: 42 lies outside 0..1 and there is no threshold to judge it by."])
  })
  it("never passes when a weighted benchmark has no value", () => {
    const failed = sampleBenchmark({ index: 1, state: "failed", snapshot: sampleSnapshot({ weight: 3 }) })
    const test = judge(scored({ primaryScore: 1 }), failed)
    assert.deepStrictEqual(test, {
      score: 1,
      threshold: 0.5,
      pass: false,
      coverage: 0.25,
      notes: ["Benchmark 1 (p/b) is failed without a value."]
    })
  })
  it("ignores what a failed benchmark measured", () => {
    const failed: Benchmark = { ...scored({ primaryScore: 1 }), state: "failed" }
    assert.isUndefined(judge(failed))
  })
  it("is absent while a benchmark is not terminal", () => {
    assert.isUndefined(judge(scored({ primaryScore: 1 }), sampleBenchmark({ index: 1, state: "running" })))
  })
  it("is absent when nothing has a value or a weight", () => {
    assert.isUndefined(judge(scored(undefined)))
    assert.isUndefined(judge(scored({ primaryScore: 1 }, 0)))
    assert.isUndefined(judge())
  })
  it("reaches the threshold exactly", () => assert.isTrue(judge(scored({ primaryScore: 0.5 }))?.pass))
  it("survives weights whose sum is no finite number", () => {
    const test = judge(scored({ primaryScore: 1 }, 1.7e308), scored({ primaryScore: 0 }, 1.7e308, 1))
    assert.deepStrictEqual(test, { score: 0.5, threshold: 0.5, pass: true, coverage: 1 })
  })
  it("names at most twenty benchmarks without a value", () => {
    const lost = Array.from({ length: 30 }, (_, index) => scored(undefined, 1, index + 1))
    const notes = judge(scored({ primaryScore: 1 }), ...lost)?.notes ?? []
    assert.strictEqual(notes.length, 21)
    assert.strictEqual(notes.at(-1), "10 more notes are left out.")
  })
})
