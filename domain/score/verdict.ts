/**
 * What a benchmark's primary metric shows about the true value behind it: limits from what is known of its items, and from them a verdict
 * with three outcomes. Reference: states-and-scores.md, "Verdicts", "Intervals and bounds".
 */

import { defined } from "../../values/defined.ts"
import { type MeanSummary, meanLimits } from "../../values/mean-limits.ts"
import { placeOn, rangeOf, type Scale } from "./scale.ts"

export const decisions = ["pass", "fail", "inconclusive"] as const
export type Decided = (typeof decisions)[number]

/** chance of a wrong verdict is at most one minus this */
export const level = 0.95

/** where limits come from: the stored items, counts that the adapter states, the standard error or the interval that it reports */
export const evidenceSources = ["samples", "counts", "stderr", "interval"] as const
export type EvidenceSource = (typeof evidenceSources)[number]

/** for people: holds the true value in 95 of 100 runs */
export interface Interval {
  readonly low: number
  readonly high: number
  readonly level: number
  readonly sides: 2
  readonly method: string
  readonly n: number
  readonly source: EvidenceSource
}

/** for verdicts: each of them is wrong in at most 5 of 100 runs */
export interface Bounds {
  readonly low: number
  readonly high: number
  readonly level: number
  readonly sides: 1
}

/** what an adapter reports beside a metric's value */
export interface Reported {
  readonly value: number
  readonly n?: number
  readonly stderr?: number
  readonly successes?: number
  readonly clusters?: number
  readonly ci?: readonly [number, number]
  readonly ciLevel?: number
  readonly ciMethod?: string
}

interface Evidence {
  readonly summary: MeanSummary
  readonly source: Exclude<EvidenceSource, "interval">
}

interface Limits {
  readonly interval?: Interval
  readonly bounds?: Bounds
}

const same = 1e-9
/** a standard error without counts or groups beside it may be anything, so it needs this many items */
const minReported = 30

const isCount = (value: number | undefined): value is number =>
  value !== undefined && Number.isSafeInteger(value) && value >= 0

/** only values at the two ends of the scale give this standard error with this mean; undefined when there may be others */
const countedByError = (place: number, n: number, error: number): number | undefined => {
  const successes = Math.round(place * n)
  if (Math.abs(place * n - successes) > 1e-6) return undefined
  const variance = place * (1 - place)
  // frameworks divide by n - 1 or by n
  return [n - 1, n].some((by) => by > 0 && Math.abs(error ** 2 - variance / by) <= 1e-6 * (variance / by))
    ? successes
    : undefined
}

/** the evidence in what was reported; undefined when it says nothing about single items */
const reportedEvidence = ({ value, n, stderr, successes, clusters }: Reported, scale: Scale): Evidence | undefined => {
  const range = rangeOf(scale)
  const place = range === undefined ? undefined : placeOn(range, value)
  if (!isCount(n) || n === 0 || (range !== undefined && place === undefined)) return undefined
  const base = { n, mean: value, ...defined({ range }) }
  const groups = clusters !== undefined && clusters > 0 && clusters < n ? { clusters } : {}
  const alone = groups.clusters === undefined
  if (place !== undefined && alone && isCount(successes) && successes <= n && Math.abs(successes / n - place) <= same)
    return { summary: { ...base, successes }, source: "counts" }
  if (stderr === undefined || !(stderr >= 0)) return undefined
  const counted =
    range === undefined || place === undefined || !alone
      ? undefined
      : countedByError(place, n, stderr / (range.max - range.min))
  if (counted !== undefined) return { summary: { ...base, successes: counted }, source: "stderr" }
  if (clusters !== undefined) return { summary: { ...base, ...groups, standardError: stderr }, source: "counts" }
  return stderr > 0 && n >= minReported ? { summary: { ...base, standardError: stderr }, source: "stderr" } : undefined
}

/** stored items count when their mean is the reported value: else they are not what the metric was made of */
export const evidenceOf = (reported: Reported, scale: Scale, samples?: MeanSummary): Evidence | undefined =>
  samples !== undefined && Math.abs(samples.mean - reported.value) <= same
    ? { summary: samples, source: "samples" }
    : reportedEvidence(reported, scale)

const intervalOf = ({ summary, source }: Evidence): Interval | undefined => {
  const limits = meanLimits(summary, (1 - level) / 2)
  return limits === undefined
    ? undefined
    : { low: limits.low, high: limits.high, level, sides: 2, method: limits.method, n: summary.n, source }
}

const boundsOf = ({ summary }: Evidence): Bounds | undefined => {
  const limits = meanLimits(summary, 1 - level)
  return limits === undefined ? undefined : { low: limits.low, high: limits.high, level, sides: 1 }
}

/** they need no number of values beside them: with too few there is no interval */
const cautious: ReadonlySet<string | undefined> = new Set([
  "batch_means",
  "betting",
  "jackknife",
  "order_statistics",
  "product_limit"
])
/** a two-sided interval of this level misses on either side no more often than a bound may */
const leastLevel = 0.9

/** of a value that is no mean of items, the interval that was reported: its ends are bounds by themselves */
const reportedLimits = ({ value, n, ci, ciLevel, ciMethod }: Reported): Limits => {
  const [low = Number.NaN, high = Number.NaN] = ci ?? []
  const fits = low <= value && value <= high && Number.isFinite(high - low)
  if (!fits || !isCount(n) || n === 0 || ciLevel === undefined || ciLevel < leastLevel || ciLevel >= 1) return {}
  if (n < minReported && !cautious.has(ciMethod)) return {}
  return {
    interval: { low, high, level: ciLevel, sides: 2, method: ciMethod ?? "reported", n, source: "interval" },
    bounds: { low, high, level: (1 + ciLevel) / 2, sides: 1 }
  }
}

/** what is known of the true value: from stored items, else from what was reported. `stopped`: for what they showed, so that only an interval that holds whenever one stops says something. */
export const limitsOf = (reported: Reported, scale: Scale, samples?: MeanSummary, stopped = false): Limits => {
  if (stopped) return reported.ciMethod === "betting" ? reportedLimits(reported) : {}
  const evidence = evidenceOf(reported, scale, samples)
  if (evidence === undefined) return reportedLimits(reported)
  return defined({ interval: intervalOf(evidence), bounds: boundsOf(evidence) })
}

/** pass: even the worse bound meets the threshold; fail: even the better one does not; else the items are too few to tell */
export const decide = (bounds: Bounds | undefined, threshold: number, lowerIsBetter: boolean): Decided => {
  if (bounds === undefined) return "inconclusive"
  const { low, high } = bounds
  if (lowerIsBetter) return high <= threshold ? "pass" : low > threshold ? "fail" : "inconclusive"
  return low >= threshold ? "pass" : high < threshold ? "fail" : "inconclusive"
}
