/**
 * How far a mean can be trusted: exact limits for yes-or-no values, Student's with two pseudo-values for bounded scores (widened where
 * they are skewed), plain Student's for unbounded ones. Pure functions of a summary, so that it does not matter whether an adapter counted or the server has the values.
 * Reference: states-and-scores.md, "Intervals and bounds".
 */
import { defined } from "./defined.ts"
import { betaQuantile, normalQuantile, tQuantile } from "./distributions.ts"

export interface Range {
  readonly min: number
  readonly max: number
}

/** what is known of the values behind a mean */
export interface MeanSummary {
  readonly n: number
  readonly mean: number
  /** every value is the lowest or the highest one, and so many are the highest; not given when values hang together */
  readonly successes?: number
  /** of the mean; of values that hang together the one that takes it into account */
  readonly standardError?: number
  /** of values that hang together (rules of one prompt, questions about one text): how many independent ones they are worth */
  readonly clusters?: number
  /** between which numbers a value can lie; absent: anywhere */
  readonly range?: Range
}

export type LimitsMethod = "clopper_pearson" | "t"

export interface Limits {
  readonly low: number
  readonly high: number
  readonly method: LimitsMethod
}

/** fewer independent values say nothing about their spread */
const minGroups = 5
/** of values that can lie anywhere: before that the mean of skewed values is not near a normal distribution */
const minUnbounded = 30

/** limits of a share: outside lies at most `tail` on either side, whatever the true share is (Clopper and Pearson 1934) */
export const shareLimits = (successes: number, n: number, tail: number): Limits => ({
  low: successes === 0 ? 0 : betaQuantile(tail, successes, n - successes + 1),
  high: successes === n ? 1 : betaQuantile(1 - tail, successes + 1, n - successes),
  method: "clopper_pearson"
})

/** Student's, with two more values, one at either end: they keep the width above zero and stand for what few values have not shown */
const withPseudoValues = (mean: number, error: number, groups: number, degrees: number, tail: number) => {
  const centre = (groups * mean + 1) / (groups + 2)
  const squares = error ** 2 * groups * (groups - 1) + groups * (mean - centre) ** 2 + centre ** 2 + (1 - centre) ** 2
  const half = tQuantile(1 - tail, degrees) * Math.sqrt(squares / ((groups + 1) * (groups + 2)))
  return { low: centre - half, high: centre + half }
}

/** the exact limits of as many yes-or-no values as have this mean and this standard error (Korn and Graubard 1998) */
const likeShares = (mean: number, error: number, groups: number, tail: number) => {
  const alike = error > 0 ? (mean * (1 - mean)) / error ** 2 : groups
  const n = Math.max(1, alike) * (normalQuantile(1 - tail) / tQuantile(1 - tail, groups - 1)) ** 2
  return shareLimits(mean * n, n, tail)
}

/** on 0..1 the wider of both: the first is wrong too often about skewed values, the second about few */
const boundedLimits = (mean: number, error: number, groups: number, degrees: number, tail: number): Limits => {
  const [student, alike] = [withPseudoValues(mean, error, groups, degrees, tail), likeShares(mean, error, groups, tail)]
  return {
    low: Math.max(0, Math.min(mean, student.low, alike.low)),
    high: Math.min(1, Math.max(mean, student.high, alike.high)),
    method: "t"
  }
}

const scaled = ({ low, high, method }: Limits, { min, max }: Range): Limits => ({
  low: low === 0 ? min : min + low * (max - min),
  high: high === 1 ? max : min + high * (max - min),
  method
})

/** limits of the true mean, with at most `tail` beyond each of them; undefined when the summary does not carry any */
export const meanLimits = (
  { n, mean, successes, standardError: error, clusters, range }: MeanSummary,
  tail: number
): Limits | undefined => {
  if (range !== undefined && successes !== undefined && clusters === undefined)
    return scaled(shareLimits(successes, n, tail), range)
  const groups = clusters ?? n
  if (error === undefined || groups < minGroups) return undefined
  if (range === undefined) {
    if (groups < minUnbounded || error === 0) return undefined
    const half = tQuantile(1 - tail, groups - 1) * error
    return { low: mean - half, high: mean + half, method: "t" }
  }
  const width = range.max - range.min
  const degrees = clusters === undefined ? n + 1 : clusters - 1
  return scaled(boundedLimits((mean - range.min) / width, error / width, groups, degrees, tail), range)
}

/** sums over values, as a store or an adapter can give them without their list */
export interface ValueSums {
  readonly n: number
  readonly sum: number
  readonly sumOfSquares: number
  /** of values that hang together: count and sum of each group */
  readonly groups?: ReadonlyArray<{ readonly n: number; readonly sum: number }>
}

/** at one of the ends each: a sum of squares as large as it can be. Exact for sums of whole numbers. */
const isBinary = ({ n, sum, sumOfSquares }: ValueSums, { min, max }: Range): boolean =>
  // Σ(x − min)(max − x) is 0 only when no value lies between
  Math.abs((min + max) * sum - sumOfSquares - n * min * max) <= 1e-9 * n * (max - min) ** 2

/** the summary of values from their sums; `n` > 0 */
export const summaryOf = (sums: ValueSums, range?: Range): MeanSummary => {
  const { n, sum, sumOfSquares, groups } = sums
  const mean = sum / n
  const bounds = range === undefined ? {} : { range }
  if (groups?.some((group) => group.n > 1)) {
    const squares = groups.reduce((total, group) => total + (group.sum - group.n * mean) ** 2, 0)
    const error = groups.length < 2 ? undefined : Math.sqrt((groups.length / (groups.length - 1)) * squares) / n
    const clusters = n ** 2 / groups.reduce((total, group) => total + group.n ** 2, 0)
    return { n, mean, clusters, ...defined({ standardError: error }), ...bounds }
  }
  const error = n < 2 ? undefined : Math.sqrt(Math.max(0, sumOfSquares - sum * mean) / (n - 1) / n)
  const binary =
    range !== undefined && isBinary(sums, range)
      ? { successes: Math.round((sum - n * range.min) / (range.max - range.min)) }
      : {}
  return { n, mean, ...binary, ...defined({ standardError: error }), ...bounds }
}
