/** Results as a person reads them: the primary metric first. The server orders what other adapters send; files and logs are ours alone. */
import type { Metric } from "./adapter.ts"

/** `task/acc`, `task.acc` and `acc,none` stand for `acc` */
const standsFor = (name: string, wanted: string): boolean =>
  name.endsWith(`/${wanted}`) || name.endsWith(`.${wanted}`) || name.startsWith(`${wanted},`)

/** the same metrics, the one that a job names as its primary score in front */
export const primaryFirst = (metrics: ReadonlyArray<Metric>, wanted: string | undefined): ReadonlyArray<Metric> => {
  if (wanted === undefined) return metrics
  const primary = metrics.find(({ name }) => name === wanted) ?? metrics.find(({ name }) => standsFor(name, wanted))
  return primary === undefined ? metrics : [primary, ...metrics.filter((metric) => metric !== primary)]
}
