/** Numbers about numbers: means, intervals, percentiles, calibration, pass@k. Reference: providers-and-collections.md, "Honesty rules". All intervals are 95 %. */
import { seededRandom } from "./random.ts"

const Z95 = 1.959963984540054
/** above this many values the normal interval is as good as 1,000 resamples and far cheaper */
const BOOTSTRAP_MAX = 20_000

export interface Interval {
  readonly low: number
  readonly high: number
  readonly method: "wilson" | "bootstrap" | "normal"
}

/** NaN for no values */
export const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** standard error of the mean from the sample deviation (n - 1); undefined for fewer than two values */
export const standardError = (values: ReadonlyArray<number>): number | undefined => {
  if (values.length < 2) return undefined
  const centre = mean(values)
  const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0)
  return Math.sqrt(squares / (values.length - 1) / values.length)
}

/** Wilson score interval of `successes` out of `n` (n > 0) */
export const wilson = (successes: number, n: number): Interval => {
  const p = successes / n
  const z2 = Z95 * Z95
  const scale = 1 + z2 / n
  const centre = (p + z2 / (2 * n)) / scale
  const half = (Z95 / scale) * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n))
  return { low: successes === 0 ? 0 : Math.max(0, centre - half), high: successes === n ? 1 : Math.min(1, centre + half), method: "wilson" }
}

/** percentile 0..100 with linear interpolation between the two nearest ranks; `sorted` ascending, not empty */
export const percentile = (sorted: ReadonlyArray<number>, percent: number): number => {
  const rank = (Math.min(100, Math.max(0, percent)) / 100) * (sorted.length - 1)
  const below = sorted[Math.floor(rank)] as number
  const above = sorted[Math.ceil(rank)] as number
  return below + (above - below) * (rank - Math.floor(rank))
}

/** interval of `statistic` over resamples of the rows drawn with replacement; the same seed gives the same interval */
export const bootstrapOf = <Row>(rows: ReadonlyArray<Row>, statistic: (rows: ReadonlyArray<Row>) => number, seed: number, resamples = 1000): Interval => {
  const random = seededRandom("bootstrap", seed)
  const drawn: Array<number> = []
  for (let i = 0; i < resamples; i++) {
    const value = statistic(rows.map(() => random.pick(rows)))
    if (Number.isFinite(value)) drawn.push(value)
  }
  drawn.sort((a, b) => a - b)
  return drawn.length === 0
    ? { low: Number.NaN, high: Number.NaN, method: "bootstrap" }
    : { low: percentile(drawn, 2.5), high: percentile(drawn, 97.5), method: "bootstrap" }
}

/** interval of a mean: Wilson when every value is 0 or 1, else a seeded bootstrap of 1,000 resamples */
export const meanInterval = (values: ReadonlyArray<number>, seed: number): Interval => {
  if (values.every((value) => value === 0 || value === 1)) return wilson(values.filter((value) => value === 1).length, values.length)
  if (values.length <= BOOTSTRAP_MAX) return bootstrapOf(values, mean, seed)
  const half = Z95 * (standardError(values) ?? 0)
  return { low: mean(values) - half, high: mean(values) + half, method: "normal" }
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
    total += (inside.length / predictions.length) * Math.abs(accuracy - mean(inside.map(({ confidence }) => confidence)))
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
