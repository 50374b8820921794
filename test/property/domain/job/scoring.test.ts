import { assert, describe, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import type { Benchmark, Metrics } from "../../../../domain/job/job.ts"
import { benchmarkTest, jobTest, resolveMetric } from "../../../../domain/job/scoring.ts"
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
          assert.isTrue(weighted.every(({ state, value }) => state === "completed" && value !== undefined))
        }
      }),
      { numRuns: 500 }
    )
  })
  it("never falls when one value gets better", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyWeight, anyShare, fc.boolean()), { minLength: 1, maxLength: 8 }), fc.nat(7), anyShare, (given, at, other) => {
        const scoreWith = (value: number) =>
          jobTest(
            { threshold: 0.5 },
            given.map(([weight, own, lowerIsBetter], index) =>
              benchmarkOf({ state: "completed", weight, value: index === at % given.length ? value : own, lowerIsBetter, threshold: undefined }, index)
            )
          )?.score
        const lower = given[at % given.length]?.[2] === true
        const [worse, better] = [Math.min(other, 0.5), Math.max(other, 0.5)]
        const [low, high] = lower ? [scoreWith(better), scoreWith(worse)] : [scoreWith(worse), scoreWith(better)]
        if (low !== undefined && high !== undefined) assert.isAtMost(low, high)
      }),
      { numRuns: 300 }
    )
  })
  it("does not depend on benchmarks of weight 0", () => {
    fc.assert(
      fc.property(fc.array(anyGiven, { maxLength: 6 }), anyGiven, (given, extra) => {
        const benchmarks = given.map(benchmarkOf)
        const { notes: _a, ...without } = jobTest({ threshold: 0.5 }, benchmarks) ?? { score: undefined }
        const { notes: _b, ...beside } = jobTest({ threshold: 0.5 }, [...benchmarks, benchmarkOf({ ...extra, weight: 0 }, 9)]) ?? { score: undefined }
        assert.deepStrictEqual(beside, without)
      })
    )
  })
})

describe("the verdict of a benchmark", () => {
  it("turns with the direction, the threshold itself passes both ways", () => {
    fc.assert(
      fc.property(anyNumber, anyNumber, (value, threshold) => {
        const pass = (lowerIsBetter: boolean) =>
          benchmarkTest({ primaryScore: { metric: "acc", lowerIsBetter, source: "job" }, threshold: { value: threshold, source: "job" } }, { acc: value }).test
            ?.pass
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
        if (typeof metrics[name] === "number" && Object.hasOwn(metrics, name)) assert.strictEqual(match._tag === "Found" && match.name, name)
      })
    )
  })
})
