/** Which jobs may stop early, and what their gates say of what was asked. */
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { compareBenchmark, type Side } from "../../../../domain/comparison/compare-benchmark.ts"
import type { ScoredSample } from "../../../../domain/comparison/pair-samples.ts"
import type { Criterion } from "../../../../domain/gate/criteria.ts"
import { judgeCriterion } from "../../../../domain/gate/judge-criterion.ts"
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

const problems = (job: Job, baseline?: Side) =>
  Either.match(
    planEarlyStop(job, 1, () => baseline),
    {
      onLeft: (all) =>
        all.map(
          ({ code, path }) => `${code} ${path.map((step) => (typeof step === "object" ? step.given : step)).join(".")}`
        ),
      onRight: () => []
    }
  )

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
  it("refused without a gate, of foreign orders, of other metrics, of open scales, with an alpha that is none", () => {
    const at = "early_stop_unsupported gate.policy.criteria.0"
    assert.deepStrictEqual(problems(jobWith(undefined)), ["early_stop_unsupported earlyStop"])
    assert.deepStrictEqual(problems(jobWith([absolute(0.7)], { requirements: { endpoint: "chat" } })), [
      `${at}.benchmark`
    ])
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

const relative = (tolerance: number, given: Partial<Criterion> = {}): Criterion => ({
  ...{ benchmark: "b", kind: "relative_to_baseline", tolerance, tier: "gating", alpha: 0.05 },
  ...given
})

/** a run of these many items, of which so many are right, spread evenly */
const whole = (items: number, right: number, given: Partial<Benchmark> = {}): Side => ({
  benchmark: sampleBenchmark({
    state: "completed",
    snapshot: sampleSnapshot({ primaryScore }),
    result: {
      metrics: { acc: right / items },
      test: { primaryScore: right / items, metric: "acc", lowerIsBetter: false },
      additionalInfo: { dataset: { sha256: "d" } }
    },
    ...given
  }),
  samples: Array.from({ length: items }, (_, at) => sampleAt(at, isRight(at, right, items)))
})
const isRight = (at: number, right: number, items: number) =>
  Math.floor(((at + 1) * right) / items) > Math.floor((at * right) / items)
const sampleAt = (at: number, right: boolean): ScoredSample => ({
  ...{ sampleId: `i${at}`, task: "b", repeat: 0, prompt: `p${at}` },
  verdict: right ? "correct" : "incorrect"
})

describe("what a job that may stop early is held against", () => {
  it("its benchmark is told what the items of the baseline were worth and of which data set they came", () => {
    const job = jobWith([relative(0.1), absolute(0.6)])
    const plan = Either.getOrThrow(planEarlyStop(job, 1, () => whole(20, 10)))
    const told = plan.benchmarks[0]?.snapshot.earlyStop
    assert.deepStrictEqual(told?.criteria, [
      { kind: "relative_to_baseline", tolerance: 0.1, alpha: 0.05 },
      { threshold: 0.6, alpha: 0.05 }
    ])
    assert.strictEqual(told?.baseline?.dataset, "d")
    assert.deepInclude(told?.baseline?.items, { i0: 0, i1: 1, i19: 1 })
    assert.strictEqual(Object.keys(told?.baseline?.items ?? {}).length, 20)
  })
  it("refused with its reason: no such benchmark, not ended, invalid, itself stopped, without samples, other items, another metric, too many", () => {
    const side = whole(20, 10)
    const { result, snapshot } = side.benchmark
    const of = (given: Partial<Benchmark>): Side => ({ ...side, benchmark: { ...side.benchmark, ...given } })
    const invalid = { ...result, metrics: {}, validity: { status: "invalid", flags: [] } } as const
    const entry = (parameters: { readonly [name: string]: number }) => ({ id: "b", providerId: "p", parameters })
    const cases: ReadonlyArray<readonly [Side | undefined, string]> = [
      [undefined, "is not in it"],
      [of({ state: "running" }), "is running there"],
      [of({ result: invalid }), "invalid result"],
      [
        of({ result: { metrics: {}, ...result, earlyStopped: { asked: 20, of: 100 } } }),
        "stopped early after 20 of 100 items"
      ],
      [{ ...side, samples: [] }, "no scored samples"],
      [{ ...side, samples: side.samples?.slice(1) }, "not the mean of the stored items"],
      [{ benchmark: side.benchmark, samples: undefined }, "more than 200000 samples"],
      [of({ entry: entry({ seed: 1 }) }), "seed 1, num_examples all"],
      [of({ entry: entry({ num_examples: 20 }) }), "num_examples 20"],
      [
        of({ snapshot: { ...snapshot, primaryScore: { ...primaryScore, metric: "f1" } } }),
        "the primary metric f1 there and acc here"
      ],
      [of({ snapshot: { ...snapshot, primaryScore: { ...primaryScore, scale: "percent" } } }), "another scale"],
      [whole(30_000, 3000), "bytes of its job file"]
    ]
    for (const [baseline, says] of cases) {
      const found = planEarlyStop(jobWith([relative(0.1)]), 1, () => baseline)
      const [first] = Either.isLeft(found) ? found.left : []
      assert.deepStrictEqual(problems(jobWith([relative(0.1)]), baseline), ["early_stop_unsupported gate.baseline.job"])
      assert.include(JSON.stringify(first?.message), says)
    }
    assert.deepStrictEqual(problems(jobWith([absolute(0.7), relative(0.1, { tier: "advisory" })])), [])
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
    asked: { values: Array.from({ length: asked }, (_, at) => asOne(at)), keys: [], unscored: 0 }
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
    const few: Side = { ...side, asked: { values: [1, 1, 1], keys: [], unscored: 0 } }
    assert.strictEqual(judged(absolute(0.7), few).criteria[0]?.reason, "few_items")
    const broken: Side = { ...side, asked: { values: side.asked?.values ?? [], keys: [], unscored: 5 } }
    assert.strictEqual(judged(absolute(0.7), broken).criteria[0]?.reason, "incomplete")
  })
  it("says nothing about another metric, is no baseline, and is not compared", () => {
    const side = stopped(200, 180)
    const more: Side = {
      ...side,
      benchmark: { ...side.benchmark, result: { ...side.benchmark.result, metrics: { acc: 0.9, f1: 0.8 } } }
    }
    const other = judged(absolute(0.7, { metric: "f1", direction: "higher" }), more).criteria[0]
    assert.deepStrictEqual([other?.outcome, other?.reason], ["INCONCLUSIVE", "incomplete"])
    const stoppedBaseline = judged(relative(0.1), side, side).criteria[0]
    assert.deepStrictEqual([stoppedBaseline?.outcome, stoppedBaseline?.reason], ["INCONCLUSIVE", "incomplete"])
    const { outcome, reason, message } = compareBenchmark(side, side, { alpha: 0.05 })
    assert.deepStrictEqual([outcome, reason], ["not_comparable", "early_stopped"])
    assert.include(message, "200 of 1000 items")
  })
})

/** the first `asked` of 1,000 items of the baseline in another order, of which so many went wrong that were right before */
const stoppedOf = (before: Side, asked: number, fell: number): Side => {
  const side = stopped(asked, asked)
  const order = Array.from({ length: 1000 }, (_, at) => (at * 7) % 1000).slice(0, asked)
  const wereRight = order.filter((at) => before.samples?.[at]?.verdict === "correct")
  const fallen = new Set(wereRight.filter((_, at) => isRight(at, fell, wereRight.length)))
  const samples = order.map((at) => sampleAt(at, before.samples?.[at]?.verdict === "correct" && !fallen.has(at)))
  const values = samples.map(({ verdict }) => Number(verdict === "correct"))
  const keys = samples.map(({ sampleId, task, repeat }) => ({ sampleId, task, repeat }))
  return { ...side, samples, asked: { values, keys, unscored: 0 } }
}

describe("the gate of a benchmark that stopped early, against its baseline", () => {
  const before = whole(1000, 800)
  it("passes, breaches, or leaves open what all pairs would show, with limits of the loss and p that agree", () => {
    const cases = [
      [relative(0.1), stoppedOf(before, 300, 0), "GO", "PASS"],
      [relative(0.1), stoppedOf(before, 300, 100), "NO-GO", "BREACH"],
      [relative(0.1), stoppedOf(before, 300, 30), "INCONCLUSIVE", "INCONCLUSIVE"],
      [relative(0.1, { kind: "relative_fraction" }), stoppedOf(before, 300, 0), "GO", "PASS"],
      [relative(0.1, { kind: "relative_fraction" }), stoppedOf(before, 300, 100), "NO-GO", "BREACH"]
    ] as const
    for (const [criterion, side, outcome, found] of cases) {
      const gate = judged(criterion, side, before)
      const [one] = gate.criteria
      assert.deepStrictEqual([gate.outcome, one?.outcome], [outcome, found])
      assert.deepStrictEqual(one?.earlyStopped, { asked: 300, of: 1000, alpha: 0.05 })
      const { low = 0, high = 0 } = one?.bounds ?? {}
      const limit = criterion.kind === "relative_fraction" ? 0 : 0.1
      assert.isTrue(low <= (one?.loss ?? 0) && (one?.loss ?? 0) <= high)
      assert.strictEqual(high <= limit, found === "PASS")
      assert.strictEqual((one?.p ?? 1) <= 0.05, found === "BREACH")
    }
  })
  it("where items were asked in other words, are not in the baseline, or were not answered, it is left open with the reason", () => {
    const side = stoppedOf(before, 300, 0)
    const reasonOf = (candidate: Side, baseline: Side) => {
      const [one] = judged(relative(0.1), candidate, baseline).criteria
      return [one?.outcome, one?.reason, one?.message]
    }
    const reworded = { ...side, samples: side.samples?.map((sample) => ({ ...sample, prompt: "other" })) }
    assert.deepStrictEqual(reasonOf(reworded, before), [
      ...["INCONCLUSIVE", "interval", "300 of 300 items were asked in other words"]
    ])
    const foreign = stoppedOf(before, 300, 0)
    const renamed: Side = {
      ...foreign,
      asked: {
        values: foreign.asked?.values ?? [],
        unscored: 0,
        keys: (foreign.asked?.keys ?? []).map((key) => ({ ...key, sampleId: `x${key.sampleId}` }))
      }
    }
    assert.deepStrictEqual(reasonOf(renamed, before).slice(0, 2), ["INCONCLUSIVE", "incomplete"])
    assert.deepStrictEqual(reasonOf(side, whole(1200, 960)).slice(0, 2), ["INCONCLUSIVE", "incomplete"])
    const unanswered: Side = {
      ...side,
      asked: {
        ...renamed.asked,
        keys: side.asked?.keys ?? [],
        unscored: 10,
        values: (side.asked?.values ?? []).map((value, at) => (at < 10 ? undefined : value))
      }
    }
    assert.deepStrictEqual(reasonOf(unanswered, before).slice(0, 2), ["INCONCLUSIVE", "incomplete"])
    assert.deepStrictEqual(reasonOf(stoppedOf(before, 5, 0), before).slice(0, 2), ["INCONCLUSIVE", "few_items"])
  })
  it("judged by a policy with more criteria than it stopped for, a breach must be as sure as one of so many", () => {
    // sure enough for a policy of one criterion, not for one of forty
    const side = stoppedOf(before, 300, 60)
    const evidence = { criterion: relative(0.1), alpha: 0.05, candidate: side, baseline: before }
    assert.strictEqual(judgeCriterion(evidence).outcome, "BREACH")
    assert.strictEqual(judgeCriterion({ ...evidence, gating: 40 }).outcome, "INCONCLUSIVE")
  })
})
