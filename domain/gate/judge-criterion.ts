/**
 * One criterion on what is known of a benchmark: it passes, is broken, or it cannot be told and why. Steps in their order: validity,
 * completeness, number of items, interval. Reference: comparison-and-gates.md, "Criteria".
 */

import { defined } from "../../values/defined.ts"
import { binomialAtMost } from "../../values/distributions.ts"
import { type MeanSummary, meanLimits, type Range, summaryOf } from "../../values/mean-limits.ts"
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
} from "../../values/paired-estimate.ts"
import { type BenchmarkComparison, droppedOf, estimateIn, isIncomplete } from "../comparison/compare-benchmark.ts"
import { differenceOf } from "../comparison/difference.ts"
import { type Pairs, pairSamples } from "../comparison/pair-samples.ts"
import { judgeDamage } from "../comparison/tolerance.ts"
import type { Scale } from "../score/scale.ts"
import { decide, evidenceOf } from "../score/verdict.ts"
import type { Criterion } from "./criteria.ts"
import { stoppedText } from "./early-stop.ts"
import { predicted, predictedPairs } from "./judge-asked.ts"
import {
  type CriterionEvidence,
  fewest,
  isJudged,
  type Judged,
  type Measured,
  measuredOf,
  missingPairs,
  notPaired,
  open,
  shownOf
} from "./measured.ts"

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

const absolute = (found: Measured, threshold: number, evidence: CriterionEvidence): Judged => {
  const { alpha } = evidence
  const { metric, value, direction, range, run, side } = found
  const known = { metric, direction, value }
  const stopped = side.benchmark.result?.earlyStopped
  if (stopped !== undefined) return predicted(found, threshold, evidence, stopped)
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
  const stoppedBefore = before.side.benchmark.result?.earlyStopped
  if (stoppedBefore !== undefined)
    return open("incomplete", `the baseline ${stoppedText(stoppedBefore)}, so that items can not be paired`, known)
  const stopped = found.side.benchmark.result?.earlyStopped
  if (stopped !== undefined) return predictedPairs(found, before, evidence, stopped)
  if (found.run === undefined || before.run === undefined)
    return open("interval", "a run has more samples than a comparison takes", known)
  const pairs = pairSamples(before.run, found.run, range)
  if (pairs._tag === "NotPaired") return notPaired(pairs, known)
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
  const { criterion, candidate, baseline } = evidence
  const found = measuredOf(criterion, candidate, "job")
  if (isJudged(found)) return found
  if (criterion.kind === "absolute") return absolute(found, criterion.threshold ?? Number.NaN, evidence)
  const before = measuredOf(criterion, baseline, "baseline")
  return isJudged(before) ? before : relative(found, before, evidence)
}
