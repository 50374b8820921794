/** A rate that is a ratio of counts, with its interval. */
import type { Metric } from "../sdk/adapter.ts"
import { wilson } from "./statistics.ts"

/** `successes` out of `n` with its Wilson 95 % interval; no metric at all when nothing was counted, so that "not run" never looks like 0 */
export const proportion = (name: string, successes: number, n: number, lowerIsBetter = false): ReadonlyArray<Metric> => {
  if (n === 0) return []
  const { low, high, method } = wilson(successes, n)
  return [{ name, value: successes / n, lowerIsBetter, n, ci: [low, high], ciLevel: 0.95, ciMethod: method }]
}
