/**
 * Scores and verdicts: which reported number is a benchmark's primary score, whether it passes, and the weighted score of the job.
 * Nothing is guessed: a value that is not there is said to be missing and lowers the coverage. Reference: states-and-scores.md, "Job score".
 */

import { shareLimits, summaryOf, type ValueSums } from "../../values/mean-limits.ts"
import { inferredScale, isOutside, placeOn, rangeOf, type Scale, shownRange } from "../score/scale.ts"
import type { Validity } from "../score/validity.ts"
import { type Bounds, boundsOf, type Decided, decide, evidenceOf, type Interval, intervalOf, level } from "../score/verdict.ts"
import { shown } from "../violation.ts"
import type { Benchmark, BenchmarkSnapshot, BenchmarkTest, JobTest, MetricDescription, Metrics } from "./job.ts"

export type MetricMatch = { readonly _tag: "Found"; readonly name: string; readonly value: number } | { readonly _tag: "Missing"; readonly note: string }

const maxNamed = 20
const named = (names: ReadonlyArray<string>): string => {
  if (names.length === 0) return "none"
  const rest = names.length - maxNamed
  return `${names.slice(0, maxNamed).map(shown).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`
}
const missing = (note: string): MetricMatch => ({ _tag: "Missing", note })

/** a reported name that stands for `name` with a group before it or a filter after it: `task/acc`, `task.acc`, `acc,none` */
const standsFor = (reported: string, name: string): boolean => reported.endsWith(`/${name}`) || reported.endsWith(`.${name}`) || reported.startsWith(`${name},`)

/** exact name first, else the only name that stands for it, else no value and the reported names */
export const resolveMetric = (metrics: Metrics, name: string): MetricMatch => {
  const names = Object.keys(metrics)
  const found = Object.hasOwn(metrics, name) ? [name] : names.filter((reported) => standsFor(reported, name))
  const [match, second] = found
  if (match === undefined) return missing(`Primary metric ${shown(name)} was not reported. Reported: ${named(names)}.`)
  if (second !== undefined) return missing(`Primary metric ${shown(name)} is ambiguous. Reported: ${named(found)}.`)
  const value = metrics[match]
  if (typeof value === "number" && Number.isFinite(value)) return { _tag: "Found", name: match, value }
  return missing(`Primary metric ${shown(match)} has the value ${shown(value)}, which is not a number.`)
}

/** the scale of the primary metric: declared, else what the definition means */
export const scaleOf = ({ primaryScore, threshold }: Pick<BenchmarkSnapshot, "primaryScore" | "threshold">): Scale =>
  primaryScore?.scale ?? inferredScale(threshold?.value)

/** what is known of a result beside the reported metrics */
export interface Known {
  /** descriptions of the metrics as the adapter gives them */
  readonly schema?: ReadonlyArray<MetricDescription>
  /** sums over the stored items, of the primary metric on its scale */
  readonly samples?: ValueSums
  readonly validity?: Validity
}

/** `acc_stderr` of `acc`, `acc_stderr,none` of `acc,none` */
const standardErrorOf = (metrics: Metrics, name: string): number | undefined => {
  const comma = name.indexOf(",")
  const value = metrics[comma < 0 ? `${name}_stderr` : `${name.slice(0, comma)}_stderr${name.slice(comma)}`]
  return typeof value === "number" ? value : undefined
}

/** shares by their names, whichever group or filter stands around them */
const rate =
  /(?:^|[/.])(?:acc|acc_norm|accuracy|exact_match|exact_match_flexible|f1|mc[12]|pass@\d+|(?:\w+_)?(?:acc|accuracy|asr)|(?:\w+_)?(?:error|success|refusal|mismatch|invalid|resolve|pass|win|failure|compile)_rate)(?:,|$)/

/** rates lie between 0 and 1, whoever reports them; a metric with a declared scale of its own is not asked */
const strayRates = (metrics: Metrics, except: string | undefined): ReadonlyArray<string> => {
  const stray = Object.entries(metrics).flatMap(([name, value]) =>
    name !== except && typeof value === "number" && rate.test(name) && isOutside("unit", value) ? [`${name} ${value}`] : []
  )
  return stray.length === 0 ? [] : [`value_outside_scale: rates lie between 0 and 1, reported were ${named(stray)}.`]
}

const outside = (name: string, value: number, scale: Scale): string => {
  const range = rangeOf(scale)
  const ends = range === undefined ? "" : ` ${shownRange(range)}`
  return `value_outside_scale: ${shown(name)} is ${value}, outside its scale${ends}: no verdict, and it does not count in the score. Where it has another scale, primary_score.scale says so.`
}

/** the verdict of one benchmark, and notes on what stands in its way */
export const benchmarkTest = (
  snapshot: Pick<BenchmarkSnapshot, "primaryScore" | "threshold">,
  metrics: Metrics,
  { schema, samples, validity }: Known = {}
): { readonly test?: BenchmarkTest; readonly notes: ReadonlyArray<string> } => {
  const primary = snapshot.primaryScore
  if (primary === undefined) return { notes: ["No primary metric is defined for this benchmark, so it has no score.", ...strayRates(metrics, undefined)] }
  const match = resolveMetric(metrics, primary.metric)
  if (match._tag === "Missing") return { notes: [match.note, ...strayRates(metrics, undefined)] }
  const { name, value } = match
  const { lowerIsBetter } = primary
  const scale = scaleOf(snapshot)
  const limit = snapshot.threshold === undefined ? {} : { threshold: snapshot.threshold.value }
  const test = { primaryScore: value, metric: name, lowerIsBetter, ...limit }
  const notes = strayRates(metrics, name)
  if (isOutside(scale, value))
    return { test: { ...test, ...(limit.threshold === undefined ? {} : { decided: "inconclusive" as const }) }, notes: [outside(name, value, scale), ...notes] }
  const stored = samples === undefined ? undefined : summaryOf(samples, rangeOf(scale))
  const described = schema?.find((metric) => metric.name === name)
  const stderr = described?.stderr ?? standardErrorOf(metrics, name)
  const evidence = evidenceOf({ value, ...described, ...(stderr === undefined ? {} : { stderr }) }, scale, stored)
  const bounds = evidence === undefined ? undefined : boundsOf(evidence)
  const interval = evidence === undefined ? undefined : intervalOf(evidence)
  const limits = { ...(interval === undefined ? {} : { interval }), ...(bounds === undefined ? {} : { bounds }) }
  const { threshold } = limit
  if (threshold === undefined) return { test: { ...test, ...limits }, notes }
  if (validity?.status === "invalid") return { test: { ...test, decided: "inconclusive", ...limits }, notes }
  const pass = lowerIsBetter ? value <= threshold : value >= threshold
  return { test: { ...test, pass, decided: decide(bounds, threshold, lowerIsBetter), ...limits }, notes }
}

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
  return decided === "inconclusive" ? { value, bounds: { low: 0, high: 1 }, variance: 1 / 4 } : { value, bounds: { low: value, high: value }, variance: 0 }
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
    ...(variance === undefined ? {} : { variance })
  }
}

const where = (benchmark: Benchmark): string => `Benchmark ${benchmark.index} (${benchmark.entry.providerId}/${benchmark.entry.id})`

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
    JSON.stringify([entry.providerId, snapshot.requirements?.frameworkTask ?? entry.id, entry.testData?.s3.bucket, entry.testData?.s3.key])
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
export const jobTest = (head: { readonly threshold: number }, benchmarks: ReadonlyArray<Benchmark>): JobTest | undefined => {
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
  const kept = notes.length > maxNamed ? [...notes.slice(0, maxNamed), `${notes.length - maxNamed} more notes are left out.`] : notes
  return {
    score,
    threshold: head.threshold,
    pass: complete && score >= head.threshold,
    coverage: complete ? 1 : covered / total,
    decided,
    ...(bounds === undefined ? {} : { bounds }),
    ...(kept.length > 0 ? { notes: kept } : {})
  }
}
