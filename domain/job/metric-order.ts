/** The order in which a person reads metrics: the primary one first, what says how sure a metric is directly behind it, the rest as reported. */
import type { MetricDescription, Metrics } from "./job.ts"

/** `acc_stderr`, `acc_stderr,none` and `acc,none_stderr` all say something about a reported metric; the same for bounds of an interval */
const precision = /^(.+)_(?:stderr|std_err|ci|ci_low|ci_high|ci_lower|ci_upper)(,.*)?$/s

/** the reported metric whose precision `name` gives; undefined when it is a metric of its own */
const describedBy = (metrics: Metrics, name: string): string | undefined => {
  const found = precision.exec(name)
  if (found === null) return undefined
  const base = `${found[1]}${found[2] ?? ""}`
  return Object.hasOwn(metrics, base) ? base : undefined
}

/** the same metrics, `primary` (its name as reported) and its precision first; names that are whole numbers stay first in any JavaScript object */
export const orderedMetrics = (metrics: Metrics, primary: string | undefined): Metrics => {
  const names = Object.keys(metrics)
  const precisionOf = new Map<string, Array<string>>()
  const own: Array<string> = []
  for (const name of names) {
    const base = describedBy(metrics, name)
    if (base === undefined) own.push(name)
    else precisionOf.set(base, [...(precisionOf.get(base) ?? []), name])
  }
  const withPrecision = (name: string): ReadonlyArray<string> => [
    name,
    ...(precisionOf.get(name) ?? []).flatMap(withPrecision)
  ]
  const first = own.filter((name) => name === primary)
  const ordered = [...first, ...own.filter((name) => name !== primary)].flatMap(withPrecision)
  return Object.fromEntries(ordered.map((name) => [name, metrics[name] as Metrics[string]]))
}

/** descriptions in the order of their metrics; those of metrics that were not reported stay behind them */
export const orderedSchema = (
  schema: ReadonlyArray<MetricDescription>,
  metrics: Metrics
): ReadonlyArray<MetricDescription> => {
  const place = new Map(Object.keys(metrics).map((name, at) => [name, at]))
  return schema.toSorted((a, b) => (place.get(a.name) ?? place.size) - (place.get(b.name) ?? place.size))
}
