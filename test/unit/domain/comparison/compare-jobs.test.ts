/** Benchmarks of two jobs held against each other: outcomes, refusals, the difference over all. */
import { assert, describe, it } from "vitest"
import { type Asked, compareBenchmark, type Side } from "../../../../domain/comparison/compare-benchmark.ts"
import { concludeJobs, matchBenchmarks } from "../../../../domain/comparison/compare-jobs.ts"
import type { ScoredSample } from "../../../../domain/comparison/pair-samples.ts"
import type { Benchmark, BenchmarkTest } from "../../../../domain/job/job.ts"
import { sampleBenchmark, sampleSnapshot } from "../../../support/sample-job.ts"

const asked: Asked = { alpha: 0.05 }

/** `right`: which of the items are */
const samplesOf = (n: number, right: (at: number) => boolean): ReadonlyArray<ScoredSample> =>
  Array.from({ length: n }, (_, at) => ({
    sampleId: `i${at}`,
    task: "t",
    repeat: 0,
    verdict: right(at) ? "correct" : "incorrect",
    prompt: `p${at}`
  }))

const sideOf = (
  samples: ReadonlyArray<ScoredSample>,
  given: Partial<Benchmark> = {},
  test: Partial<BenchmarkTest> = {}
): Side => {
  const primaryScore = samples.filter(({ verdict }) => verdict === "correct").length / samples.length
  return {
    benchmark: sampleBenchmark({
      state: "completed",
      result: { metrics: { acc: primaryScore }, test: { primaryScore, metric: "acc", lowerIsBetter: false, ...test } },
      ...given
    }),
    samples
  }
}

/** the sides put next to each other by their benchmarks, compared and concluded */
const compareJobs = (baseline: ReadonlyArray<Side>, candidate: ReadonlyArray<Side>, given: Asked) => {
  const sideWith = (sides: ReadonlyArray<Side>, benchmark: Benchmark | undefined) =>
    sides.find((side) => side.benchmark === benchmark)
  const benchmarksOf = (sides: ReadonlyArray<Side>) => sides.map(({ benchmark }) => benchmark)
  return concludeJobs(
    matchBenchmarks(benchmarksOf(baseline), benchmarksOf(candidate)).map((pair) => ({
      weighing: pair.candidate ?? pair.baseline ?? sampleBenchmark(),
      comparison: compareBenchmark(sideWith(baseline, pair.baseline), sideWith(candidate, pair.candidate), given)
    })),
    given
  )
}

const n = 400
const all = samplesOf(n, () => true)
const worse = samplesOf(n, (at) => at >= 40)
const slightly = samplesOf(n, (at) => at >= 4)

describe("outcomes", () => {
  it("forty of 400 items lost is worse, forty gained is better, four lost is not shown", () => {
    assert.strictEqual(compareBenchmark(sideOf(all), sideOf(worse), asked).outcome, "worse")
    assert.strictEqual(compareBenchmark(sideOf(worse), sideOf(all), asked).outcome, "better")
    assert.strictEqual(compareBenchmark(sideOf(all), sideOf(slightly), asked).outcome, "no_difference_shown")
  })
  it("with a tolerance of five points: worse, not worse, inconclusive", () => {
    const tolerant = { ...asked, tolerance: 0.05 }
    assert.strictEqual(compareBenchmark(sideOf(all), sideOf(worse), tolerant).outcome, "worse")
    assert.strictEqual(compareBenchmark(sideOf(all), sideOf(slightly), tolerant).outcome, "not_worse")
    assert.strictEqual(
      compareBenchmark(sideOf(all), sideOf(samplesOf(n, (at) => at >= 20)), tolerant).outcome,
      "inconclusive"
    )
  })
  it("figures: counts, discordance, p, what can be seen and how many items a tolerance needs", () => {
    const { compared } = compareBenchmark(sideOf(all), sideOf(slightly), { ...asked, tolerance: 0.02 })
    assert.deepInclude(compared, { n, down: 4, up: 0, discordance: 0.01, mean: -0.01, pBetter: 1 })
    assert.closeTo(compared?.pWorse ?? 0, 1 / 16, 1e-12)
    // 6.1826 · 0.01 / 0.02², and with half of the tolerance used up four times as many
    assert.deepInclude(compared, { itemsNeeded: 155, itemsNeededAsObserved: 619, exceedsDataset: false })
  })
  it("lower is better: what fell is a gain", () => {
    const rate = (side: Side): Side => ({
      ...side,
      benchmark: sampleBenchmark({
        ...side.benchmark,
        result: {
          metrics: {},
          test: {
            primaryScore: 1 - (side.benchmark.result?.test?.primaryScore ?? 0),
            metric: "err",
            lowerIsBetter: true
          }
        }
      })
    })
    const { outcome, compared } = compareBenchmark(rate(sideOf(all)), rate(sideOf(worse)), asked)
    assert.strictEqual(outcome, "worse")
    assert.closeTo(compared?.mean ?? 0, -0.1, 1e-12)
  })
  it("more than two percent of the items missing leave it open, with the worst case", () => {
    const { outcome, reason, compared } = compareBenchmark(sideOf(all), sideOf(all.slice(20)), asked)
    assert.deepEqual([outcome, reason], ["inconclusive", "incomplete_pairs"])
    assert.deepEqual(compared?.worstCase, { low: -0.05, high: 0 })
  })
})

describe("refusals", () => {
  const cases: ReadonlyArray<readonly [reason: string, one: Side | undefined, other: Side | undefined]> = [
    ["benchmark_missing", sideOf(all), undefined],
    ["not_completed", sideOf(all), sideOf(all, { state: "failed" })],
    [
      "invalid",
      sideOf(all, {
        result: {
          metrics: {},
          validity: { status: "invalid", flags: [] },
          test: { primaryScore: 1, metric: "acc", lowerIsBetter: false }
        }
      }),
      sideOf(all)
    ],
    ["no_primary_score", sideOf(all), sideOf(all, { result: { metrics: {} } })],
    ["metrics_differ", sideOf(all), sideOf(all, {}, { metric: "f1" })],
    [
      "scales_differ",
      sideOf(all),
      sideOf(all, {
        snapshot: sampleSnapshot({
          primaryScore: { metric: "acc", lowerIsBetter: false, scale: "percent", source: "job" }
        })
      })
    ],
    ["samples_missing", sideOf(all), { ...sideOf(all), samples: [] }],
    [
      "profiles_differ",
      { ...sideOf(all), times: {} },
      { ...sideOf(all, { entry: { id: "b", providerId: "p", parameters: { rate: 4 } } }), times: {} }
    ]
  ]
  for (const [reason, one, other] of cases)
    it(reason, () => {
      const found = compareBenchmark(one, other, asked)
      assert.deepEqual([found.outcome, found.reason], ["not_comparable", reason as typeof found.reason])
      assert.isNotEmpty(found.message)
    })
})

describe("times of requests", () => {
  const timed = (factor: number): Side => ({
    ...sideOf(all),
    times: { latency_ms: Array.from({ length: 400 }, (_, at) => (100 + at) * factor) }
  })
  it("twice as slow is worse in every percentile that has enough requests", () => {
    const { outcome, times } = compareBenchmark(timed(1), timed(2), asked)
    assert.strictEqual(outcome, "worse")
    assert.deepEqual(
      times?.map((one) => [one.metric, one.outcome]),
      [
        ["p50_latency_ms", "worse"],
        ["p90_latency_ms", "worse"],
        ["p95_latency_ms", "worse"],
        ["p99_latency_ms", "inconclusive"]
      ]
    )
  })
  it("the same times show no difference", () =>
    assert.strictEqual(compareBenchmark(timed(1), timed(1), asked).outcome, "no_difference_shown"))
})

describe("over all benchmarks", () => {
  const named = (id: string, weight: number) => ({
    entry: { id, providerId: "p" },
    snapshot: sampleSnapshot({ weight })
  })
  it("weighted as the candidate says, and p corrected for their number", () => {
    const { overall, benchmarks } = compareJobs(
      [sideOf(all, named("a", 1)), sideOf(all, named("b", 1))],
      [sideOf(worse, named("a", 3)), sideOf(slightly, named("b", 1))],
      asked
    )
    assert.closeTo(overall?.mean ?? 0, (3 * -0.1 - 0.01) / 4, 1e-12)
    assert.strictEqual(overall?.outcome, "worse")
    assert.closeTo(benchmarks[1]?.pHolm ?? 0, 1 / 16, 1e-12)
  })
  it("absent when one of them cannot be compared, or two share their items", () => {
    assert.isDefined(compareJobs([sideOf(all, named("a", 1))], [sideOf(all, named("b", 1))], asked).overallMissing)
    const twice = compareJobs([sideOf(all), sideOf(all)], [sideOf(all), sideOf(worse)], asked)
    assert.match(twice.overallMissing ?? "", /share their items/)
    assert.deepEqual(
      twice.benchmarks.map(({ outcome }) => outcome),
      ["no_difference_shown", "worse"]
    )
  })
})
