/**
 * One criterion on what is known of a benchmark: it passes, is broken, or it cannot be told and why. Steps in their order: validity,
 * completeness, number of items, interval. Reference: comparison-and-gates.md, "Criteria".
 */

import { defined } from "../../values/defined.ts"
import { binomialAtMost } from "../../values/distributions.ts"
import { type MeanSummary, meanLimits, type Range, summaryOf } from "../../values/mean-limits.ts"
import {
  areMissing,
  type BenchmarkComparison,
  droppedOf,
  estimateIn,
  isIncomplete,
  type Side
} from "../comparison/compare-benchmark.ts"
import { differenceOf } from "../comparison/difference.ts"
import {
  type CountedPairs,
  type Ends,
  type Estimate,
  estimateOf,
  limitsOf,
  meanOf,
  pAtMost,
  pBeyond,
  tangoLimits,
  turned
} from "../comparison/estimate.ts"
import { type Pairs, pairSamples, type Run } from "../comparison/pair-samples.ts"
import { judgeDamage } from "../comparison/tolerance.ts"
import { resolveMetric, scaleOf } from "../job/scoring.ts"
import { rangeOf, type Scale } from "../score/scale.ts"
import { decide, evidenceOf } from "../score/verdict.ts"
import type { Criterion, Direction } from "./criteria.ts"
import { type EarlyStopped, stoppedText } from "./early-stop.ts"
import { predict } from "./judge-stopped.ts"

export const openReasons = ["invalid", "missing", "incomplete", "few_items", "few_clusters", "interval"] as const
export type OpenReason = (typeof openReasons)[number]

export const criterionOutcomes = ["PASS", "BREACH", "INCONCLUSIVE"] as const

export interface Judged {
  readonly outcome: (typeof criterionOutcomes)[number]
  readonly reason?: OpenReason
  readonly message?: string
  readonly metric?: string
  readonly direction?: Direction
  /** as it was reported */
  readonly value?: number
  readonly baselineValue?: number
  readonly n?: number
  /** against the baseline, positive is worse; of a share that must be kept: what is missing of it */
  readonly loss?: number
  /** one-sided: of the value, or of the loss against the baseline */
  readonly bounds?: Ends
  /** one-sided, of "it is not broken" */
  readonly p?: number
  /** fewer items were asked than there are; outcome, bounds and p say what the gate on all of them would, wrong with at most `alpha` besides */
  readonly earlyStopped?: EarlyStopped & { readonly alpha: number }
}

export interface CriterionEvidence {
  readonly criterion: Criterion
  /** after the correction for earlier looks */
  readonly alpha: number
  readonly candidate: Side | undefined
  readonly baseline: Side | undefined
  /** what a comparison of these very runs found; then no samples are needed */
  readonly known?: BenchmarkComparison
}

const fewest = 10

const open = (reason: OpenReason, message: string, known: Partial<Judged> = {}): Judged => ({
  outcome: "INCONCLUSIVE",
  reason,
  message,
  ...known
})

interface Measured {
  readonly metric: string
  readonly value: number
  readonly direction: Direction
  readonly range: Range | undefined
  readonly run: Run | undefined
  readonly side: Side
}

/** a metric that is not the primary one has no scale of its own: shares lie between 0 and 1 */
const scaleFor = ({ benchmark }: Side, isPrimary: boolean, value: number): Scale =>
  isPrimary ? scaleOf(benchmark.snapshot) : value >= 0 && value <= 1 ? "unit" : "unbounded"

/** the metric of a run that can be believed, or why there is none */
const measuredOf = (criterion: Criterion, side: Side | undefined, who: string): Measured | Judged => {
  const { benchmark } = side ?? {}
  if (side === undefined || benchmark?.state !== "completed" || benchmark.result === undefined)
    return open("missing", `the ${who} has no finished benchmark ${criterion.benchmark}`)
  if (benchmark.result.validity?.status === "invalid")
    return open("invalid", `the result of the ${who} is invalid: its flags say why`)
  const primary = benchmark.snapshot.primaryScore
  const name = criterion.metric ?? primary?.metric
  const match = name === undefined ? undefined : resolveMetric(benchmark.result.metrics, name)
  if (match === undefined || match._tag === "Missing")
    return open("missing", match?.note ?? `the benchmark of the ${who} has no primary metric`)
  const isPrimary = name === primary?.metric
  const direction = criterion.direction ?? (isPrimary && primary?.lowerIsBetter === true ? "lower" : "higher")
  return {
    metric: match.name,
    value: match.value,
    direction,
    range: rangeOf(scaleFor(side, isPrimary, match.value)),
    run: side.samples === undefined ? undefined : { samples: side.samples, reported: match.value },
    side
  }
}

const isJudged = (found: Measured | Judged): found is Judged => "outcome" in found

const summaryOfItems = ({ baseline: values, clusters }: Pairs, range: Range | undefined): MeanSummary => {
  const sum = (all: ReadonlyArray<number>) => all.reduce((total, value) => total + value, 0)
  const groups = new Map<number, { n: number; sum: number }>()
  for (const [at, cluster] of (clusters ?? []).entries()) {
    const known = groups.get(cluster) ?? { n: 0, sum: 0 }
    groups.set(cluster, { n: known.n + 1, sum: known.sum + (values[at] ?? 0) })
  }
  return summaryOf(
    {
      n: values.length,
      sum: sum(values),
      sumOfSquares: sum(values.map((value) => value * value)),
      ...(clusters === undefined ? {} : { groups: [...groups.values()] })
    },
    range
  )
}

/** what all items would show, where fewer were asked */
const predicted = (found: Measured, threshold: number, alpha: number, stopped: EarlyStopped): Judged => {
  const { metric, value, direction, range, side } = found
  const { primaryScore, earlyStop: plan } = side.benchmark.snapshot
  const { asked } = side
  const known = { metric, direction, value, n: asked?.values.length ?? 0 }
  if (
    asked === undefined ||
    range === undefined ||
    plan === undefined ||
    side.benchmark.result?.test?.metric !== metric
  )
    return open(
      "incomplete",
      `the benchmark ${stoppedText(stopped)}, which says nothing about any metric but ${primaryScore?.metric}`,
      known
    )
  const { values, unscored } = asked
  if (areMissing(unscored, values.length))
    return open("incomplete", `${unscored} of ${values.length} items have no scored sample`, known)
  const prediction = predict({ values, stopped, plan, range, isLower: direction === "lower" }, threshold, alpha)
  if (prediction === undefined) return open("few_items", `${values.length} items are fewer than ${fewest}`, known)
  return { ...known, ...prediction, earlyStopped: { ...stopped, alpha: plan.alpha } }
}

/** one-sided p of "the threshold is met": exact of yes-or-no items, else where the bound would stand on it */
const pOf = (summary: MeanSummary, threshold: number, isLower: boolean): number => {
  const { n, successes, range } = summary
  if (successes !== undefined && range !== undefined) {
    const share = Math.min(1, Math.max(0, (threshold - range.min) / (range.max - range.min)))
    if (isLower) return successes === 0 ? 1 : 1 - binomialAtMost(successes - 1, n, share)
    return binomialAtMost(successes, n, share)
  }
  return pBeyond((tail) => {
    const limits = meanLimits(summary, tail)
    return limits !== undefined && (isLower ? limits.low > threshold : limits.high < threshold)
  })
}

const absolute = (found: Measured, threshold: number, alpha: number): Judged => {
  const { metric, value, direction, range, run, side } = found
  const known = { metric, direction, value }
  const stopped = side.benchmark.result?.earlyStopped
  if (stopped !== undefined) return predicted(found, threshold, alpha, stopped)
  const items = run === undefined ? undefined : pairSamples(run, run, range)
  const stored = items?._tag === "Paired" ? items : undefined
  if (stored !== undefined && isIncomplete(stored))
    return open("incomplete", `${stored.unscored} of ${stored.union} items have no scored sample`, known)
  const described = side.benchmark.result?.metricsSchema?.find(({ name }) => name === metric)
  const scale: Scale = range ?? "unbounded"
  const summary =
    stored === undefined ? evidenceOf({ value, ...described }, scale)?.summary : summaryOfItems(stored, range)
  if (summary === undefined)
    return open("interval", "nothing is known of the single items: no samples, no counts, no standard error", known)
  const { n, clusters } = summary
  if (n < fewest) return open("few_items", `${n} items are fewer than ${fewest}`, { ...known, n })
  if (clusters !== undefined && clusters < 5)
    return open("few_clusters", "items that belong together are worth fewer than five", { ...known, n })
  const limits = meanLimits(summary, alpha)
  if (limits === undefined) return open("interval", "the items show too little of their spread", { ...known, n })
  const bounds = { low: limits.low, high: limits.high }
  const isLower = direction === "lower"
  const decided = decide({ ...bounds, level: 1 - alpha, sides: 1 }, threshold, isLower)
  const outcome = decided === "pass" ? "PASS" : decided === "fail" ? "BREACH" : "INCONCLUSIVE"
  return { outcome, ...known, n, bounds, p: pOf(summary, threshold, isLower) }
}

/** a third of the skewness of their mean, halved (Johnson 1978): few values that lose much hide easily */
const leanOf = (values: ReadonlyArray<number>): number => {
  const n = values.length
  const mean = values.reduce((sum, value) => sum + value, 0) / n
  const power = (to: number) => values.reduce((sum, value) => sum + (value - mean) ** to, 0)
  const squares = power(2)
  return squares === 0 ? 0 : power(3) / (6 * squares * n)
}

/** what was lost against the share of the baseline that must be kept; positive is too much */
export const fractionLoss = (
  { baseline, candidate, clusters }: Pick<Pairs, "baseline" | "candidate" | "clusters">,
  share: number,
  { direction, range }: Pick<Measured, "direction" | "range">
): Exclude<Estimate, CountedPairs> | undefined => {
  const isLower = direction === "lower"
  const kept = isLower ? 1 + share : 1 - share
  if (range === undefined && [...baseline, ...candidate].some((value) => value < 0)) return undefined
  const losses = baseline.map((before, at) => {
    const rest = (candidate[at] ?? 0) - kept * before
    return isLower ? rest : -rest
  })
  const estimate = estimateOf(losses, range === undefined ? Infinity : Math.max(1, kept) * range.max, clusters)
  return estimate._tag === "Unmeasured" || clusters !== undefined ? estimate : { ...estimate, lean: leanOf(losses) }
}

const boundsOf = (loss: Estimate, alpha: number): Ends | undefined => {
  const first = limitsOf(loss, alpha)
  if (first === undefined || loss._tag !== "Counted") return first
  const second = tangoLimits(loss, alpha)
  return { low: Math.min(first.low, second.low), high: Math.max(first.high, second.high) }
}

/** what must agree so that a comparison tells the loss of a criterion */
export const isAbout = (known: BenchmarkComparison, { kind, metric, direction }: Criterion): boolean =>
  kind === "relative_to_baseline" &&
  known.compared !== undefined &&
  known.compared.method !== "none" &&
  (metric === undefined || metric === known.metric) &&
  (direction === undefined || (direction === "lower") === known.lowerIsBetter)

/** the same as from the samples: a comparison keeps all that its estimate is made of */
const relativeAsCompared = (
  found: Measured,
  before: Measured,
  { criterion, alpha, known }: CriterionEvidence
): Judged | undefined => {
  const { compared } = known ?? {}
  const loss = compared === undefined ? undefined : estimateIn(compared, found.range)
  if (compared === undefined || loss === undefined) return undefined
  const { dropped, union, isTooMany } = droppedOf(compared)
  const shown = shownOf(found, before)
  if (isTooMany) return missingPairs(dropped, union, shown)
  return judgeLoss(turned(loss), { n: compared.n, limit: criterion.tolerance ?? 0, alpha }, shown)
}

const shownOf = ({ metric, value, direction }: Measured, before: Measured) => ({
  ...{ metric, direction, value, baselineValue: before.value }
})

const missingPairs = (dropped: number, union: number, known: Partial<Judged>): Judged =>
  open("incomplete", `${dropped} of ${union} items are not scored in both runs`, known)

const judgeLoss = (
  loss: Estimate,
  { n, limit, alpha }: { readonly n: number; readonly limit: number; readonly alpha: number },
  known: Partial<Judged>
): Judged => {
  if (n < fewest) return open("few_items", `${n} items are fewer than ${fewest}`, { ...known, n })
  if (loss._tag === "Unmeasured")
    return loss.reason === "few_clusters"
      ? open("few_clusters", "items that belong together are worth fewer than five", { ...known, n })
      : open("interval", "too few items differ for an interval on an unbounded scale", { ...known, n })
  const judged = judgeDamage(loss, limit, alpha)
  const bounds = boundsOf(loss, alpha)
  return {
    outcome: judged === "pass" ? "PASS" : judged === "breach" ? "BREACH" : "INCONCLUSIVE",
    ...known,
    n,
    loss: meanOf(loss),
    ...defined({ bounds }),
    p: pAtMost(loss, limit)
  }
}

const relative = (found: Measured, before: Measured, evidence: CriterionEvidence): Judged => {
  const asCompared = relativeAsCompared(found, before, evidence)
  if (asCompared !== undefined) return asCompared
  const { criterion, alpha } = evidence
  const { range, direction } = found
  const known = shownOf(found, before)
  for (const { side } of [before, found]) {
    const stopped = side.benchmark.result?.earlyStopped
    if (stopped !== undefined)
      return open("incomplete", `a benchmark ${stoppedText(stopped)}, so that its items can not be paired`, known)
  }
  if (found.run === undefined || before.run === undefined)
    return open("interval", "a run has more samples than a comparison takes", known)
  const pairs = pairSamples(before.run, found.run, range)
  if (pairs._tag === "NotPaired")
    return open(pairs.reason === "samples_missing" ? "missing" : "interval", pairs.message, known)
  const n = pairs.baseline.length
  if (isIncomplete(pairs)) return missingPairs(pairs.union - n, pairs.union, known)
  if (n < fewest) return open("few_items", `${n} items are fewer than ${fewest}`, { ...known, n })
  const { kind, tolerance = 0 } = criterion
  const isFraction = kind === "relative_fraction"
  const loss = isFraction
    ? fractionLoss(pairs, tolerance, found)
    : turned(differenceOf(pairs, { range, lowerIsBetter: direction === "lower" }).estimate)
  if (loss === undefined)
    return open("interval", "values below 0 have no share that could be kept; take kind relative_to_baseline", known)
  return judgeLoss(loss, { n, limit: isFraction ? 0 : tolerance, alpha }, known)
}

export const judgeCriterion = (evidence: CriterionEvidence): Judged => {
  const { criterion, alpha, candidate, baseline } = evidence
  const found = measuredOf(criterion, candidate, "job")
  if (isJudged(found)) return found
  if (criterion.kind === "absolute") return absolute(found, criterion.threshold ?? Number.NaN, alpha)
  const before = measuredOf(criterion, baseline, "baseline")
  return isJudged(before) ? before : relative(found, before, evidence)
}
