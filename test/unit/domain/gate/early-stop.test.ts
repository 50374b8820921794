/** Which jobs may stop early, and what their gates say of what was asked. */
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { compareBenchmark, type Side } from "../../../../domain/comparison/compare-benchmark.ts"
import type { Criterion } from "../../../../domain/gate/criteria.ts"
import { judgeGate } from "../../../../domain/gate/judge-gate.ts"
import { planEarlyStop } from "../../../../domain/gate/plan-early-stop.ts"
import type { Benchmark, Job } from "../../../../domain/job/job.ts"
import { shareLimits } from "../../../../values/mean-limits.ts"
import { sampleBenchmark, sampleJob, sampleSnapshot } from "../../../support/sample-job.ts"

const absolute = (threshold: number, given: Partial<Criterion> = {}): Criterion => ({
  ...{ benchmark: "b", kind: "absolute", threshold, tier: "gating", alpha: 0.05 },
  ...given
})
const stoppable = { endpoint: "generate", flags: ["stoppable"] } as const
const primaryScore = { metric: "acc", lowerIsBetter: false, source: "provider" } as const

const jobWith = (
  criteria: ReadonlyArray<Criterion> | undefined,
  snapshot: Partial<Benchmark["snapshot"]> = {},
  alpha = 0.05
): Job => {
  const job = sampleJob([{ snapshot: sampleSnapshot({ primaryScore, requirements: stoppable, ...snapshot }) }])
  const gate = criteria === undefined ? {} : { gate: { policy: { criteria } } }
  return { ...job, request: { ...job.request, ...gate, earlyStop: { alpha } } }
}

const problems = (job: Job) =>
  Either.match(planEarlyStop(job, 1), {
    onLeft: (all) =>
      all.map(
        ({ code, path }) => `${code} ${path.map((step) => (typeof step === "object" ? step.given : step)).join(".")}`
      ),
    onRight: () => []
  })

describe("which jobs may stop early", () => {
  it("each benchmark is told its own criteria, with what is left of alpha at this look", () => {
    const job = jobWith([absolute(0.7), absolute(0.6), absolute(0.9, { tier: "advisory" })])
    const planned = Either.getOrThrow(planEarlyStop(job, 2))
    assert.deepStrictEqual(planned.benchmarks[0]?.snapshot.earlyStop, {
      ...{ alpha: 0.05, gating: 2 },
      criteria: [
        { threshold: 0.7, alpha: 0.0125 },
        { threshold: 0.6, alpha: 0.0125 }
      ]
    })
  })
  it("a job that does not ask for it is left as it is", () => {
    const { earlyStop: _, ...request } = jobWith([absolute(0.7)]).request
    const job = { ...jobWith([absolute(0.7)]), request }
    assert.strictEqual(Either.getOrThrow(planEarlyStop(job, 1)), job)
  })
  it("refused without a gate, of foreign orders, of differences, of other metrics, of open scales, with an alpha that is none", () => {
    const at = "early_stop_unsupported gate.policy.criteria.0"
    assert.deepStrictEqual(problems(jobWith(undefined)), ["early_stop_unsupported earlyStop"])
    assert.deepStrictEqual(problems(jobWith([absolute(0.7)], { requirements: { endpoint: "chat" } })), [
      `${at}.benchmark`
    ])
    assert.deepStrictEqual(problems(jobWith([absolute(0.7, { kind: "relative_to_baseline" })])), [`${at}.kind`])
    assert.deepStrictEqual(problems(jobWith([absolute(0.7, { metric: "f1" })])), [`${at}.metric`])
    assert.deepStrictEqual(
      problems(jobWith([absolute(0.7)], { primaryScore: { ...primaryScore, scale: "unbounded" } })),
      [`${at}.metric`]
    )
    assert.deepStrictEqual(problems(jobWith([absolute(0.7)], {}, 0.3)), ["invalid_value earlyStop.alpha"])
    const advisory = absolute(0.7, { kind: "relative_to_baseline", tier: "advisory" })
    assert.deepStrictEqual(problems(jobWith([absolute(0.7), advisory])), [])
  })
})

/** `right` of the first `asked` of 1,000 items, spread evenly */
const stopped = (
  asked: number,
  right: number,
  given: { readonly isLower?: boolean; readonly gating?: number } = {}
): Side => {
  const { isLower = false, gating = 1 } = given
  const asOne = (at: number) => Math.floor(((at + 1) * right) / asked) - Math.floor((at * right) / asked)
  return {
    benchmark: sampleBenchmark({
      state: "completed",
      snapshot: sampleSnapshot({
        primaryScore: { ...primaryScore, lowerIsBetter: isLower },
        earlyStop: { alpha: 0.05, gating, criteria: [] }
      }),
      result: {
        metrics: { acc: right / asked },
        test: { primaryScore: right / asked, metric: "acc", lowerIsBetter: isLower },
        earlyStopped: { asked, of: 1000 }
      }
    }),
    samples: [],
    asked: { values: Array.from({ length: asked }, (_, at) => asOne(at)), unscored: 0 }
  }
}
const judged = (criterion: Criterion, candidate: Side, baseline?: Side) =>
  judgeGate([{ criterion, alpha: criterion.alpha, candidate, baseline }])

describe("the gate of a benchmark that stopped early", () => {
  it("passes, breaches, or leaves open what all items would show, with bounds and p that agree", () => {
    const cases = [
      [absolute(0.7), stopped(200, 180), "GO", "PASS"],
      [absolute(0.95), stopped(200, 160), "NO-GO", "BREACH"],
      [absolute(0.9), stopped(200, 180), "INCONCLUSIVE", "INCONCLUSIVE"],
      [absolute(0.3), stopped(200, 20, { isLower: true }), "GO", "PASS"],
      [absolute(0.05), stopped(200, 40, { isLower: true }), "NO-GO", "BREACH"]
    ] as const
    for (const [criterion, side, outcome, one] of cases) {
      const gate = judged(criterion, side)
      assert.strictEqual(gate.outcome, outcome)
      const [found] = gate.criteria
      const { bounds, p = 1, direction, earlyStopped } = found ?? {}
      assert.strictEqual(found?.outcome, one)
      assert.deepStrictEqual(earlyStopped, { asked: 200, of: 1000, alpha: 0.05 })
      const { low = 0, high = 1 } = bounds ?? {}
      const { threshold = 0 } = criterion
      assert.strictEqual(one === "PASS", direction === "lower" ? high <= threshold : low >= threshold)
      assert.strictEqual(p <= 0.05, one === "BREACH")
    }
  })
  it("the same figures of a number of items that was fixed before say more", () => {
    const early = judged(absolute(0.7), stopped(200, 180)).criteria[0]?.bounds
    const exact = shareLimits(180, 200, 0.05)
    assert.isBelow(early?.low ?? 1, exact.low)
    assert.isAbove(early?.high ?? 0, exact.high)
  })
  it("too few items, and too many of them without an answer, decide nothing", () => {
    const side = stopped(200, 180)
    const few: Side = { ...side, asked: { values: [1, 1, 1], unscored: 0 } }
    assert.strictEqual(judged(absolute(0.7), few).criteria[0]?.reason, "few_items")
    const broken: Side = { ...side, asked: { values: side.asked?.values ?? [], unscored: 5 } }
    assert.strictEqual(judged(absolute(0.7), broken).criteria[0]?.reason, "incomplete")
  })
  it("says nothing about another metric, nor about a difference, and is not compared", () => {
    const side = stopped(200, 180)
    const more: Side = {
      ...side,
      benchmark: { ...side.benchmark, result: { ...side.benchmark.result, metrics: { acc: 0.9, f1: 0.8 } } }
    }
    const other = judged(absolute(0.7, { metric: "f1", direction: "higher" }), more).criteria[0]
    assert.deepStrictEqual([other?.outcome, other?.reason], ["INCONCLUSIVE", "incomplete"])
    const { threshold: _, ...kind } = absolute(0, { kind: "relative_to_baseline", tolerance: 0.1 })
    const relative = judged(kind, side, side).criteria[0]
    assert.deepStrictEqual([relative?.outcome, relative?.reason], ["INCONCLUSIVE", "incomplete"])
    const { outcome, reason, message } = compareBenchmark(side, side, { alpha: 0.05 })
    assert.deepStrictEqual([outcome, reason], ["not_comparable", "early_stopped"])
    assert.include(message, "200 of 1000 items")
  })
})
