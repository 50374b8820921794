/** Numbers about numbers: means, intervals, percentiles, calibration, pass@k. Reference: states-and-scores.md, "Intervals and bounds". All intervals are 95 %. */
import { binomialAtMost, tQuantile } from "../../values/distributions.ts"
import { type MeanSummary, meanLimits, type Range, summaryOf } from "../../values/mean-limits.ts"

/** beyond an interval on either side */
const TAIL = 0.025

export interface Interval {
  readonly low: number
  readonly high: number
  /**
   * `order_statistics` is exact for percentiles of any distribution, `product_limit` for percentiles of times of which some are lower bounds,
   * `jackknife` for what is no mean of items
   */
  readonly method: "clopper_pearson" | "t" | "order_statistics" | "product_limit" | "jackknife"
}

/** NaN for no values */
export const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** what is known of the mean of values that lie within the range and do not hang together; not empty */
export const summaryOfValues = (values: ReadonlyArray<number>, range: Range): MeanSummary =>
  summaryOf(
    {
      n: values.length,
      sum: values.reduce((sum, value) => sum + value, 0),
      sumOfSquares: values.reduce((sum, value) => sum + value * value, 0)
    },
    range
  )

/** of the mean behind the summary; undefined where it would promise too much */
export const intervalOf = (summary: MeanSummary): Interval | undefined => meanLimits(summary, TAIL)

/** percentile 0..100 with linear interpolation between the two nearest ranks; `sorted` ascending, not empty */
export const percentile = (sorted: ReadonlyArray<number>, percent: number): number => {
  const rank = (Math.min(100, Math.max(0, percent)) / 100) * (sorted.length - 1)
  const below = sorted[Math.floor(rank)] as number
  const above = sorted[Math.ceil(rank)] as number
  return below + (above - below) * (rank - Math.floor(rank))
}

/** the least count 0..n+1 for which at most as many values lie below the percentile with more than this probability */
const countBeyond = (n: number, share: number, probability: number): number => {
  let [low, high] = [0, n + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (middle <= n && binomialAtMost(middle, n, share) <= probability) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Two of the values between which the true percentile lies, whatever the distribution: of n values the number below it is binomial.
 * Undefined where the values are too few for the percentile, as for the 99th of less than 368. `sorted` ascending.
 */
export const percentileInterval = (sorted: ReadonlyArray<number>, percent: number): Interval | undefined => {
  const share = percent / 100
  const low = sorted[countBeyond(sorted.length, share, TAIL) - 1]
  const high = sorted[countBeyond(sorted.length, share, 1 - TAIL)]
  return low === undefined || high === undefined ? undefined : { low, high, method: "order_statistics" }
}

/** below it a jackknife promises too much */
const MIN_ROWS = 20
/** leaving out more than so many groups in turn costs much and gains nothing */
const MAX_GROUPS = 100

/**
 * Interval of a smooth statistic of all rows that is no mean of them (a ratio of sums, BLEU): how much it moves when one row, or one of a
 * hundred groups of rows, is left out. Undefined below so many rows, where it would promise too much. Clipped to the range.
 */
export const jackknife = <Row>(
  rows: ReadonlyArray<Row>,
  statistic: (rows: ReadonlyArray<Row>) => number,
  { min, max }: Range,
  fewest = MIN_ROWS
): Interval | undefined => {
  if (rows.length < fewest) return undefined
  const groups = Math.min(rows.length, MAX_GROUPS)
  const value = statistic(rows)
  const without = Array.from({ length: groups }, (_, group) =>
    statistic(rows.filter((_row, at) => at % groups !== group))
  )
  const centre = mean(without)
  const squares = without.reduce((sum, one) => sum + (one - centre) ** 2, 0)
  const half = tQuantile(1 - TAIL, groups - 1) * Math.sqrt(((groups - 1) / groups) * squares)
  return Number.isFinite(half)
    ? { low: Math.max(min, value - half), high: Math.min(max, value + half), method: "jackknife" }
    : undefined
}

export interface Prediction {
  /** probability the model gave to its own answer, 0..1 */
  readonly confidence: number
  readonly correct: boolean
}

/** expected calibration error over equal-width bins of confidence: mean of |accuracy - confidence| weighted by bin size */
export const expectedCalibrationError = (predictions: ReadonlyArray<Prediction>, bins = 10): number => {
  let total = 0
  for (let bin = 0; bin < bins; bin++) {
    const inside = predictions.filter(({ confidence }) => Math.min(bins - 1, Math.floor(confidence * bins)) === bin)
    if (inside.length === 0) continue
    const accuracy = inside.filter(({ correct }) => correct).length / inside.length
    total +=
      (inside.length / predictions.length) * Math.abs(accuracy - mean(inside.map(({ confidence }) => confidence)))
  }
  return total
}

/** multi-class Brier score of one item: Σ (p - 1 if right option else 0)²; 0 is perfect, 2 the worst */
export const brier = (probabilities: ReadonlyArray<number>, right: number): number =>
  probabilities.reduce((sum, p, option) => sum + (p - (option === right ? 1 : 0)) ** 2, 0)

/** unbiased estimate of pass@k from n tries of which c passed: 1 - C(n-c, k) / C(n, k) */
export const passAtK = (n: number, c: number, k: number): number => {
  if (n - c < k) return 1
  let miss = 1
  for (let i = n - c + 1; i <= n; i++) miss *= 1 - k / i
  return 1 - miss
}
