/**
 * Scores and verdicts: which reported number is a benchmark's primary score, whether it passes, and the weighted score of the job.
 * Nothing is guessed: a value that is not there is said to be missing and lowers the coverage. Reference: states-and-scores.md, "Job score".
 */
import { shown } from "../violation.ts"
import type { Benchmark, BenchmarkSnapshot, BenchmarkTest, JobTest, Metrics } from "./job.ts"

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

/** the verdict of one benchmark, and notes on what stands in its way */
export const benchmarkTest = (
  snapshot: Pick<BenchmarkSnapshot, "primaryScore" | "threshold">,
  metrics: Metrics
): { readonly test?: BenchmarkTest; readonly notes: ReadonlyArray<string> } => {
  const primary = snapshot.primaryScore
  if (primary === undefined) return { notes: ["No primary metric is defined for this benchmark, so it has no score."] }
  const match = resolveMetric(metrics, primary.metric)
  if (match._tag === "Missing") return { notes: [match.note] }
  const test = { primaryScore: match.value, metric: match.name, lowerIsBetter: primary.lowerIsBetter }
  if (snapshot.threshold === undefined) return { test, notes: [] }
  const threshold = snapshot.threshold.value
  const pass = primary.lowerIsBetter ? match.value <= threshold : match.value >= threshold
  return { test: { ...test, threshold, pass }, notes: [] }
}

/** the value on a scale where 1 is best; undefined when it lies outside 0..1 and no verdict says what that means */
const normalised = (test: BenchmarkTest): number | undefined => {
  const value = test.primaryScore
  if (value >= 0 && value <= 1) return test.lowerIsBetter ? 1 - value : value
  if (test.pass === undefined) return undefined
  return test.pass ? 1 : 0
}

const where = (benchmark: Benchmark): string => `Benchmark ${benchmark.index} (${benchmark.entry.providerId}/${benchmark.entry.id})`

/** each weight, divided by the largest one when their sum would not be a finite double */
const weightsOf = (benchmarks: ReadonlyArray<Benchmark>): ReadonlyArray<number> => {
  const weights = benchmarks.map((benchmark) => benchmark.snapshot.weight)
  if (Number.isFinite(weights.reduce((sum, weight) => sum + weight, 0))) return weights
  const largest = Math.max(...weights)
  return weights.map((weight) => weight / largest)
}

/**
 * Score and verdict of a job whose benchmarks are all terminal; undefined while one is not, or when nothing can be scored.
 * `head.threshold` is the job's own, else its collection's, else 0.5.
 */
export const jobTest = (head: { readonly threshold: number }, benchmarks: ReadonlyArray<Benchmark>): JobTest | undefined => {
  if (benchmarks.some(({ state }) => state === "pending" || state === "running")) return undefined
  const weights = weightsOf(benchmarks)
  const notes: Array<string> = []
  let [total, covered, scored, sum] = [0, 0, 0, 0]
  let complete = true
  for (const [position, benchmark] of benchmarks.entries()) {
    if (benchmark.snapshot.weight === 0) continue
    const weight = weights[position] ?? 0
    total += weight
    const test = benchmark.state === "completed" ? benchmark.result?.test : undefined
    if (test === undefined) {
      complete = false
      notes.push(`${where(benchmark)} is ${benchmark.state} without a value.`)
      continue
    }
    covered += weight
    const value = normalised(test)
    if (value === undefined) {
      notes.push(`${where(benchmark)} is left out of the score: ${test.primaryScore} lies outside 0..1 and there is no threshold to judge it by.`)
      continue
    }
    scored += weight
    sum += weight * value
  }
  if (scored === 0) return undefined
  const score = sum / scored
  const kept = notes.length > maxNamed ? [...notes.slice(0, maxNamed), `${notes.length - maxNamed} more notes are left out.`] : notes
  return {
    score,
    threshold: head.threshold,
    pass: complete && score >= head.threshold,
    coverage: covered / total,
    ...(kept.length > 0 ? { notes: kept } : {})
  }
}
