/**
 * A job against a baseline: their benchmarks put side by side, each compared, and one difference over all of them.
 * Reference: comparison-and-gates.md, "Over benchmarks".
 */
import { defined } from "../../values/defined.ts"
import type { Ends } from "../../values/paired-estimate.ts"
import type { Benchmark } from "../job/job.ts"
import { scaleOf } from "../job/scoring.ts"
import { rangeOf } from "../score/scale.ts"
import type { Asked, BenchmarkComparison } from "./compare-benchmark.ts"
import { holm } from "./holm.ts"
import { overallOf } from "./overall.ts"

/** names a benchmark in both jobs */
export interface BenchmarkName {
  readonly id: string
  readonly providerId?: string
}

export interface Matched {
  readonly baseline?: Benchmark
  readonly candidate?: Benchmark
}

const nameOf = ({ entry }: Benchmark): string => JSON.stringify([entry.providerId, entry.id])

/** the first of a name belongs to the first of that name, and so on */
const numbered = (benchmarks: ReadonlyArray<Benchmark>) => {
  const seen = new Map<string, number>()
  return benchmarks.map((side) => {
    const name = nameOf(side)
    const number = seen.get(name) ?? 0
    seen.set(name, number + 1)
    return { key: `${name}${number}`, side }
  })
}

/** in the order of the baseline, what only the candidate has at the end */
export const matchBenchmarks = (
  baseline: ReadonlyArray<Benchmark>,
  candidate: ReadonlyArray<Benchmark>
): ReadonlyArray<Matched> => {
  const first = numbered(baseline)
  const second = new Map(numbered(candidate).map(({ key, side }) => [key, side] as const))
  const known = new Set(first.map(({ key }) => key))
  return [
    ...first.map(({ key, side }) => ({ baseline: side, ...defined({ candidate: second.get(key) }) })),
    ...[...second].flatMap(([key, side]) => (known.has(key) ? [] : [{ candidate: side }]))
  ]
}

export const isNamed =
  (names: ReadonlyArray<BenchmarkName> | undefined) =>
  ({ entry }: Benchmark): boolean =>
    names === undefined ||
    names.some(({ id, providerId }) => id === entry.id && (providerId === undefined || providerId === entry.providerId))

/** over all benchmarks, each on 0..1 of its scale, weighted as the candidate says; positive is better */
export interface OverallDifference {
  readonly outcome: "better" | "worse" | "no_difference_shown"
  readonly mean: number
  readonly limits: Ends
  readonly degrees: number
}

export interface JobComparison {
  readonly benchmarks: ReadonlyArray<BenchmarkComparison & { readonly pHolm?: number }>
  readonly overall?: OverallDifference
  /** why there is none */
  readonly overallMissing?: string
}

const unique = (benchmarks: ReadonlyArray<Benchmark>): boolean => {
  const tasks = benchmarks.map(({ entry, snapshot }) =>
    JSON.stringify([entry.providerId, snapshot.requirements?.frameworkTask ?? entry.id, entry.testData?.s3])
  )
  return new Set(tasks).size === tasks.length
}

const overall = (
  compared: ReadonlyArray<{ readonly weighing: Benchmark; readonly comparison: BenchmarkComparison }>,
  { alpha }: Asked
): Pick<JobComparison, "overall" | "overallMissing"> => {
  if (!unique(compared.map(({ weighing }) => weighing)))
    return { overallMissing: "two benchmarks share their items, so that their differences do not vary independently" }
  const parts = compared.map(({ weighing, comparison: { compared: found, outcome } }) => {
    const range = rangeOf(scaleOf(weighing.snapshot))
    if (range === undefined || found?.centre === undefined || outcome === "inconclusive") return undefined
    const { mean, centre, error = Number.NaN, degrees = Number.NaN } = found
    const width = range.max - range.min
    return {
      weight: weighing.snapshot.weight,
      ...{ mean: mean / width, centre: centre / width, error: error / width, degrees }
    }
  })
  const whole = parts.filter((part) => part !== undefined)
  if (whole.length < parts.length || whole.length === 0)
    return { overallMissing: "a benchmark that counts has no interval of its difference on a bounded scale" }
  const found = overallOf(whole, alpha / 2)
  if (found === undefined) return { overallMissing: "no benchmark has a weight" }
  const { mean, limits, degrees } = found
  const outcome = limits.high < 0 ? "worse" : limits.low > 0 ? "better" : "no_difference_shown"
  return { overall: { outcome, mean, limits, degrees } }
}

/** what was found of each pair, with the benchmark whose weight and scale count: the candidate's where it has one */
export const concludeJobs = (
  compared: ReadonlyArray<{ readonly weighing: Benchmark; readonly comparison: BenchmarkComparison }>,
  asked: Asked
): JobComparison => {
  const adjusted = holm(compared.map(({ comparison }) => comparison.compared?.pWorse))
  return {
    benchmarks: compared.map(({ comparison }, at) => ({ ...comparison, ...defined({ pHolm: adjusted[at] }) })),
    ...overall(
      compared.filter(({ weighing }) => weighing.snapshot.weight !== 0),
      asked
    )
  }
}
