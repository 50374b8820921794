/** From verdicts to metrics: means with n, standard error and interval, the error rate, and what the benchmark derives. Reference: providers-and-collections.md, "Honesty rules". */
import type { Metric } from "../../sdk/adapter.ts"
import type { ItemBenchmark, ItemContext, ItemVerdict, ScoredItem } from "../benchmark.ts"
import { meanMetric, proportion } from "../proportion.ts"

export const verdictsOf = (scored: ReadonlyArray<ScoredItem>): ReadonlyArray<ItemVerdict> =>
  scored.flatMap(({ outcome }) => (outcome._tag === "Scored" ? [outcome.verdict] : []))

/** metrics of a finished run, in the order: means, derived, error rate; a mean without any contribution is left out */
export const itemMetrics = (
  benchmark: ItemBenchmark,
  scored: ReadonlyArray<ScoredItem>,
  context: ItemContext
): ReadonlyArray<Metric> => {
  const verdicts = verdictsOf(scored)
  const means = benchmark.metrics.flatMap(({ name, lowerIsBetter, range }) => {
    const values = verdicts.flatMap(({ scores }) => (scores[name] === undefined ? [] : [scores[name]]))
    return values.length === 0 ? [] : [meanMetric(name, values, lowerIsBetter, range)]
  })
  // `error_rate`: the share of items that gave no answer at all, over every item asked
  return [
    ...means,
    ...(benchmark.derive?.(scored, context) ?? []),
    ...proportion("error_rate", scored.length - verdicts.length, scored.length, true)
  ]
}

const MAX_APART = 0.05

/** a model that knows the answers and does not write them as asked, or the other way round, is told apart from one that does not know them */
export const readingsNote = (
  { readings }: Pick<ItemBenchmark, "readings">,
  metrics: ReadonlyArray<Metric>
): ReadonlyArray<string> => {
  const numberOf = (name: string | undefined) => metrics.find((metric) => metric.name === name)?.value
  const [flexible, strict] = [numberOf(readings?.flexible), numberOf(readings?.strict)]
  if (
    readings === undefined ||
    typeof flexible !== "number" ||
    typeof strict !== "number" ||
    Math.abs(flexible - strict) <= MAX_APART
  )
    return []
  return [
    `the answers are often not in the form asked for: ${readings.flexible} ${flexible.toFixed(3)} reads them in any usual form, ${readings.strict} ${strict.toFixed(3)} only in the one asked for`
  ]
}
