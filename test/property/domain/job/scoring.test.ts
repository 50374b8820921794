import { assert, describe, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import type { Benchmark, Metrics } from "../../../../domain/job/job.ts"
import { jobTest } from "../../../../domain/job/job-score.ts"
import { benchmarkTest, resolveMetric } from "../../../../domain/job/scoring.ts"
import { inferredScale, isOutside, rangeOf, type Scale } from "../../../../domain/score/scale.ts"
import type { Validity } from "../../../../domain/score/validity.ts"
import { sampleBenchmark, sampleSnapshot } from "../../../support/sample-job.ts"

const anyNumber = fc.double({ noNaN: true, noDefaultInfinity: true })
const anyWeight = fc.oneof(fc.constantFrom(0, 1, 5e-324, 1.7e308), fc.double({ min: 0, max: 1e6, noNaN: true }))
const anyShare = fc.double({ min: 0, max: 1, noNaN: true })

interface Given {
  readonly state: "completed" | "failed" | "cancelled"
  readonly weight: number
  readonly value: number | undefined
  readonly lowerIsBetter: boolean
  readonly threshold: number | undefined
}
const anyGiven: fc.Arbitrary<Given> = fc.record({
  state: fc.constantFrom("completed", "completed", "completed", "failed", "cancelled"),
  weight: anyWeight,
  value: fc.option(fc.oneof(anyNumber, anyShare), { nil: undefined }),
  lowerIsBetter: fc.boolean(),
  threshold: fc.option(anyNumber, { nil: undefined })
})

const benchmarkOf = ({ state, weight, value, lowerIsBetter, threshold }: Given, index: number): Benchmark => {
  const snapshot = sampleSnapshot({
    weight,
    primaryScore: { metric: "acc", lowerIsBetter, source: "job" },
    ...(threshold === undefined ? {} : { threshold: { value: threshold, source: "job" } })
  })
  const metrics: Metrics = value === undefined ? {} : { acc: value }
  const { test } = benchmarkTest(snapshot, metrics)
  return sampleBenchmark({ index, state, snapshot, result: { metrics, ...(test === undefined ? {} : { test }) } })
}

describe("the score of a job", () => {
  it("lies in 0..1, as does its coverage, and passes only when everything has a value", () => {
    fc.assert(
      fc.property(fc.array(anyGiven, { maxLength: 12 }), anyShare, (given, threshold) => {
        const test = jobTest({ threshold }, given.map(benchmarkOf))
        if (test === undefined) return
        assert.isAtLeast(test.score, 0)
        assert.isAtMost(test.score, 1)
        assert.isAtLeast(test.coverage, 0)
        assert.isAtMost(test.coverage, 1)
        const weighted = given.filter(({ weight }) => weight > 0)
        if (test.pass) {
          assert.isAtLeast(test.score, threshold)
          assert.strictEqual(test.coverage, 1)
          assert.isTrue(weighted.every(({ state, value }) => state === "completed" && value !== undefined))
        }
        // what the items show never contradicts the score itself
        if (test.decided === "pass") assert.isTrue(test.pass)
        if (test.decided === "fail") assert.isFalse(test.pass)
      }),
      { numRuns: 500 }
    )
  })
  it("does not depend on benchmarks of weight 0", () => {
    fc.assert(
      fc.property(fc.array(anyGiven, { maxLength: 6 }), anyGiven, (given, extra) => {
        const benchmarks = given.map(benchmarkOf)
        const { notes: _a, ...without } = jobTest({ threshold: 0.5 }, benchmarks) ?? { score: undefined }
        const { notes: _b, ...beside } = jobTest({ threshold: 0.5 }, [
          ...benchmarks,
          benchmarkOf({ ...extra, weight: 0 }, 9)
        ]) ?? { score: undefined }
        assert.deepStrictEqual(beside, without)
      })
    )
  })
})

const anyScale: fc.Arbitrary<Scale> = fc.oneof(
  fc.constantFrom<Scale>("unit", "percent", "unbounded", { min: 1, max: 5 }, { min: -1, max: 1 }),
  fc
    .tuple(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: 1, max: 1000 }))
    .map(([min, width]) => ({ min, max: min + width }))
)

/** a benchmark as somebody defined it, and how one model did: `place` from worst (0) to best (1) */
interface Defined {
  readonly scale: Scale | undefined
  readonly lowerIsBetter: boolean
  readonly threshold: number | undefined
  readonly weight: number
  readonly n: number | undefined
}
const anyDefined: fc.Arbitrary<Defined> = fc.record({
  scale: fc.option(anyScale, { nil: undefined }),
  lowerIsBetter: fc.boolean(),
  threshold: fc.option(fc.oneof(anyShare, fc.double({ min: -100, max: 200, noNaN: true })), { nil: undefined }),
  weight: fc.oneof(fc.constantFrom(0, 1, 1), fc.double({ min: 0, max: 100, noNaN: true })),
  n: fc.option(fc.integer({ min: 1, max: 300 }), { nil: undefined })
})

/** the value that is worth `place` in this definition: on an unbounded scale anywhere around the threshold */
const valueAt = ({ scale, lowerIsBetter, threshold }: Defined, place: number): number => {
  const range = rangeOf(scale ?? inferredScale(threshold)) ?? { min: (threshold ?? 0) - 50, max: (threshold ?? 0) + 50 }
  return lowerIsBetter ? range.max - place * (range.max - range.min) : range.min + place * (range.max - range.min)
}

const measured = (defined: Defined, value: number, index: number, validity?: Validity): Benchmark => {
  const { scale, lowerIsBetter, threshold, weight, n } = defined
  const snapshot = sampleSnapshot({
    weight,
    primaryScore: { metric: "acc", lowerIsBetter, source: "job", ...(scale === undefined ? {} : { scale }) },
    ...(threshold === undefined ? {} : { threshold: { value: threshold, source: "job" } })
  })
  const known = n === undefined ? {} : { schema: [{ name: "acc", n, stderr: 0.1, clusters: n }] }
  const { test } = benchmarkTest(
    snapshot,
    { acc: value },
    { ...known, ...(validity === undefined ? {} : { validity }) }
  )
  return sampleBenchmark({
    index,
    entry: { id: `b${index}`, providerId: "p" },
    state: "completed",
    snapshot,
    result: {
      metrics: { acc: value },
      ...(test === undefined ? {} : { test }),
      ...(validity === undefined ? {} : { validity })
    }
  })
}

const anyModels = fc.array(fc.tuple(anyDefined, anyShare, anyShare), { minLength: 1, maxLength: 6 })

describe("the laws of the score", () => {
  it("a better value of one benchmark never lowers the score nor turns pass to false", () => {
    fc.assert(
      fc.property(anyModels, fc.nat(5), anyShare, (given, which, threshold) => {
        const at = which % given.length
        const jobWith = (pick: (low: number, high: number) => number) =>
          jobTest(
            { threshold },
            given.map(([defined, a, b], index) =>
              measured(defined, valueAt(defined, index === at ? pick(Math.min(a, b), Math.max(a, b)) : a), index)
            )
          )
        const [worse, better] = [jobWith((low) => low), jobWith((_low, high) => high)]
        if (worse === undefined || better === undefined || worse.coverage !== better.coverage) return
        // exactly: rounding never turns an order round
        assert.isAtMost(worse.score, better.score)
        if (worse.pass) assert.isTrue(better.pass)
      }),
      { numRuns: 250 }
    )
  })
  it("no definition makes a worse model pass: where it passes, one that is as good or better everywhere passes too", () => {
    fc.assert(
      fc.property(anyModels, anyShare, (given, threshold) => {
        const jobOf = (pick: (low: number, high: number) => number) =>
          jobTest(
            { threshold },
            given.map(([defined, a, b], index) =>
              measured(defined, valueAt(defined, pick(Math.min(a, b), Math.max(a, b))), index)
            )
          )
        const [worse, better] = [jobOf(Math.min), jobOf(Math.max)]
        if (worse?.pass === true) assert.isTrue(better?.pass)
      }),
      { numRuns: 250 }
    )
  })
  it("a benchmark passes with every better value where it passes", () => {
    fc.assert(
      fc.property(anyDefined, anyShare, anyShare, (defined, a, b) => {
        const testOf = (place: number) => measured(defined, valueAt(defined, place), 0).result?.test
        const [worse, better] = [testOf(Math.min(a, b)), testOf(Math.max(a, b))]
        if (worse?.pass === true) assert.isTrue(better?.pass)
        for (const test of [worse, better]) {
          if (test?.decided === "pass") assert.isTrue(test.pass)
          if (test?.decided === "fail") assert.isFalse(test.pass)
        }
      }),
      { numRuns: 250 }
    )
  })
  it("becoming invalid never turns pass to true nor decided to pass, of the benchmark or of the job", () => {
    fc.assert(
      fc.property(anyModels, fc.nat(5), anyShare, (given, which, threshold) => {
        const at = which % given.length
        const benchmarks = (validity?: Validity) =>
          given.map(([defined, place], index) =>
            measured(defined, valueAt(defined, place), index, index === at ? validity : undefined)
          )
        const after = benchmarks({ status: "invalid", flags: [] })
        assert.notProperty(after[at]?.result?.test, "pass")
        assert.notStrictEqual(after[at]?.result?.test?.decided, "pass")
        const [valid, invalid] = [jobTest({ threshold }, benchmarks()), jobTest({ threshold }, after)]
        if (invalid?.pass === true) assert.isTrue(valid?.pass)
        if (invalid?.decided === "pass") assert.strictEqual(valid?.decided, "pass")
        if (invalid !== undefined && (given[at]?.[0].weight ?? 0) > 0)
          assert.deepInclude(invalid, { pass: false, decided: "inconclusive" })
      }),
      { numRuns: 250 }
    )
  })
  it("no number decides its own scale: a value outside the declared one counts nowhere and passes nothing", () => {
    fc.assert(
      fc.property(anyDefined, fc.double({ min: -1e6, max: 1e6, noNaN: true }), (defined, value) => {
        const range = rangeOf(defined.scale ?? inferredScale(defined.threshold))
        const benchmark = measured({ ...defined, weight: 1 }, value, 0)
        const outside =
          range !== undefined &&
          (value < range.min - 1e-6 * (range.max - range.min) || value > range.max + 1e-6 * (range.max - range.min))
        if (!outside) return
        assert.notProperty(benchmark.result?.test, "pass")
        assert.isUndefined(jobTest({ threshold: 0 }, [benchmark]))
      }),
      { numRuns: 500 }
    )
  })
})

describe("the verdict of a benchmark", () => {
  it("turns with the direction, the threshold itself passes both ways", () => {
    fc.assert(
      fc.property(anyNumber, anyNumber, (value, threshold) => {
        const pass = (lowerIsBetter: boolean) =>
          benchmarkTest(
            {
              primaryScore: { metric: "acc", lowerIsBetter, source: "job" },
              threshold: { value: threshold, source: "job" }
            },
            { acc: value }
          ).test?.pass
        if (isOutside(inferredScale(threshold), value))
          return assert.isTrue(pass(false) === undefined && pass(true) === undefined)
        assert.strictEqual(pass(false), value >= threshold)
        assert.strictEqual(pass(true), value <= threshold)
      })
    )
  })
})

describe("resolving a metric", () => {
  const anyMetrics = fc.dictionary(
    fc.oneof(fc.constantFrom("acc", "t/acc", "t.acc", "acc,none", "__proto__", "f1"), fc.string()),
    fc.oneof(anyNumber, fc.string(), fc.boolean())
  )
  it("gives a finite reported number or says why not, never anything else", () => {
    fc.assert(
      fc.property(anyMetrics, fc.constantFrom("acc", "f1", "constructor", "", "__proto__"), (metrics, name) => {
        const match = resolveMetric(metrics, name)
        if (match._tag === "Found") assert.strictEqual(match.value, metrics[match.name])
        else assert.match(match.note, /^Primary metric .*\.$/s)
        if (typeof metrics[name] === "number" && Object.hasOwn(metrics, name))
          assert.strictEqual(match._tag === "Found" && match.name, name)
      })
    )
  })
})
