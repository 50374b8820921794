/** From verdicts to metrics: means with n, standard error and interval, the error rate, and what the benchmark derives. Reference: providers-and-collections.md, "Honesty rules". */
import type { Metric } from "../sdk/adapter.ts"
import type { ItemBenchmark, ItemContext, ItemVerdict, ScoredItem } from "./benchmark.ts"
import { mean, meanInterval, standardError, wilson } from "./statistics.ts"

/** a mean over the given contributions with everything known about its precision */
export const meanMetric = (name: string, values: ReadonlyArray<number>, seed: number, lowerIsBetter = false): Metric => {
  const { low, high, method } = meanInterval(values, seed)
  const stderr = standardError(values)
  return {
    name,
    value: mean(values),
    lowerIsBetter,
    n: values.length,
    ...(stderr === undefined ? {} : { stderr }),
    ci: [low, high],
    ciLevel: 0.95,
    ciMethod: method
  }
}

/** share of items that gave no answer at all, over every item asked */
const errorRateMetric = (errors: number, total: number): Metric => {
  const { low, high, method } = wilson(errors, total)
  return { name: "error_rate", value: errors / total, lowerIsBetter: true, n: total, ci: [low, high], ciLevel: 0.95, ciMethod: method }
}

export const verdictsOf = (scored: ReadonlyArray<ScoredItem>): ReadonlyArray<ItemVerdict> =>
  scored.flatMap(({ outcome }) => (outcome._tag === "Scored" ? [outcome.verdict] : []))

/** metrics of a finished run, in the order: means, derived, error rate; a mean without any contribution is left out */
export const itemMetrics = (benchmark: ItemBenchmark, scored: ReadonlyArray<ScoredItem>, context: ItemContext): ReadonlyArray<Metric> => {
  const verdicts = verdictsOf(scored)
  const means = benchmark.metrics.flatMap(({ name, lowerIsBetter }) => {
    const values = verdicts.flatMap(({ scores }) => (scores[name] === undefined ? [] : [scores[name]]))
    return values.length === 0 ? [] : [meanMetric(name, values, context.seed, lowerIsBetter ?? false)]
  })
  return [...means, ...(benchmark.derive?.(scored, context) ?? []), errorRateMetric(scored.length - verdicts.length, scored.length)]
}

const MAX_APART = 0.05

/** a model that knows the answers and does not write them as asked, or the other way round, is told apart from one that does not know them */
export const readingsNote = ({ readings }: Pick<ItemBenchmark, "readings">, metrics: ReadonlyArray<Metric>): ReadonlyArray<string> => {
  const numberOf = (name: string | undefined) => metrics.find((metric) => metric.name === name)?.value
  const [flexible, strict] = [numberOf(readings?.flexible), numberOf(readings?.strict)]
  if (readings === undefined || typeof flexible !== "number" || typeof strict !== "number" || Math.abs(flexible - strict) <= MAX_APART) return []
  return [
    `the answers are often not in the form asked for: ${readings.flexible} ${flexible.toFixed(3)} reads them in any usual form, ${readings.strict} ${strict.toFixed(3)} only in the one asked for`
  ]
}
