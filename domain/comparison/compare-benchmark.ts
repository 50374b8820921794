/**
 * One benchmark of two jobs compared item by item: what differs, how sure that is, and what it means; or why it cannot be told.
 * Reference: comparison-and-gates.md, "Outcomes", "Refusals".
 */
import { canonicalJson } from "../../values/canonical-json.ts"
import { defined } from "../../values/defined.ts"
import type { Range } from "../../values/mean-limits.ts"
import { type Ends, type Estimate, errorOf, limitsOf, meanOf, turned } from "../../values/paired-estimate.ts"
import { type AskedItems, stoppedText } from "../gate/early-stop.ts"
import type { Benchmark } from "../job/job.ts"
import { scaleOf } from "../job/scoring.ts"
import { rangeOf } from "../score/scale.ts"
import type { Interval } from "../score/verdict.ts"
import { correlationOf, type Difference, differenceOf, widthOf } from "./difference.ts"
import { type Pairs, pairingRefusals, pairSamples, type Run, type ScoredSample } from "./pair-samples.ts"
import { type PercentileDifference, percentileDifference, percents } from "./percentiles.ts"
import { detectable, itemsNeeded } from "./sizes.ts"
import { judgeDamage } from "./tolerance.ts"

export const refusals = [
  "benchmark_missing",
  "not_completed",
  "invalid",
  "early_stopped",
  "no_primary_score",
  "metrics_differ",
  "scales_differ",
  "profiles_differ",
  "too_many_samples",
  ...pairingRefusals
] as const

export const doubts = ["incomplete_pairs", "few_clusters", "no_interval"] as const

export const outcomes = [
  "better",
  "worse",
  "no_difference_shown",
  "not_worse",
  "inconclusive",
  "not_comparable"
] as const
export type Outcome = (typeof outcomes)[number]

export interface Side {
  readonly benchmark: Benchmark
  /** undefined: there are more than a comparison takes */
  readonly samples: ReadonlyArray<ScoredSample> | undefined
  /** of a benchmark that stopped early, by its primary metric */
  readonly asked?: AskedItems
  /** times of its requests, of a performance benchmark */
  readonly times?: { readonly [name: string]: ReadonlyArray<number> }
}

export interface Asked {
  /** largest chance of a wrong outcome */
  readonly alpha: number
  /** a loss that is accepted, on the metric's own scale */
  readonly tolerance?: number
}

export interface Shown {
  readonly score: number
  readonly interval?: Interval
}

/** what the paired items show */
export interface Compared {
  readonly n: number
  readonly dropped: { readonly baselineOnly: number; readonly candidateOnly: number; readonly unscored: number }
  /** positive is better */
  readonly mean: number
  readonly method: "bonett_price" | "t" | "none"
  readonly limits?: Ends
  readonly worstCase?: Ends
  /** around which limits lie, its standard error, and the degrees of freedom of that; absent without limits */
  readonly centre?: number
  readonly error?: number
  readonly degrees?: number
  readonly clusters?: number
  /** right before and wrong now, wrong before and right now, and the share of both; of yes-or-no items */
  readonly down?: number
  readonly up?: number
  readonly discordance?: number
  readonly correlation?: number
  readonly pWorse: number
  readonly pBetter: number
  readonly detectable?: number
  readonly itemsNeeded?: number
  readonly itemsNeededAsObserved?: number
  readonly exceedsDataset?: boolean
}

export interface TimeDifference extends PercentileDifference {
  /** `p95_latency_ms` */
  readonly metric: string
  readonly outcome: "better" | "worse" | "no_difference_shown" | "inconclusive"
}

export interface BenchmarkComparison {
  readonly providerId: string
  readonly benchmarkId: string
  readonly baselineIndex?: number
  readonly candidateIndex?: number
  readonly metric?: string
  readonly lowerIsBetter?: boolean
  readonly outcome: Outcome
  /** why nothing is compared, or nothing is concluded */
  readonly reason?: (typeof refusals)[number] | (typeof doubts)[number]
  readonly message?: string
  /** items that are the reason */
  readonly count?: number
  readonly baseline?: Shown
  readonly candidate?: Shown
  readonly compared?: Compared
  readonly times?: ReadonlyArray<TimeDifference>
  readonly notes?: ReadonlyArray<string>
}

type Refusal = Pick<BenchmarkComparison, "reason" | "message">

const shownScore = ({ result }: Benchmark): Shown | undefined =>
  result?.test === undefined
    ? undefined
    : { score: result.test.primaryScore, ...defined({ interval: result.test.interval }) }

/** what stands against comparing the two, before an item is looked at */
const refusal = (baseline: Benchmark, candidate: Benchmark): Refusal | undefined => {
  for (const [name, { state, result }] of [["baseline", baseline] as const, ["candidate", candidate] as const]) {
    if (state !== "completed") return { reason: "not_completed", message: `the benchmark of the ${name} is ${state}` }
    if (result?.validity?.status === "invalid")
      return { reason: "invalid", message: `the result of the ${name} is invalid: its flags say why` }
    if (result?.earlyStopped !== undefined)
      return {
        reason: "early_stopped",
        message: `the benchmark of the ${name} ${stoppedText(result.earlyStopped)}; run it without an early stop to compare it item by item`
      }
    if (result?.test === undefined)
      return { reason: "no_primary_score", message: `the benchmark of the ${name} has no primary score` }
  }
  const [one, other] = [baseline.result?.test, candidate.result?.test]
  if (one?.metric !== other?.metric || one?.lowerIsBetter !== other?.lowerIsBetter)
    return { reason: "metrics_differ", message: `the primary metrics are ${one?.metric} and ${other?.metric}` }
  if (canonicalJson(scaleOf(baseline.snapshot)) !== canonicalJson(scaleOf(candidate.snapshot)))
    return { reason: "scales_differ", message: "the two jobs name different scales for the metric" }
  return undefined
}

/** largest share of the items that may be missing from the pairs */
const mostDropped = 0.02

export const areMissing = (dropped: number, union: number): boolean => dropped > mostDropped * union

/** items of the runs that are in no pair, and all items */
export const droppedOf = ({ n, dropped: { baselineOnly, candidateOnly, unscored } }: Compared) => {
  const dropped = baselineOnly + candidateOnly + unscored
  return { dropped, union: n + dropped, isTooMany: areMissing(dropped, n + dropped) }
}

export const isIncomplete = ({ baseline, union }: Pairs): boolean => areMissing(union - baseline.length, union)

const conclude = (
  pairs: Pairs,
  { estimate, pWorse, pBetter }: Difference,
  { alpha, tolerance }: Asked
): { readonly outcome: Outcome; readonly reason?: (typeof doubts)[number] } => {
  if (isIncomplete(pairs)) return { outcome: "inconclusive", reason: "incomplete_pairs" }
  if (estimate._tag === "Unmeasured") return { outcome: "inconclusive", reason: estimate.reason }
  if (tolerance !== undefined) {
    const judged = judgeDamage(turned(estimate), tolerance, alpha)
    return { outcome: judged === "pass" ? "not_worse" : judged === "breach" ? "worse" : "inconclusive" }
  }
  const limits = limitsOf(estimate, alpha / 2)
  if (limits !== undefined && limits.high < 0 && pWorse <= alpha / 2) return { outcome: "worse" }
  if (limits !== undefined && limits.low > 0 && pBetter <= alpha / 2) return { outcome: "better" }
  return { outcome: "no_difference_shown" }
}

const sizes = (pairs: Pairs, { estimate, spread }: Difference, { alpha, tolerance }: Asked) => {
  if (estimate._tag === "Unmeasured") return {}
  const needed =
    tolerance === undefined || tolerance === 0
      ? undefined
      : {
          at: itemsNeeded(spread, alpha, tolerance),
          observed: itemsNeeded(spread, alpha, tolerance + meanOf(estimate))
        }
  return {
    detectable: detectable(spread, alpha),
    ...(needed === undefined
      ? {}
      : defined({
          itemsNeeded: needed.at,
          itemsNeededAsObserved: needed.observed,
          exceedsDataset: needed.at === undefined ? undefined : needed.at > pairs.union
        }))
  }
}

const methodOf = { Counted: "bonett_price", Measured: "t", Unmeasured: "none" } as const

const comparedOf = (pairs: Pairs, difference: Difference, asked: Asked): Compared => {
  const { estimate, pWorse, pBetter } = difference
  const { baselineOnly, candidateOnly, unscored, worstCase } = pairs
  const counts =
    estimate._tag === "Counted"
      ? { down: estimate.down, up: estimate.up, discordance: (estimate.down + estimate.up) / estimate.n }
      : defined({ clusters: estimate.clusters })
  return {
    n: estimate.n,
    dropped: { baselineOnly, candidateOnly, unscored },
    mean: meanOf(estimate),
    method: methodOf[estimate._tag],
    ...defined({ limits: limitsOf(estimate, asked.alpha / 2), worstCase: isIncomplete(pairs) ? worstCase : undefined }),
    ...errorOf(estimate),
    ...counts,
    ...defined({ correlation: correlationOf(pairs) }),
    ...{ pWorse, pBetter },
    ...sizes(pairs, difference, asked)
  }
}

/** the estimate that a comparison was made of, exactly; undefined where limits could not be told, and where its record is not of this metric */
export const estimateIn = (compared: Compared, range: Range | undefined): Estimate | undefined => {
  const { n, method, mean, centre, error, degrees, clusters, down, up } = compared
  if (method === "bonett_price" && range !== undefined && down !== undefined && up !== undefined)
    return { _tag: "Counted", n, down, up, width: widthOf(range) }
  if (method !== "t" || centre === undefined || error === undefined || degrees === undefined) return undefined
  return { _tag: "Measured", ...{ n, mean, centre, error, degrees, most: widthOf(range) }, ...defined({ clusters }) }
}

/** items below which a result is noted as resting on few */
const few = 30

const notesOf = (pairs: Pairs): ReadonlyArray<string> => [
  ...(pairs.baseline.length < few
    ? [`few_items: ${pairs.baseline.length} items; differences of few items are seldom shown`]
    : []),
  ...(pairs.promptsUnknown > 0
    ? [
        `prompts_unknown: of ${pairs.promptsUnknown} items a run does not say what was asked, so that it could not be held against the other`
      ]
    : [])
]

const timeOutcome = (limits: Ends | undefined): TimeDifference["outcome"] => {
  if (limits === undefined) return "inconclusive"
  if (limits.low > 0) return "worse"
  return limits.high < 0 ? "better" : "no_difference_shown"
}

/** under the same load */
const timesOf = (one: Side, other: Side, alpha: number): ReadonlyArray<TimeDifference> =>
  Object.entries(one.times ?? {}).flatMap(([name, before]) => {
    const after = other.times?.[name] ?? []
    if (before.length === 0 || after.length === 0) return []
    return percents.map((percent) => {
      const found = percentileDifference(before, after, percent, alpha / 2)
      return { ...found, metric: `p${percent}_${name}`, outcome: timeOutcome(found.limits) }
    })
  })

const loadOf = ({ entry }: Benchmark): string => canonicalJson(entry.parameters ?? {})

/** of a performance benchmark: single requests, not a mean of items */
const comparedTimes = (one: Side, other: Side, { alpha }: Asked) => {
  if (loadOf(one.benchmark) !== loadOf(other.benchmark))
    return {
      outcome: "not_comparable",
      reason: "profiles_differ",
      message: "the two ran under different loads: the parameters of the benchmark are not the same"
    } as const
  const times = timesOf(one, other, alpha)
  if (times.length === 0)
    return {
      outcome: "not_comparable",
      reason: "samples_missing",
      message: "no times of single requests are stored, of which percentiles could be compared"
    } as const
  const found = times.map(({ outcome }) => outcome)
  const outcome = (["worse", "better", "no_difference_shown", "inconclusive"] as const).find((name) =>
    found.includes(name)
  )
  return { outcome: outcome ?? "inconclusive", times } as const
}

/** samples of one benchmark in one job that a comparison takes */
export const mostSamples = 200_000
const tooMany = `a benchmark has more than ${mostSamples} samples, which is more than a comparison takes`

const runOf = ({ benchmark, samples }: Side): Run | undefined =>
  samples === undefined ? undefined : { samples, reported: benchmark.result?.test?.primaryScore ?? Number.NaN }

/** either side may be absent: the job has no such benchmark */
export const compareBenchmark = (one: Side | undefined, other: Side | undefined, asked: Asked): BenchmarkComparison => {
  const entry = (one ?? other)?.benchmark.entry
  const base = {
    providerId: entry?.providerId ?? "",
    benchmarkId: entry?.id ?? "",
    ...defined({ baselineIndex: one?.benchmark.index, candidateIndex: other?.benchmark.index })
  }
  if (one === undefined || other === undefined)
    return {
      ...base,
      outcome: "not_comparable",
      reason: "benchmark_missing",
      message: `only the ${one === undefined ? "candidate" : "baseline"} has this benchmark`
    }
  const scores = defined({ baseline: shownScore(one.benchmark), candidate: shownScore(other.benchmark) })
  const refused = refusal(one.benchmark, other.benchmark)
  if (refused !== undefined) return { ...base, outcome: "not_comparable", ...refused, ...scores }
  const { metric = "", lowerIsBetter = false } = one.benchmark.result?.test ?? {}
  const about = { ...base, metric, lowerIsBetter, ...scores }
  if (one.times !== undefined || other.times !== undefined) return { ...about, ...comparedTimes(one, other, asked) }
  const range = rangeOf(scaleOf(one.benchmark.snapshot))
  const [first, second] = [runOf(one), runOf(other)]
  if (first === undefined || second === undefined)
    return { ...about, outcome: "not_comparable", reason: "too_many_samples", message: tooMany }
  const pairs = pairSamples(first, second, range)
  if (pairs._tag === "NotPaired")
    return {
      ...about,
      outcome: "not_comparable",
      reason: pairs.reason,
      message: pairs.message,
      ...defined({ count: pairs.count })
    }
  const difference = differenceOf(pairs, { range, lowerIsBetter })
  const notes = notesOf(pairs)
  return {
    ...about,
    ...conclude(pairs, difference, asked),
    compared: comparedOf(pairs, difference, asked),
    ...(notes.length === 0 ? {} : { notes })
  }
}
