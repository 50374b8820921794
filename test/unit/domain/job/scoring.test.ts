import { assert, describe, it } from "@effect/vitest"
import type { Benchmark, BenchmarkTest, JobTest, MetricDescription, Metrics } from "../../../../domain/job/job.ts"
import { jobTest } from "../../../../domain/job/job-score.ts"
import { benchmarkTest, resolveMetric } from "../../../../domain/job/scoring.ts"
import type { Scale } from "../../../../domain/score/scale.ts"
import { shareLimits, type ValueSums } from "../../../../values/mean-limits.ts"
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
    assert.deepStrictEqual(match, {
      _tag: "Missing",
      note: "Primary metric 'acc' has the value 'NaN', which is not a number."
    })
  })
  it("names of the prototype are not reported names", () => {
    assert.deepStrictEqual(resolveMetric({}, "constructor"), {
      _tag: "Missing",
      note: "Primary metric 'constructor' was not reported. Reported: none."
    })
  })
  it("says which names are ambiguous", () => {
    const match = resolveMetric({ "a/acc": 1, "b/acc": 0, f1: 1 }, "acc")
    assert.strictEqual(
      match._tag === "Missing" && match.note,
      "Primary metric 'acc' is ambiguous. Reported: 'a/acc', 'b/acc'."
    )
  })
})

describe("verdict of a benchmark", () => {
  const verdict = (lowerIsBetter: boolean, threshold: number, acc: number) =>
    benchmarkTest(
      sampleSnapshot({
        primaryScore: { metric: "acc", lowerIsBetter, source: "job" },
        threshold: { value: threshold, source: "job" }
      }),
      { acc }
    ).test?.pass
  it("reaching the threshold passes", () => assert.isTrue(verdict(false, 0.5, 0.5)))
  it("staying below fails", () => assert.isFalse(verdict(false, 0.5, 0.49)))
  it("lower is better: the threshold itself passes", () => assert.isTrue(verdict(true, 0.5, 0.5)))
  it("lower is better: above fails", () => assert.isFalse(verdict(true, 0.5, 0.51)))
  it("a threshold outside 0..1 means an unbounded scale", () => assert.isTrue(verdict(false, 20, 25)))
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

const scored = (given: Partial<BenchmarkTest> | undefined, weight = 1, index = 0, scale: Scale = "unit"): Benchmark =>
  sampleBenchmark({
    index,
    entry: { id: `b${index}`, providerId: "p" },
    state: "completed",
    snapshot: sampleSnapshot({
      weight,
      primaryScore: { metric: "acc", lowerIsBetter: given?.lowerIsBetter ?? false, source: "provider", scale }
    }),
    result: {
      metrics: {},
      ...(given === undefined ? {} : { test: { primaryScore: 0, metric: "acc", lowerIsBetter: false, ...given } })
    }
  })
const judge = (...benchmarks: ReadonlyArray<Benchmark>) => jobTest({ threshold: 0.5 }, benchmarks)
const without = (test: JobTest | undefined) => {
  const { decided: _decided, bounds: _bounds, ...rest } = test ?? {}
  return rest
}

describe("score of a job", () => {
  it("is the weighted mean", () => {
    const test = judge(scored({ primaryScore: 1 }, 3), scored({ primaryScore: 0 }, 1, 1))
    assert.deepStrictEqual(without(test), { score: 0.75, threshold: 0.5, pass: true, coverage: 1 })
  })
  it("turns values round where lower is better", () => {
    assert.strictEqual(judge(scored({ primaryScore: 0.25, lowerIsBetter: true }))?.score, 0.75)
  })
  it("counts the place on the declared scale, never a number by its size", () => {
    const table: ReadonlyArray<readonly [scale: Scale, value: number, lowerIsBetter: boolean, score: number]> = [
      ["percent", 40, false, 0.4],
      ["percent", 0.5, false, 0.005],
      ["percent", 40, true, 0.6],
      [{ min: 1, max: 5 }, 4, false, 0.75],
      [{ min: 1, max: 10 }, 1, true, 1],
      [{ min: -1, max: 1 }, 0, false, 0.5],
      ["unit", 1 + 1e-12, false, 1],
      ["unit", -1e-12, false, 0]
    ]
    for (const [scale, primaryScore, lowerIsBetter, score] of table)
      assert.closeTo(
        judge(scored({ primaryScore, lowerIsBetter }, 1, 0, scale))?.score ?? Number.NaN,
        score,
        1e-12,
        JSON.stringify([scale, primaryScore])
      )
  })
  it("leaves out weight 0, also when it has no value", () => {
    const test = judge(scored({ primaryScore: 0.6 }), scored(undefined, 0, 1))
    assert.deepStrictEqual(without(test), { score: 0.6, threshold: 0.5, pass: true, coverage: 1 })
  })
  it("counts a value on an unbounded scale by its verdict", () => {
    const test = judge(
      scored({ primaryScore: 120, threshold: 100, pass: true }, 1, 0, "unbounded"),
      scored({ primaryScore: 0.7, threshold: 0.9, pass: false }, 1, 1, "unbounded")
    )
    assert.strictEqual(test?.score, 0.5)
  })
  it("the worse model does not win where lower is better (0.70 bits per byte scored 0.30, 3.64 scored 1.00)", () => {
    const scoreOf = (bits: number) =>
      judge(scored({ primaryScore: bits, lowerIsBetter: true, threshold: 4, pass: bits <= 4 }, 1, 0, "unbounded"))
        ?.score ?? Number.NaN
    assert.isAtLeast(scoreOf(0.7), scoreOf(3.64))
    assert.isBelow(scoreOf(4.2), scoreOf(3.64))
  })
  it("leaves out an unbounded value without a verdict, and says so; what is left out is not covered (coverage was 1, and it passed)", () => {
    const test = judge(scored({ primaryScore: 0.9 }), scored({ primaryScore: 42 }, 5, 1, "unbounded"))
    assert.deepStrictEqual(test, {
      score: 0.9,
      threshold: 0.5,
      pass: false,
      coverage: 1 / 6,
      decided: "inconclusive",
      notes: [
        "Benchmark 1 (p/b1) is left out of the score: 42 is on no bounded scale and there is no threshold to judge it by."
      ]
    })
  })
  it("leaves out a value outside its scale (40 percent reported on a unit scale was 1.00 PASS)", () => {
    const test = judge(scored({ primaryScore: 0.9 }), scored({ primaryScore: 40, threshold: 0.5 }, 1, 1))
    assert.deepInclude(test, { score: 0.9, pass: false, coverage: 0.5, decided: "inconclusive" })
    assert.deepStrictEqual(test?.notes, ["Benchmark 1 (p/b1) is left out of the score: 40 lies outside 0..1."])
  })
  it("leaves out an invalid result", () => {
    const invalid = scored({ primaryScore: 1, threshold: 0.5, pass: true, decided: "pass" }, 1, 1)
    const test = judge(scored({ primaryScore: 0.9 }), {
      ...invalid,
      result: { metrics: {}, ...invalid.result, validity: { status: "invalid", flags: [] } }
    })
    assert.deepInclude(test, { score: 0.9, pass: false, coverage: 0.5, decided: "inconclusive" })
    assert.deepStrictEqual(test?.notes, ["Benchmark 1 (p/b1) is left out of the score: its result is invalid."])
  })
  it("never passes when a weighted benchmark has no value", () => {
    const failed = sampleBenchmark({ index: 1, state: "failed", snapshot: sampleSnapshot({ weight: 3 }) })
    const test = judge(scored({ primaryScore: 1 }), failed)
    assert.deepStrictEqual(without(test), {
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
    assert.deepStrictEqual(without(test), { score: 0.5, threshold: 0.5, pass: true, coverage: 1 })
  })
  it("names at most twenty benchmarks without a value", () => {
    const lost = Array.from({ length: 30 }, (_, index) => scored(undefined, 1, index + 1))
    const notes = judge(scored({ primaryScore: 1 }), ...lost)?.notes ?? []
    assert.strictEqual(notes.length, 21)
    assert.strictEqual(notes.at(-1), "10 more notes are left out.")
  })
})

describe("what the items show", () => {
  const snapshot = (threshold: number, scale: Scale = "unit", lowerIsBetter = false) =>
    sampleSnapshot({
      primaryScore: { metric: "acc", lowerIsBetter, source: "job", scale },
      threshold: { value: threshold, source: "job" }
    })
  const described = (members: Partial<MetricDescription>) => ({ schema: [{ name: "acc", ...members }] })

  it("stated counts give exact bounds: 17 of 20 is above 0.6 for sure, and may be 0.7", () => {
    const of = (threshold: number) =>
      benchmarkTest(snapshot(threshold), { acc: 0.85 }, described({ n: 20, successes: 17 })).test
    const test = of(0.6)
    assert.deepInclude(test, { pass: true, decided: "pass" })
    assert.closeTo(test?.bounds?.low ?? 0, 0.6563, 5e-5)
    assert.closeTo(test?.bounds?.high ?? 0, 0.9578, 5e-5)
    assert.deepInclude(test?.bounds, { level: 0.95, sides: 1 })
    assert.closeTo(test?.interval?.low ?? 0, 0.6211, 5e-5)
    assert.closeTo(test?.interval?.high ?? 0, 0.9679, 5e-5)
    assert.deepInclude(test?.interval, { level: 0.95, sides: 2, method: "clopper_pearson", n: 20, source: "counts" })
    assert.deepInclude(of(0.7), { pass: true, decided: "inconclusive" })
    assert.deepInclude(of(0.9), { pass: false, decided: "inconclusive" })
    assert.deepInclude(of(0.96), { pass: false, decided: "fail" })
  })
  it("is mirrored where lower is better", () => {
    const of = (threshold: number) =>
      benchmarkTest(snapshot(threshold, "unit", true), { acc: 0.15 }, described({ n: 20, successes: 3 })).test?.decided
    assert.deepStrictEqual([0.4, 0.3, 0.1, 0.03].map(of), ["pass", "inconclusive", "inconclusive", "fail"])
  })
  it("stands on the metric's own scale", () => {
    const test = benchmarkTest(snapshot(60, "percent"), { acc: 85 }, described({ n: 20, successes: 17 })).test
    assert.closeTo(test?.bounds?.low ?? 0, 65.63, 5e-3)
    assert.strictEqual(test?.decided, "pass")
  })
  it("counts that are not those of the value are not believed", () => {
    for (const members of [
      { n: 20, successes: 16 },
      { n: 20, successes: 21 },
      { n: 0, successes: 0 },
      { successes: 17 },
      { n: 20.5, successes: 17 }
    ])
      assert.deepStrictEqual(benchmarkTest(snapshot(0.1), { acc: 0.85 }, described(members)).test, {
        primaryScore: 0.85,
        metric: "acc",
        lowerIsBetter: false,
        threshold: 0.1,
        pass: true,
        decided: "inconclusive"
      })
  })
  it("a standard error that only yes or no can have tells the counts, also without a spread (29 of 30 by a normal bound was wrong in 14 of 100 runs)", () => {
    const p = 29 / 30
    const found = benchmarkTest(
      snapshot(0.9),
      { acc: p, acc_stderr: Math.sqrt((p * (1 - p)) / 29) },
      described({ n: 30 })
    ).test
    assert.deepInclude(found?.interval, { method: "clopper_pearson", source: "stderr" })
    assert.strictEqual(found?.decided, "inconclusive")
    const all = benchmarkTest(snapshot(0.9), { acc: 1, acc_stderr: 0 }, described({ n: 100 })).test
    assert.closeTo(all?.bounds?.low ?? 0, 0.05 ** 0.01, 1e-9)
    const filtered = sampleSnapshot({
      primaryScore: { metric: "acc", lowerIsBetter: false, source: "job" },
      threshold: { value: 0.9, source: "job" }
    })
    const named = benchmarkTest(
      filtered,
      { "acc,none": 1, "acc_stderr,none": 0 },
      { schema: [{ name: "acc,none", n: 100 }] }
    ).test
    assert.strictEqual(named?.decided, "pass")
  })
  it("another standard error needs thirty items, unless the adapter says how many independent ones it rests on", () => {
    const of = (members: Partial<MetricDescription>) =>
      benchmarkTest(snapshot(0.5), { acc: 0.8 }, described(members)).test
    assert.strictEqual(of({ n: 29, stderr: 0.02 })?.decided, "inconclusive")
    assert.deepInclude(of({ n: 30, stderr: 0.02 })?.interval, { method: "t", source: "stderr" })
    assert.strictEqual(of({ n: 30, stderr: 0.02 })?.decided, "pass")
    assert.strictEqual(of({ n: 30, stderr: 0 })?.decided, "inconclusive")
    assert.deepInclude(of({ n: 12, stderr: 0.02, clusters: 12 })?.interval, { method: "t", source: "counts", n: 12 })
    assert.isBelow(
      of({ n: 60, stderr: 0.05, clusters: 20 })?.bounds?.low ?? 1,
      of({ n: 60, stderr: 0.05, clusters: 60 })?.bounds?.low ?? 0
    )
    assert.isUndefined(of({ n: 60, stderr: 0.05, clusters: 4 })?.bounds)
  })
  it("unbounded values have Student's bounds", () => {
    const test = benchmarkTest(snapshot(10, "unbounded"), { acc: 12, acc_stderr: 1 }, described({ n: 30 })).test
    assert.closeTo(test?.bounds?.low ?? 0, 12 - 1.699127, 1e-5)
    assert.strictEqual(test?.decided, "pass")
  })
  it("stored samples come first, when their mean is the reported value", () => {
    const samples = { n: 1000, sum: 850, sumOfSquares: 850 }
    const intervalWith = (stored: Partial<ValueSums>) =>
      benchmarkTest(
        snapshot(0.8),
        { acc: 0.85 },
        { ...described({ n: 20, successes: 17 }), samples: { ...samples, ...stored } }
      ).test?.interval
    assert.deepInclude(intervalWith({}), { n: 1000, source: "samples", method: "clopper_pearson" })
    // scores between the ends; clusters of ten that are all right or all wrong
    assert.deepInclude(intervalWith({ sumOfSquares: 800 }), { n: 1000, source: "samples", method: "t" })
    const groups = Array.from({ length: 100 }, (_, index) => ({ n: 10, sum: index < 85 ? 10 : 0 }))
    const [apart, together] = [intervalWith({}), intervalWith({ groups })]
    assert.isAbove((together?.high ?? 0) - (together?.low ?? 0), 2.5 * ((apart?.high ?? 0) - (apart?.low ?? 0)))
    assert.deepInclude(intervalWith({ sum: 850.001 }), { n: 20, source: "counts" })
  })
  it("nothing known about items is inconclusive; without a threshold there is an interval and no verdict", () => {
    assert.deepInclude(benchmarkTest(snapshot(0.5), { acc: 0.99 }).test, { pass: true, decided: "inconclusive" })
    const { test } = benchmarkTest(sampleSnapshot(), { acc: 0.85 }, described({ n: 20, successes: 17 }))
    assert.isDefined(test?.bounds)
    assert.notProperty(test, "decided")
    assert.notProperty(test, "pass")
  })
  it("an invalid result never passes: its value and bounds stay, there is no pass, and nothing is decided", () => {
    const { test } = benchmarkTest(
      snapshot(0.1),
      { acc: 0.85 },
      { ...described({ n: 20, successes: 17 }), validity: { status: "invalid", flags: [] } }
    )
    assert.notProperty(test, "pass")
    assert.deepInclude(test, { primaryScore: 0.85, decided: "inconclusive" })
    assert.isDefined(test?.bounds)
    const suspect = benchmarkTest(
      snapshot(0.1),
      { acc: 0.85 },
      { ...described({ n: 20, successes: 17 }), validity: { status: "suspect", flags: [] } }
    )
    assert.deepInclude(suspect.test, { pass: true, decided: "pass" })
  })
})

describe("an interval that is reported", () => {
  const speed = {
    primaryScore: { metric: "tps", lowerIsBetter: false, source: "provider" as const, scale: "unbounded" as const },
    threshold: { value: 10, source: "provider" as const }
  }
  const decidedBy = (facts: object, value = 12) => {
    const { test, notes } = benchmarkTest(speed, { tps: value }, { schema: [{ name: "tps", n: 12, ...facts }] })
    return { decided: test?.decided, bounds: test?.bounds, notes }
  }
  it("of a value that is no mean of items decides by its ends, whatever its scale (performance stayed inconclusive)", () => {
    const measured = { ci: [11, 13] as const, ciLevel: 0.95, ciMethod: "batch_means" }
    assert.deepStrictEqual(decidedBy(measured), {
      decided: "pass",
      bounds: { low: 11, high: 13, level: 0.975, sides: 1 },
      notes: []
    })
    assert.strictEqual(decidedBy({ ...measured, ci: [8, 9.5] }, 9).decided, "fail")
    assert.strictEqual(decidedBy({ ...measured, ci: [9, 15] }).decided, "inconclusive")
    const { test } = benchmarkTest(speed, { tps: 12 }, { schema: [{ name: "tps", n: 12, ...measured }] })
    assert.deepInclude(test?.interval, {
      low: 11,
      high: 13,
      level: 0.95,
      method: "batch_means",
      n: 12,
      source: "interval"
    })
  })
  it("does not where it says too little, and then the result says that nothing bounds it", () => {
    const good = { ci: [11, 13] as const, ciLevel: 0.95, ciMethod: "batch_means" }
    for (const facts of [
      {},
      { ...good, ciMethod: "bootstrap" },
      { ...good, ciLevel: 0.8 },
      { ...good, ciLevel: undefined },
      { ...good, ci: [12.5, 13] },
      { ...good, ci: [13, 11] },
      { ...good, n: 0 }
    ]) {
      const { decided, bounds, notes } = decidedBy(facts)
      assert.deepStrictEqual([decided, bounds], ["inconclusive", undefined], JSON.stringify(facts))
      assert.match(String(notes[0]), /^no_bounds: nothing tells how far 'tps' may lie/)
    }
    assert.strictEqual(decidedBy({ ...good, n: 30, ciMethod: "bootstrap" }).decided, "pass")
  })
})

describe("values outside their scale", () => {
  const snapshot = sampleSnapshot({
    primaryScore: { metric: "acc", lowerIsBetter: false, source: "job" },
    threshold: { value: 0.5, source: "job" }
  })
  it("40 on a unit scale has no verdict and a note that says how to mend it", () => {
    const { test, notes } = benchmarkTest(snapshot, { acc: 40 }, { schema: [{ name: "acc", n: 100, stderr: 5 }] })
    assert.deepStrictEqual(test, {
      primaryScore: 40,
      metric: "acc",
      lowerIsBetter: false,
      threshold: 0.5,
      decided: "inconclusive"
    })
    assert.deepStrictEqual(notes, [
      "value_outside_scale: 'acc' is 40, outside its scale 0..1: no verdict, and it does not count in the score. Where it has another scale, primary_score.scale says so."
    ])
  })
  it("rates lie between 0 and 1 for every adapter: others of them are noted, metrics that are no rates are not", () => {
    const { notes } = benchmarkTest(snapshot, {
      acc: 0.4,
      "t/exact_match,none": 71,
      error_rate: -0.1,
      bleu: 27,
      requests_per_second: 12,
      request_rate: 5,
      f1: 1
    })
    assert.deepStrictEqual(notes, [
      "value_outside_scale: rates lie between 0 and 1, reported were 't/exact_match,none 71', 'error_rate -0.1'."
    ])
    const percent = {
      ...snapshot,
      primaryScore: { metric: "acc", lowerIsBetter: false, source: "job" as const, scale: "percent" as const }
    }
    assert.deepStrictEqual(benchmarkTest(percent, { acc: 40 }).notes, [])
  })
})

describe("bounds of a job's score", () => {
  const exact = (index: number, place: number, low: number, high: number, weight = 1) =>
    scored({ primaryScore: place, bounds: { low, high, level: 0.95, sides: 1 } }, weight, index)
  it("add the distances like standard errors, by weight", () => {
    const test = judge(exact(0, 0.9, 0.7, 0.95, 3), exact(1, 0.6, 0.4, 0.8))
    // score 0.825; below √((0.75·0.2)² + (0.25·0.2)²), above √((0.75·0.05)² + (0.25·0.2)²)
    assert.closeTo(test?.bounds?.low ?? 0, 0.825 - Math.sqrt(0.025), 1e-12)
    assert.closeTo(test?.bounds?.high ?? 0, 0.825 + 0.0625, 1e-12)
    assert.strictEqual(test?.decided, "pass")
    assert.strictEqual(
      jobTest({ threshold: 0.7 }, [exact(0, 0.9, 0.7, 0.95, 3), exact(1, 0.6, 0.4, 0.8)])?.decided,
      "inconclusive"
    )
    assert.strictEqual(
      jobTest({ threshold: 0.9 }, [exact(0, 0.9, 0.7, 0.95, 3), exact(1, 0.6, 0.4, 0.8)])?.decided,
      "fail"
    )
  })
  it("are at least those of as many items as vary like the score, where single benchmarks have hardly an error", () => {
    // seven times twenty items, one error in five of them: 5 of 140 wrong; the distances alone would give 0.9643 + √5 · 0.0068 = 0.979
    const parts = Array.from({ length: 7 }, (_, index) => {
      const successes = index < 5 ? 19 : 20
      const { test } = benchmarkTest(
        sampleSnapshot(),
        { acc: successes / 20 },
        { schema: [{ name: "acc", n: 20, successes }] }
      )
      return sampleBenchmark({
        index,
        entry: { id: `b${index}`, providerId: "p" },
        state: "completed",
        result: { metrics: {}, ...(test === undefined ? {} : { test }) }
      })
    })
    const test = judge(...parts)
    // variance 5 · 0.05 · 0.95 / 20 / 49, so n alike 0.0344388 / 0.000242347 = 142.106
    assert.closeTo(test?.bounds?.high ?? 0, shareLimits((135 / 140) * 142.105263, 142.105263, 0.05).high, 1e-9)
    assert.closeTo(test?.bounds?.high ?? 0, 0.986, 5e-4)
  })
  it("turn with the direction", () => {
    const test = judge(
      scored({ primaryScore: 0.1, lowerIsBetter: true, bounds: { low: 0.05, high: 0.3, level: 0.95, sides: 1 } })
    )
    assert.closeTo(test?.bounds?.low ?? 0, 0.7, 1e-12)
    assert.closeTo(test?.bounds?.high ?? 0, 0.95, 1e-12)
  })
  it("a verdict that stands for a value is certain once it is decided, and anything while it is not", () => {
    const fast = (decided: "pass" | "inconclusive") =>
      scored({ primaryScore: 30, threshold: 20, pass: true, decided }, 1, 1, "unbounded")
    assert.deepInclude(judge(exact(0, 0.8, 0.6, 0.9), fast("pass")), { score: 0.9, decided: "pass" })
    assert.closeTo(judge(exact(0, 0.8, 0.6, 0.9), fast("pass"))?.bounds?.low ?? 0, 0.8, 1e-12)
    assert.closeTo(
      judge(exact(0, 0.8, 0.6, 0.9), fast("inconclusive"))?.bounds?.low ?? 0,
      0.9 - Math.hypot(0.1, 0.5),
      1e-12
    )
  })
  it("are none when a benchmark has none, is not counted, or runs over the items of another one", () => {
    const bare = scored({ primaryScore: 0.9 }, 1, 1)
    const same = { ...exact(1, 0.9, 0.8, 1), entry: { id: "b0", providerId: "p" } }
    const other = { ...same, entry: { ...same.entry, testData: { s3: { bucket: "b", key: "k", secretRef: "s" } } } }
    assert.isUndefined(judge(exact(0, 0.9, 0.8, 1), bare)?.bounds)
    assert.deepInclude(judge(exact(0, 0.9, 0.8, 1), bare), { pass: true, decided: "inconclusive" })
    assert.isUndefined(judge(exact(0, 0.9, 0.8, 1), scored(undefined, 1, 1))?.bounds)
    assert.isUndefined(judge(exact(0, 0.9, 0.8, 1), same)?.bounds)
    assert.isDefined(judge(exact(0, 0.9, 0.8, 1), other)?.bounds)
    assert.isDefined(judge(exact(0, 0.9, 0.8, 1), { ...same, snapshot: sampleSnapshot({ weight: 0 }) })?.bounds)
  })
})
