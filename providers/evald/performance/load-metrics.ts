/** From a timeline to numbers, exactly as defined in providers 5.2. Percentiles are computed over the kept values, never over bins. */
import type { Metric } from "../../sdk/adapter.ts"
import { intervalMembers, proportion } from "../proportion.ts"
import { mean, percentile, percentileInterval } from "../statistics.ts"
import { endedWithin, type FinishedRequest, type LoadRequest, type Window } from "./timeline.ts"

/** beyond this many requests in one window only the first ones enter the percentiles */
export const KEPT_VALUES = 1_000_000

const PERCENTILES = [50, 90, 95, 99] as const

/** time to the first content, waiting included; undefined when the answer was not streamed */
export const ttftMs = ({ startMs, firstContentMs }: FinishedRequest): number | undefined =>
  firstContentMs === undefined ? undefined : firstContentMs - startMs

/** mean time between two tokens after the first one; undefined for one token and for answers that were not streamed */
export const itlMs = ({ firstContentMs, lastContentMs, outputTokens }: FinishedRequest): number | undefined =>
  firstContentMs === undefined || lastContentMs === undefined || outputTokens < 2 ? undefined : (lastContentMs - firstContentMs) / (outputTokens - 1)

/** time per output token from the start to the last content; undefined without tokens */
export const tpotMs = ({ startMs, endMs, lastContentMs, outputTokens }: FinishedRequest): number | undefined =>
  outputTokens === 0 ? undefined : ((lastContentMs ?? endMs) - startMs) / outputTokens

const latencyMs = ({ startMs, endMs }: FinishedRequest): number => endMs - startMs

const defined = (values: ReadonlyArray<number | undefined>): ReadonlyArray<number> => values.filter((value) => value !== undefined)

const percentiles = (name: string, values: ReadonlyArray<number>): ReadonlyArray<Metric> => {
  if (values.length === 0) return []
  const sorted = values.slice(0, KEPT_VALUES).sort((a, b) => a - b)
  return PERCENTILES.map((percent) => ({
    name: `p${percent}_${name}_ms`,
    value: percentile(sorted, percent),
    unit: "ms",
    lowerIsBetter: true,
    n: sorted.length,
    ...intervalMembers(percentileInterval(sorted, percent))
  }))
}

/** times are skewed and follow one another, so that their mean gets neither a standard error nor an interval: the percentiles have exact ones */
const meanMs = (name: string, values: ReadonlyArray<number>): ReadonlyArray<Metric> =>
  values.length === 0 ? [] : [{ name: `mean_${name}_ms`, value: mean(values), unit: "ms", lowerIsBetter: true, n: values.length }]

/** mean over gaps, not over requests: a long answer has more gaps and weighs more */
const weightedItl = (requests: ReadonlyArray<FinishedRequest>): ReadonlyArray<Metric> => {
  let time = 0
  let gaps = 0
  for (const request of requests) {
    const itl = itlMs(request)
    if (itl === undefined) continue
    time += itl * (request.outputTokens - 1)
    gaps += request.outputTokens - 1
  }
  return gaps === 0 ? [] : [{ name: "mean_itl_ms", value: time / gaps, unit: "ms", lowerIsBetter: true, n: gaps }]
}

/** requests under way at once, averaged over the window */
export const meanConcurrency = (requests: ReadonlyArray<LoadRequest>, { fromMs, toMs }: Window): number =>
  requests.reduce((sum, { startMs, endMs }) => sum + Math.max(0, Math.min(endMs, toMs) - Math.max(startMs, fromMs)), 0) / (toMs - fromMs)

/** every metric of one measurement; what has no value (no stream, one token) is left out, never 0 */
export const loadMetrics = (requests: ReadonlyArray<LoadRequest>, window: Window): ReadonlyArray<Metric> => {
  const seconds = (window.toMs - window.fromMs) / 1000
  const ended = endedWithin(requests, window)
  const finished = ended.filter((request) => request.outcome === "successful")
  const perSecond = (name: string, total: number, unit: string): Metric => ({ name, value: total / seconds, unit, lowerIsBetter: false, n: finished.length })
  const ttft = defined(finished.map(ttftMs))
  const itl = defined(finished.map(itlMs))
  const latency = finished.map(latencyMs)
  return [
    perSecond(
      "output_tokens_per_second",
      finished.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
      "tokens/s"
    ),
    perSecond("requests_per_second", finished.length, "requests/s"),
    perSecond(
      "prompt_tokens_per_second",
      finished.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
      "tokens/s"
    ),
    ...meanMs("ttft", ttft),
    ...weightedItl(finished),
    ...meanMs("tpot", defined(finished.map(tpotMs))),
    ...meanMs("latency", latency),
    ...percentiles("ttft", ttft),
    ...percentiles("itl", itl),
    ...percentiles("latency", latency),
    { name: "concurrency", value: meanConcurrency(requests, window) },
    ...proportion("error_rate", ended.length - finished.length, ended.length, true)
  ]
}
