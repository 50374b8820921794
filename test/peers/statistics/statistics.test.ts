/** Quantiles, limits and standard errors agree with scipy and statsmodels on seeded cases. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import type { Side } from "../../../domain/comparison/compare-benchmark.ts"
import { correlationOf, differenceOf } from "../../../domain/comparison/difference.ts"
import { holm } from "../../../domain/comparison/holm.ts"
import { overallOf } from "../../../domain/comparison/overall.ts"
import type { Pairs, ScoredSample } from "../../../domain/comparison/pair-samples.ts"
import { percentileDifference } from "../../../domain/comparison/percentiles.ts"
import { pSignFlips } from "../../../domain/comparison/sign-flips.ts"
import { detectable, itemsNeeded } from "../../../domain/comparison/sizes.ts"
import type { Criterion } from "../../../domain/gate/criteria.ts"
import { judgeCriterion } from "../../../domain/gate/judge-criterion.ts"
import { jobTest } from "../../../domain/job/job-score.ts"
import { limitsOf as shownOf } from "../../../domain/score/verdict.ts"
import { seededRandom } from "../../../providers/evald/random.ts"
import { percentileInterval } from "../../../providers/evald/statistics.ts"
import { defined } from "../../../values/defined.ts"
import {
  betaQuantile,
  headsAtLeast,
  normalAbove,
  normalQuantile,
  tAbove,
  tQuantile
} from "../../../values/distributions.ts"
import { meanLimits, shareLimits, summaryOf } from "../../../values/mean-limits.ts"
import { type CountedPairs, estimateOf, limitsOf, pAtMost, tangoLimits } from "../../../values/paired-estimate.ts"
import { peerEnvironments } from "../../support/peer-environments.ts"
import { peerVenv } from "../../support/peer-venv.ts"
import { sampleBenchmark, sampleSnapshot } from "../../support/sample-job.ts"

const venv = await peerVenv(peerEnvironments.statistics)
const script = new URL("reference.py", import.meta.url).pathname

interface Case {
  readonly kind: string
  readonly [member: string]: unknown
}
interface Pair {
  readonly asked: Case
  readonly ours: ReadonlyArray<number>
  /** of what is drawn: how far they may be apart */
  readonly within?: number
}

const random = seededRandom("peers", "statistics")
const many = <A>(count: number, make: (at: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, at) => make(at))
const tails = [0.05, 0.025]
const unit = { min: 0, max: 1 }
const ends = (limits: { readonly low: number; readonly high: number } | undefined) =>
  limits === undefined ? [] : [limits.low, limits.high]

const sumsOf = (values: ReadonlyArray<number>) => ({
  n: values.length,
  sum: values.reduce((sum, value) => sum + value, 0),
  sumOfSquares: values.reduce((sum, value) => sum + value * value, 0)
})

const anyCounts = (): CountedPairs => {
  const n = random.int(2, 3000)
  const differing = random.int(0, random.pick([0, Math.min(n, 10), n]))
  const down = random.int(0, differing)
  return { _tag: "Counted", n, down, up: differing - down, width: 1 }
}

const anyDifferences = (least: number, most: number) =>
  many(random.int(least, most), () => random.pick([0, 0, 0, -1, 1, 0.5, 2 * random.next() - 1]))

/** mean, variance of the mean, and degrees of freedom */
const meanOf = (values: ReadonlyArray<number>) => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, error: Math.sqrt(squares / (values.length - 1) / values.length), degrees: values.length - 1 }
}

const upward = { range: unit, lowerIsBetter: false }
const pairsOf = (baseline: ReadonlyArray<number>, candidate: ReadonlyArray<number>, binary: boolean): Pairs => ({
  ...{ _tag: "Paired", baseline, candidate, binary, union: baseline.length },
  ...{ baselineOnly: 0, candidateOnly: 0, unscored: 0, promptsUnknown: 0 }
})
const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** two runs of which some items differ; neither has the same value throughout */
const anyRuns = (value: () => number) => {
  const before = [0, 1, ...many(random.int(20, 300), value)]
  return { before, after: before.map((one, at) => (at > 1 && random.next() < 0.3 ? value() : one)) }
}

const sideOf = (
  value: number,
  scores: ReadonlyArray<number>,
  counts?: { readonly n: number; readonly successes: number }
): Side => {
  const samples = scores.map(
    (score, at): ScoredSample => ({
      ...{ sampleId: `i${at}`, task: "t", repeat: 0, verdict: "incorrect", score }
    })
  )
  const metricsSchema = counts === undefined ? [] : [{ name: "acc", ...counts }]
  return {
    benchmark: sampleBenchmark({ state: "completed", result: { metrics: { acc: value }, metricsSchema } }),
    samples
  }
}

/** limits and p of a criterion */
const judgedBy = (given: Pick<Criterion, "kind" | "alpha"> & Partial<Criterion>, candidate: Side, baseline?: Side) => {
  const criterion: Criterion = { benchmark: "b", tier: "gating", ...given }
  const { bounds, p } = judgeCriterion({ criterion, alpha: given.alpha, candidate, baseline })
  return [...ends(bounds), p ?? Number.NaN]
}

const pairs: { readonly [name: string]: ReadonlyArray<Pair> } = {
  "quantiles of the beta distribution": many(200, () => {
    const [probability, a, b] = [
      random.pick([0.001, 0.025, 0.05, 0.5, 0.95, 0.975]),
      10 ** (4 * random.next() - 1),
      10 ** (4 * random.next() - 1)
    ]
    return { asked: { kind: "beta", probability, a, b }, ours: [betaQuantile(probability, a, b)] }
  }),
  "quantiles of Student's distribution": many(100, () => {
    const [probability, degrees] = [random.pick([0.9, 0.95, 0.975, 0.995]), 10 ** (6 * random.next())]
    return { asked: { kind: "student", probability, degrees }, ours: [tQuantile(probability, degrees)] }
  }),
  "limits of shares": many(200, () => {
    const n = random.int(1, 5000)
    const [successes, tail] = [random.pick([0, n, random.int(0, n), random.int(0, Math.min(n, 5))]), random.pick(tails)]
    return { asked: { kind: "share", successes, n, tail }, ours: ends(shareLimits(successes, n, tail)) }
  }),
  "limits of means of scores": many(100, () => {
    // never all of them at an end: those are shares
    const values = [
      0.3,
      ...many(random.int(5, 200), () => random.pick([0, 0.25, 0.5, 1, random.next(), random.next() ** 4]))
    ]
    const tail = random.pick(tails)
    return { asked: { kind: "scores", values, tail }, ours: ends(meanLimits(summaryOf(sumsOf(values), unit), tail)) }
  }),
  "standard errors between groups": many(100, () => {
    // never all of them single ones: those are no groups
    const groups = [
      { n: 2, sum: 1 },
      ...many(random.int(5, 80), () => random.int(1, 6)).map((n) => ({ n, sum: random.int(0, n) }))
    ]
    const [n, sum] = [
      groups.reduce((total, group) => total + group.n, 0),
      groups.reduce((total, group) => total + group.sum, 0)
    ]
    const { mean, standardError } = summaryOf({ n, sum, sumOfSquares: sum, groups }, unit)
    return { asked: { kind: "groups", groups }, ours: [mean, standardError ?? Number.NaN] }
  }),
  "heads of a fair coin": many(100, () => {
    const n = random.int(1, 3000)
    const k = random.int(0, n)
    return { asked: { kind: "heads", k, n }, ours: [headsAtLeast(k, n)] }
  }),
  "the normal distribution and Student's tail": many(100, () => {
    const [probability, z, degrees] = [
      0.0005 + 0.999 * random.next(),
      12 * random.next() - 6,
      10 ** (5 * random.next())
    ]
    return {
      asked: { kind: "normal", probability, z, degrees },
      ours: [normalQuantile(probability), normalAbove(z), tAbove(z, degrees)]
    }
  }),
  "Tango's limits of paired shares": many(60, () => {
    const [counts, tail] = [anyCounts(), random.pick(tails)]
    return { asked: { kind: "tango", ...counts, tail }, ours: ends(tangoLimits(counts, tail)) }
  }),
  "Bonett and Price's limits of paired shares": many(60, () => {
    const [counts, tail] = [anyCounts(), random.pick(tails)]
    return { asked: { kind: "bonett_price", ...counts, tail }, ours: ends(limitsOf(counts, tail)) }
  }),
  "limits of paired differences": many(100, () => {
    const [values, tail] = [anyDifferences(12, 200), random.pick(tails)]
    const clusters = random.pick([undefined, values.map((_, at) => at % random.pick([6, 7, 11]))])
    return {
      asked: { kind: "differences", values, tail, clusters: clusters ?? null },
      ours: ends(limitsOf(estimateOf(values, 1, clusters), tail))
    }
  }),
  "Holm's correction": many(50, () => {
    const values = many(random.int(1, 12), () => random.pick([random.next(), random.next() / 50]))
    return { asked: { kind: "holm", values }, ours: holm(values).map((p) => p ?? Number.NaN) }
  }),
  "all sign patterns of few differences": many(30, () => {
    const values = many(random.int(2, 12), () => random.pick([-1, 1, 0.5, random.next() - 0.6]))
    return { asked: { kind: "flips", values }, ours: [pSignFlips(values)] }
  }),
  "Welch and Satterthwaite's degrees of freedom": many(50, () => {
    const [first, second, tail] = [anyDifferences(5, 60), [0.1, ...anyDifferences(5, 60)], random.pick(tails)]
    const [a, b] = [meanOf([...first, 0.3]), meanOf(second)]
    const part = ({ mean, ...rest }: typeof a, sign: number) => ({
      weight: 1,
      mean: mean * sign,
      centre: mean * sign,
      ...rest
    })
    const found = overallOf([part(a, 1), part(b, -1)], tail)
    // the mean of two with equal weights is half of their sum
    return {
      asked: { kind: "welch", first: [...first, 0.3], second, tail },
      ours: [2 * (found?.mean ?? 0), found?.degrees ?? 0, 2 * (found?.limits.low ?? 0), 2 * (found?.limits.high ?? 0)]
    }
  }),
  "tests of counted pairs against a tolerance": many(80, () => {
    const counts = anyCounts()
    const value = random.pick([0, 0.01, 0.05, 0.2, -0.05])
    return { asked: { kind: "counted_p", ...counts, value }, ours: [pAtMost(counts, value)] }
  }),
  "tests of differences against a tolerance": many(80, () => {
    const [values, isBounded] = [[1, ...anyDifferences(60, 200)], random.next() < 0.5]
    const value = random.pick([0, 0.02, 0.1, -0.1])
    return {
      asked: { kind: "measured_p", values, most: isBounded ? 1 : null, value },
      ours: [pAtMost(estimateOf(values, isBounded ? 1 : Infinity), value)]
    }
  }),
  "limits of differences on no scale": many(40, () => {
    const [values, tail] = [many(random.int(60, 200), () => 40 * random.next() - 18), random.pick(tails)]
    return { asked: { kind: "unbounded", values, tail }, ours: ends(limitsOf(estimateOf(values, Infinity), tail)) }
  }),
  "McNemar's exact test and the correlation of runs": many(60, () => {
    const { before, after } = anyRuns(() => Number(random.next() < 0.7))
    const { pWorse, pBetter } = differenceOf(pairsOf(before, after, true), upward)
    const both = Math.min(1, 2 * Math.min(pWorse, pBetter))
    const correlation = correlationOf(pairsOf(before, after, true)) ?? Number.NaN
    return { asked: { kind: "paired", before, after }, ours: [pWorse, pBetter, both, correlation] }
  }),
  "the spread of scores": many(40, () => {
    const { before, after } = anyRuns(random.next)
    const pairsOfRuns = pairsOf(before, after, false)
    const { variance } = differenceOf(pairsOfRuns, upward).spread
    return { asked: { kind: "spread", before, after }, ours: [variance, correlationOf(pairsOfRuns) ?? Number.NaN] }
  }),
  "sign patterns of many differences": [
    ...many(8, (at) => {
      const values = many(40 + 20 * at, () => 2 * random.next() - 0.95 - at / 50)
      const clusters = at % 2 === 0 ? undefined : values.map((_, item) => item % 19)
      const ours = [pSignFlips(values, clusters)]
      // of our 10,000 draws and their 200,000: five standard errors
      const within = 5 * Math.sqrt((ours[0] ?? 0) * (1 - (ours[0] ?? 0)) * (1e-4 + 5e-6)) + 2e-4
      return { asked: { kind: "signs", values, clusters: clusters ?? null }, ours, within }
    }),
    ...many(2, () => {
      const values = many(60_000, () => 2 * random.next() - 1.004)
      return { asked: { kind: "signs", values, clusters: null }, ours: [pSignFlips(values)] }
    })
  ],
  "items needed and what so many show": many(60, () => {
    const [n, variance, inflation] = [random.int(20, 5000), 0.01 + random.next(), random.pick([1, 1, 1.7])]
    const [alpha, distance] = [random.pick([0.01, 0.05, 0.1]), 0.01 + random.next() / 10]
    const spread = { n, variance, inflation }
    return {
      asked: { kind: "sizes", ...spread, alpha, distance, least: detectable(spread, alpha) },
      ours: [itemsNeeded(spread, alpha, distance) ?? Number.NaN, 0.8]
    }
  }),
  "criteria on shares": many(80, () => {
    const n = random.int(10, 2000)
    const [successes, threshold] = [random.int(0, n), random.pick([0.05, 0.5, 0.9, random.next()])]
    const [alpha, lower] = [random.pick([0.01, 0.05]), random.next() < 0.3]
    const direction = lower ? ("lower" as const) : ("higher" as const)
    const candidate = sideOf(successes / n, [], { n, successes })
    const judged = judgedBy({ kind: "absolute", threshold, alpha, direction }, candidate)
    return { asked: { kind: "threshold", n, successes, threshold, alpha, lower }, ours: judged }
  }),
  "criteria on a share of the baseline": many(60, () => {
    const [value, share, alpha] = [random.pick([random.next, () => Number(random.next() < 0.8)]), 0.1, 0.05]
    const { before, after } = anyRuns(value)
    const side = (values: ReadonlyArray<number>) => sideOf(mean(values), values)
    const asked = { kind: "relative_fraction", tolerance: share, alpha } as const
    return {
      asked: { kind: "fraction", before, after, share, alpha },
      ours: judgedBy(asked, side(after), side(before))
    }
  }),
  "differences of percentiles by bootstrap": many(20, () => {
    const [percent, tail] = [random.pick([50, 90]), random.pick(tails)]
    const times = (of: number) => many(random.int(150, 400), () => of - Math.log(1 - random.next()))
    const [before, after] = [times(1), times(1.2)]
    const found = percentileDifference(before, after, percent, tail)
    return {
      asked: { kind: "percentile_difference", before, after, percent, tail, limits: ends(found.limits) },
      ours: [found.baseline, found.candidate, 1]
    }
  }),
  "bounds of a job": many(40, () => {
    const parts = many(random.int(2, 6), () => {
      const n = random.int(20, 400)
      return { n, successes: random.int(1, n - 1), weight: random.int(1, 4) }
    })
    const benchmarks = parts.map(({ n, successes, weight }, index) => {
      const { interval, bounds } = shownOf({ value: successes / n, n, successes }, "unit")
      const snapshot = sampleSnapshot({
        weight,
        primaryScore: { metric: "acc", lowerIsBetter: false, scale: "unit", source: "job" }
      })
      const test = {
        primaryScore: successes / n,
        metric: "acc",
        lowerIsBetter: false,
        ...defined({ interval, bounds })
      }
      const entry = { id: `b${index}`, providerId: "p" }
      return sampleBenchmark({ index, entry, state: "completed", snapshot, result: { metrics: {}, test } })
    })
    const test = jobTest({ threshold: 0.5 }, benchmarks)
    return { asked: { kind: "job_bounds", parts }, ours: [test?.score ?? Number.NaN, ...ends(test?.bounds)] }
  }),
  "ranks around percentiles": many(100, () => {
    const [n, percent, tail] = [random.int(1, 800), random.pick([50, 90, 95, 99]), 0.025]
    const interval = percentileInterval(
      many(n, (at) => at + 1),
      percent
    )
    return {
      asked: { kind: "percentile", n, percent, tail },
      ours: interval === undefined ? [0, 0] : [interval.low, interval.high]
    }
  })
}

describe.skipIf(venv._tag === "Missing")("agree with scipy and statsmodels", () => {
  const cases = Object.values(pairs).flat()
  const answers =
    venv._tag === "Missing"
      ? []
      : (JSON.parse(
          execFileSync(join(venv.bin, "python"), [script], {
            input: JSON.stringify(cases.map(({ asked }) => asked)),
            encoding: "utf8",
            maxBuffer: 2 ** 26
          })
        ) as ReadonlyArray<ReadonlyArray<number>>)
  const answerOf = new Map(cases.map((one, at) => [one, answers[at] ?? []]))
  for (const [name, own] of Object.entries(pairs)) {
    it(`${name}: ${own.length} cases`, () => {
      assert.isAbove(own.length, 0)
      for (const one of own) {
        const theirs = answerOf.get(one) ?? []
        assert.isAbove(theirs.length, 0)
        assert.strictEqual(one.ours.length, theirs.length, JSON.stringify(one))
        for (const [at, number] of theirs.entries())
          assert.closeTo(
            one.ours[at] ?? Number.NaN,
            number,
            one.within ?? 2e-6 * Math.max(1, Math.abs(number)),
            JSON.stringify({ ...one, theirs }).slice(0, 600)
          )
      }
    })
  }
})
