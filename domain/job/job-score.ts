/**
 * The score of a job, its bounds and its verdict, from the verdicts of its benchmarks. Monotone: a better value never makes it worse.
 * Reference: states-and-scores.md, "Job score".
 */

import { defined } from "../../values/defined.ts"
import { shareLimits } from "../../values/mean-limits.ts"
import { placeOn, rangeOf, shownRange } from "../score/scale.ts"
import { type Bounds, type Decided, decide, type Interval, level } from "../score/verdict.ts"
import type { Benchmark, BenchmarkTest, JobTest } from "./job.ts"
import { scaleOf } from "./scoring.ts"

const maxNotes = 20

/** a benchmark's part in the job's score, where 1 is best */
interface Part {
  readonly value: number
  /** the bounds of `value`; absent when nothing is known about it */
  readonly bounds?: { readonly low: number; readonly high: number }
  /** of `value` as an estimate, where the number of items is known */
  readonly variance?: number
}

/** the part of a value that its verdict stands for */
const verdictPart = ({ pass, decided }: BenchmarkTest): Part | undefined => {
  if (pass === undefined) return undefined
  const value = pass ? 1 : 0
  if (decided === undefined) return { value }
  return decided === "inconclusive"
    ? { value, bounds: { low: 0, high: 1 }, variance: 1 / 4 }
    : { value, bounds: { low: value, high: value }, variance: 0 }
}

/** width of an interval between two one-sided 95 % bounds in standard errors */
const errorsWide = 2 * 1.6448536

const varianceOf = (place: number, low: number, high: number, interval: Interval | undefined): number | undefined => {
  if (interval === undefined) return undefined
  return interval.method === "clopper_pearson" ? (place * (1 - place)) / interval.n : ((high - low) / errorsWide) ** 2
}

/** undefined when the value has no place on its scale, or the result can not be believed */
const partOf = ({ snapshot, result }: Benchmark, test: BenchmarkTest): Part | undefined => {
  if (result?.validity?.status === "invalid") return undefined
  const range = rangeOf(scaleOf(snapshot))
  if (range === undefined) return verdictPart(test)
  const place = placeOn(range, test.primaryScore)
  if (place === undefined) return undefined
  const turned = (at: number) => (test.lowerIsBetter ? 1 - at : at)
  const low = test.bounds === undefined ? undefined : placeOn(range, test.bounds.low)
  const high = test.bounds === undefined ? undefined : placeOn(range, test.bounds.high)
  const value = turned(place)
  if (low === undefined || high === undefined) return { value }
  const variance = varianceOf(place, low, high, test.interval)
  return {
    value,
    bounds: test.lowerIsBetter ? { low: turned(high), high: turned(low) } : { low, high },
    ...defined({ variance })
  }
}

const where = (benchmark: Benchmark): string =>
  `Benchmark ${benchmark.index} (${benchmark.entry.providerId}/${benchmark.entry.id})`

const whyLeftOut = ({ snapshot, result }: Benchmark, test: BenchmarkTest): string => {
  if (result?.validity?.status === "invalid") return "its result is invalid"
  const range = rangeOf(scaleOf(snapshot))
  return range === undefined
    ? `${test.primaryScore} is on no bounded scale and there is no threshold to judge it by`
    : `${test.primaryScore} lies outside ${shownRange(range)}`
}

/** each weight, divided by the largest one when their sum would not be a finite double */
const weightsOf = (benchmarks: ReadonlyArray<Benchmark>): ReadonlyArray<number> => {
  const weights = benchmarks.map((benchmark) => benchmark.snapshot.weight)
  if (Number.isFinite(weights.reduce((sum, weight) => sum + weight, 0))) return weights
  const largest = Math.max(...weights)
  return weights.map((weight) => weight / largest)
}

/** two results over the same items err together, and nothing says how much */
const shareData = (benchmarks: ReadonlyArray<Benchmark>): boolean => {
  const sources = benchmarks.map(({ entry, snapshot }) =>
    JSON.stringify([
      entry.providerId,
      snapshot.requirements?.frameworkTask ?? entry.id,
      entry.testData?.s3.bucket,
      entry.testData?.s3.key
    ])
  )
  return new Set(sources).size < sources.length
}

/**
 * Of a weighted mean of independent parts: the distances to their own bounds, added like standard errors. Where single parts have hardly
 * an error (or hardly a success) that is too narrow, so that the bounds are at least the exact ones of as many items as vary like the score.
 */
const jobBounds = (score: number, parts: ReadonlyArray<Part & { readonly weight: number }>): Bounds | undefined => {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0)
  let [below, above, variance] = [0, 0, 0]
  for (const { value, bounds, weight, variance: own = Number.NaN } of parts) {
    if (bounds === undefined) return undefined
    below += ((weight / total) * (value - bounds.low)) ** 2
    above += ((weight / total) * (bounds.high - value)) ** 2
    variance += (weight / total) ** 2 * own
  }
  const n = (score * (1 - score)) / variance
  const alike = n >= 1 && Number.isFinite(n) ? shareLimits(score * n, n, 1 - level) : { low: score, high: score }
  const [low, high] = [Math.min(score - Math.sqrt(below), alike.low), Math.max(score + Math.sqrt(above), alike.high)]
  return { low: Math.max(0, low), high: Math.min(1, high), level, sides: 1 }
}

/**
 * Score and verdict of a job whose benchmarks are all terminal; undefined while one is not, or when nothing can be scored.
 * `head.threshold` is the job's own, else its collection's, else 0.5.
 */
export const jobTest = (
  head: { readonly threshold: number },
  benchmarks: ReadonlyArray<Benchmark>
): JobTest | undefined => {
  if (benchmarks.some(({ state }) => state === "pending" || state === "running")) return undefined
  const weights = weightsOf(benchmarks)
  const notes: Array<string> = []
  const parts: Array<Part & { readonly weight: number; readonly benchmark: Benchmark }> = []
  let total = 0
  let complete = true
  for (const [position, benchmark] of benchmarks.entries()) {
    if (benchmark.snapshot.weight === 0) continue
    const weight = weights[position] ?? 0
    total += weight
    const test = benchmark.state === "completed" ? benchmark.result?.test : undefined
    const part = test === undefined ? undefined : partOf(benchmark, test)
    if (part !== undefined) {
      parts.push({ ...part, weight, benchmark })
      continue
    }
    complete = false
    notes.push(
      test === undefined
        ? `${where(benchmark)} is ${benchmark.state} without a value.`
        : `${where(benchmark)} is left out of the score: ${whyLeftOut(benchmark, test)}.`
    )
  }
  const covered = parts.reduce((sum, { weight }) => sum + weight, 0)
  if (covered === 0) return undefined
  const score = parts.reduce((sum, { weight, value }) => sum + weight * value, 0) / covered
  const bounds = complete && !shareData(parts.map(({ benchmark }) => benchmark)) ? jobBounds(score, parts) : undefined
  const decided: Decided = decide(bounds, head.threshold, false)
  const kept =
    notes.length > maxNotes
      ? [...notes.slice(0, maxNotes), `${notes.length - maxNotes} more notes are left out.`]
      : notes
  return {
    score,
    threshold: head.threshold,
    pass: complete && score >= head.threshold,
    coverage: complete ? 1 : covered / total,
    decided,
    ...defined({ bounds }),
    ...(kept.length > 0 ? { notes: kept } : {})
  }
}
