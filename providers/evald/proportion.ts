/** Metrics that are means, with what is known of their precision: a share of counts, of counts that hang together, and a mean of scores. */

import { defined } from "../../values/defined.ts"
import { type MeanSummary, type Range, summaryOf } from "../../values/mean-limits.ts"
import type { Metric } from "../sdk/adapter.ts"
import { type Interval, intervalOf, summaryOfValues } from "./statistics.ts"

export const UNIT: Range = { min: 0, max: 1 }

/** the members of a metric that tell its interval */
export const intervalMembers = (interval: Interval | undefined): Pick<Metric, "ci" | "ciLevel" | "ciMethod"> =>
  interval === undefined ? {} : { ci: [interval.low, interval.high], ciLevel: 0.95, ciMethod: interval.method }

const metricOf = (name: string, summary: MeanSummary, lowerIsBetter: boolean): Metric => ({
  name,
  value: summary.mean,
  lowerIsBetter,
  n: summary.n,
  ...defined({ stderr: summary.standardError }),
  ...intervalMembers(intervalOf(summary)),
  ...(summary.successes === undefined ? { clusters: summary.clusters ?? summary.n } : { successes: summary.successes })
})

/** a mean of values that do not hang together; not empty. `range`: where such a value can lie */
export const meanMetric = (name: string, values: ReadonlyArray<number>, lowerIsBetter = false, range = UNIT): Metric =>
  metricOf(name, summaryOfValues(values, range), lowerIsBetter)

/** `successes` out of `n` with their exact 95 % interval; no metric at all when nothing was counted, so that "not run" never looks like 0 */
export const proportion = (name: string, successes: number, n: number, lowerIsBetter = false): ReadonlyArray<Metric> =>
  n === 0 ? [] : [metricOf(name, { n, mean: successes / n, successes, range: UNIT }, lowerIsBetter)]

/** the share of right ones in groups that hang together, such as the rules of one prompt: its interval takes that into account */
export const groupedProportion = (
  name: string,
  groups: ReadonlyArray<{ readonly successes: number; readonly n: number }>
): ReadonlyArray<Metric> => {
  const asked = groups.filter(({ n }) => n > 0).map(({ successes, n }) => ({ n, sum: successes }))
  const [n, sum] = [
    asked.reduce((total, group) => total + group.n, 0),
    asked.reduce((total, group) => total + group.sum, 0)
  ]
  return n === 0 ? [] : [metricOf(name, summaryOf({ n, sum, sumOfSquares: sum, groups: asked }, UNIT), false)]
}
