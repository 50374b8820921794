/** Metrics of a framework made ours: percentages become shares, what is no number is dropped, the primary one must be there. Reference: providers-and-collections.md, "Framework wrappers" */
import { Effect } from "effect"
import { defined } from "../../../values/defined.ts"
import type { AdapterError, Metric } from "../adapter.ts"
import { primaryMetricMissing } from "../failures.ts"

/** `member/bleu,none` → `bleu` */
const baseName = (name: string) => name.replace(/^.*\//, "").replace(/,.*$/, "")

const divided = (value: number | undefined) => (value === undefined ? undefined : value / 100)

/** metrics named in `percent` (bare, below a member or with a filter) are divided by 100 and also kept as `<metric>_raw` */
export const sharesFromPercent = (
  metrics: ReadonlyArray<Metric>,
  percent: ReadonlyArray<string> = []
): ReadonlyArray<Metric> => {
  const named = new Set(percent)
  return metrics.flatMap((metric) => {
    const { name, value } = metric
    if (typeof value !== "number" || !named.has(baseName(name))) return [metric]
    const stderr = divided(metric.stderr)
    const ci = metric.ci === undefined ? undefined : ([metric.ci[0] / 100, metric.ci[1] / 100] as const)
    const share: Metric = {
      ...metric,
      value: value / 100,
      ...defined({ stderr, ci })
    }
    return [share, { name: `${name}_raw`, value }]
  })
}

/** numbers only when they are finite */
export const finiteMetrics = (metrics: ReadonlyArray<Metric>): ReadonlyArray<Metric> =>
  metrics.filter(({ value }) => typeof value !== "number" || Number.isFinite(value))

/** fails with `primary_metric_missing`, listing what the framework reported; no check when nobody names a primary metric */
export const requirePrimary = (
  wanted: string | undefined,
  metrics: ReadonlyArray<Metric>
): Effect.Effect<void, AdapterError> => {
  const value = metrics.find(({ name }) => name === wanted)?.value
  if (wanted === undefined || (typeof value === "number" ? Number.isFinite(value) : value !== undefined))
    return Effect.void
  const names = metrics.map(({ name }) => name)
  return primaryMetricMissing(
    `the primary metric ${wanted} has no value; the framework reported ${names.length === 0 ? "nothing" : names.join(", ")}`
  )
}
