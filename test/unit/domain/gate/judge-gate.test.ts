/** Criteria on items, step by step, and the decision over all of them. */
import { assert, describe, it } from "vitest"
import {
  type BenchmarkComparison,
  compareBenchmark,
  type Side
} from "../../../../domain/comparison/compare-benchmark.ts"
import type { ScoredSample } from "../../../../domain/comparison/pair-samples.ts"
import type { Criterion } from "../../../../domain/gate/criteria.ts"
import { isAbout, judgeCriterion } from "../../../../domain/gate/judge-criterion.ts"
import { alphaAt, judgeGate } from "../../../../domain/gate/judge-gate.ts"
import type { CriterionEvidence } from "../../../../domain/gate/measured.ts"
import type { Benchmark } from "../../../../domain/job/job.ts"
import { sampleBenchmark, sampleSnapshot } from "../../../support/sample-job.ts"

const absolute = (threshold: number, given: Partial<Criterion> = {}): Criterion => ({
  ...{ benchmark: "b", kind: "absolute", threshold, tier: "gating", alpha: 0.05 },
  ...given
})
const relative = (tolerance: number, given: Partial<Criterion> = {}): Criterion => ({
  ...{ benchmark: "b", kind: "relative_to_baseline", tolerance, tier: "gating", alpha: 0.05 },
  ...given
})

const samplesOf = (n: number, right: number): ReadonlyArray<ScoredSample> =>
  Array.from({ length: n }, (_, at) => ({
    ...{ sampleId: `i${at}`, task: "t", repeat: 0 },
    verdict: at < right ? "correct" : "incorrect"
  }))

const side = (n: number, right: number, given: Partial<Benchmark> = {}, samples = samplesOf(n, right)): Side => ({
  benchmark: sampleBenchmark({ state: "completed", result: { metrics: { acc: right / n } }, ...given }),
  samples
})

const judge = (criterion: Criterion, candidate: Side | undefined, baseline?: Side) => {
  const evidence: CriterionEvidence = { criterion, alpha: criterion.alpha, candidate, baseline }
  const { outcome, reason } = judgeCriterion(evidence)
  return reason === undefined ? outcome : `${outcome} ${reason}`
}

describe("absolute criteria", () => {
  it("exact bounds of 100 items: 90 right are above 0.8, not shown above 0.85, below 0.96", () => {
    assert.strictEqual(judge(absolute(0.8), side(100, 90)), "PASS")
    assert.strictEqual(judge(absolute(0.85), side(100, 90)), "INCONCLUSIVE")
    assert.strictEqual(judge(absolute(0.96), side(100, 90)), "BREACH")
  })
  it("p is the exact binomial one: at most 90 of 100 right with chance 0.96", () => {
    const { p } = judgeCriterion({
      criterion: absolute(0.96),
      alpha: 0.05,
      candidate: side(100, 90),
      baseline: undefined
    })
    assert.closeTo(p ?? 1, 0.00677, 1e-4)
  })
  it("where lower is better: 4 of 100 are below 0.1 and above 0.005", () => {
    const errors = sampleSnapshot({ primaryScore: { metric: "err", lowerIsBetter: true, source: "job" } })
    const low = side(100, 96, { snapshot: errors, result: { metrics: { err: 0.04 } } })
    assert.strictEqual(judge(absolute(0.1), low), "PASS")
    assert.strictEqual(judge(absolute(0.005), low), "BREACH")
  })
  it("counts that the adapter states do as well as samples; a bare value shows nothing", () => {
    const counted = { result: { metrics: { acc: 0.9 }, metricsSchema: [{ name: "acc", n: 100, successes: 90 }] } }
    assert.strictEqual(judge(absolute(0.8), side(100, 90, counted, [])), "PASS")
    assert.strictEqual(judge(absolute(0.8), side(100, 90, {}, [])), "INCONCLUSIVE interval")
  })
  it("the steps before it", () => {
    const invalid = { result: { metrics: { acc: 0.9 }, validity: { status: "invalid" as const, flags: [] } } }
    assert.strictEqual(judge(absolute(0.8), undefined), "INCONCLUSIVE missing")
    assert.strictEqual(judge(absolute(0.8), side(100, 90, { state: "failed" })), "INCONCLUSIVE missing")
    assert.strictEqual(judge(absolute(0.8, { metric: "f1" }), side(100, 90)), "INCONCLUSIVE missing")
    assert.strictEqual(judge(absolute(0.8), side(100, 90, invalid)), "INCONCLUSIVE invalid")
    assert.strictEqual(judge(absolute(0.1), side(9, 9)), "INCONCLUSIVE few_items")
    const broken = samplesOf(100, 90).map((one, at): ScoredSample => (at > 96 ? { ...one, verdict: "error" } : one))
    const scored = { result: { metrics: { acc: 90 / 97 } } }
    assert.strictEqual(judge(absolute(0.8), side(100, 90, scored, broken)), "INCONCLUSIVE incomplete")
    const clustered = samplesOf(100, 90).map((one, at): ScoredSample => ({ ...one, cluster: `c${at % 4}` }))
    assert.strictEqual(judge(absolute(0.5), side(100, 90, {}, clustered)), "INCONCLUSIVE few_clusters")
  })
})

describe("relative criteria", () => {
  it("400 items: four lost keep within five points, forty do not, twenty are not told", () => {
    const before = side(400, 380)
    assert.strictEqual(judge(relative(0.05), side(400, 376), before), "PASS")
    assert.strictEqual(judge(relative(0.05), side(400, 340), before), "BREACH")
    assert.strictEqual(judge(relative(0.05), side(400, 360), before), "INCONCLUSIVE")
  })
  it("a share of the baseline: half of the value lost is more than a tenth, equal is less", () => {
    const share = relative(0.1, { kind: "relative_fraction" })
    assert.strictEqual(judge(share, side(400, 190), side(400, 380)), "BREACH")
    assert.strictEqual(judge(share, side(400, 380), side(400, 380)), "PASS")
  })
  it("without the baseline, its samples or most of its items", () => {
    assert.strictEqual(judge(relative(0.05), side(400, 380)), "INCONCLUSIVE missing")
    assert.strictEqual(judge(relative(0.05), side(400, 380), side(400, 380, {}, [])), "INCONCLUSIVE missing")
    assert.strictEqual(judge(relative(0.05), side(400, 380), side(380, 380)), "INCONCLUSIVE incomplete")
  })
})

describe("relative criteria on a comparison that is stored", () => {
  const measured = (samples: ReadonlyArray<ScoredSample>, value: number, lowerIsBetter: boolean): Side => {
    const snapshot = sampleSnapshot({ primaryScore: { metric: "acc", lowerIsBetter, source: "job" } })
    const result = { metrics: { acc: value }, test: { primaryScore: value, metric: "acc", lowerIsBetter } }
    return side(samples.length, 0, { snapshot, result }, samples)
  }
  const binary = (right: number, lowerIsBetter = false) =>
    measured(samplesOf(400, right), (lowerIsBetter ? 400 - right : right) / 400, lowerIsBetter)
  const scored = (of: (at: number) => number, clusters?: number) => {
    const samples = samplesOf(400, 0).map(
      (one, at): ScoredSample => ({
        ...one,
        score: of(at),
        ...(clusters === undefined ? {} : { cluster: `c${at % clusters}` })
      })
    )
    return measured(samples, samples.reduce((sum, { score = 0 }) => sum + score, 0) / samples.length, false)
  }
  const without = ({ benchmark }: Side): Side => ({ benchmark, samples: undefined })

  const pairs: ReadonlyArray<readonly [what: string, before: Side, after: Side]> = [
    ["right or wrong, four lost", binary(380), binary(376)],
    ["right or wrong, forty lost", binary(380), binary(340)],
    ["right or wrong where lower is better", binary(380, true), binary(350, true)],
    ["scores", scored((at) => (at % 10) / 10), scored((at) => (at % 7) / 7)],
    ["clusters", scored((at) => (at % 10) / 10, 40), scored((at) => (at % 9) / 9, 40)]
  ]
  for (const [what, before, after] of pairs)
    it(`judge as on the samples: ${what}`, () => {
      // as it is stored
      const known = JSON.parse(
        JSON.stringify(compareBenchmark(before, after, { alpha: 0.01, tolerance: 0.3 }))
      ) as BenchmarkComparison
      for (const tolerance of [0, 0.02, 0.05, 0.2]) {
        const criterion = relative(tolerance)
        const evidence: CriterionEvidence = { criterion, alpha: 0.0125, candidate: after, baseline: before }
        assert.isTrue(isAbout(known, criterion))
        assert.deepStrictEqual(
          judgeCriterion({ ...evidence, candidate: without(after), baseline: without(before), known }),
          judgeCriterion(evidence)
        )
      }
    })

  it("too many items that are in one run only are told from it as well", () => {
    const [before, after] = [binary(380), measured(samplesOf(380, 380), 1, false)]
    const known = compareBenchmark(before, after, { alpha: 0.05 })
    const evidence: CriterionEvidence = { criterion: relative(0.05), alpha: 0.05, candidate: after, baseline: before }
    const found = judgeCriterion({ ...evidence, candidate: without(after), baseline: without(before), known })
    assert.strictEqual(found.reason, "incomplete")
    assert.deepStrictEqual(found, judgeCriterion(evidence))
  })

  it("is not taken for shares of the baseline, other metrics, the other direction, or where it told nothing", () => {
    const known = compareBenchmark(binary(380), binary(376), { alpha: 0.05 })
    assert.isFalse(isAbout(known, relative(0.1, { kind: "relative_fraction" })))
    assert.isFalse(isAbout(known, relative(0.1, { metric: "f1" })))
    assert.isFalse(isAbout(known, relative(0.1, { direction: "lower" })))
    const refused = compareBenchmark(binary(380), { ...binary(376), samples: [] }, { alpha: 0.05 })
    assert.isFalse(isAbout(refused, relative(0.1)))
  })
})

describe("decisions", () => {
  const gate = (...criteria: ReadonlyArray<readonly [Criterion, Side, Side?]>) =>
    judgeGate(
      criteria.map(([criterion, candidate, baseline]) => ({ criterion, alpha: criterion.alpha, candidate, baseline }))
    )
  const good = [absolute(0.8), side(100, 95)] as const
  const bad = [absolute(0.8), side(100, 60)] as const
  const open = [absolute(0.8), side(100, 82)] as const
  it("GO needs every gating criterion to pass; advisory ones decide nothing", () => {
    assert.strictEqual(gate(good, good).outcome, "GO")
    assert.strictEqual(gate(good, open).outcome, "INCONCLUSIVE")
    assert.strictEqual(gate(good, bad).outcome, "NO-GO")
    assert.strictEqual(gate(good, [absolute(0.8, { tier: "advisory" }), side(100, 60)]).outcome, "GO")
  })
  it("a breach that does not survive the correction for several criteria is no NO-GO", () => {
    // p of 73 of 100 with 0.8 is 0.056 · …: below 0.05 alone for 72, not for one of ten
    const near = [absolute(0.8), side(100, 72)] as const
    assert.strictEqual(gate(near).outcome, "NO-GO")
    const many = gate(near, ...Array.from({ length: 9 }, () => good))
    assert.deepEqual([many.outcome, many.criteria[0]?.outcome], ["INCONCLUSIVE", "BREACH"])
    assert.isAbove(many.criteria[0]?.pHolm ?? 0, 0.05)
  })
  it("what is left of alpha: all of it, a quarter, an eighth; one and a half times of it for all looks", () => {
    assert.deepEqual(
      [1, 2, 3].map((look) => alphaAt(0.05, look)),
      [0.05, 0.0125, 0.00625]
    )
    const all = Array.from({ length: 60 }, (_, look) => alphaAt(0.05, look + 1)).reduce((sum, alpha) => sum + alpha, 0)
    assert.closeTo(all, 0.075, 1e-9)
  })
})
