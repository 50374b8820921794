/**
 * From a timeline to numbers, as defined in providers-and-collections.md, "Performance profiles". Times are estimated over everything that was under way in the
 * window, finished or not.
 */
import type { Metric } from "../../sdk/adapter.ts"
import { intervalMembers, proportion } from "../proportion.ts"
import { mean, percentileInterval } from "../statistics.ts"
import type { Window } from "./arrivals.ts"
import {
  type Durations,
  durationsOf,
  type Observed,
  percentileLimits,
  type Weighted,
  weightedMean,
  weightedPercentile
} from "./durations.ts"
import { type Rate, requestRate, tokenRate } from "./throughput.ts"
import { endedWithin, type FinishedRequest, type LoadRequest, type LoadRun } from "./timeline.ts"

/** beyond this many requests in one window only the first ones enter the percentiles */
export const KEPT_VALUES = 1_000_000

const PERCENTILES = [50, 90, 95, 99] as const

/** time to the first content, waiting included; undefined when the answer was not streamed */
export const ttftMs = ({ startMs, firstContentMs }: FinishedRequest): number | undefined =>
  firstContentMs === undefined ? undefined : firstContentMs - startMs

/** mean time between two tokens after the first one; undefined for one token and for answers that were not streamed */
export const itlMs = ({ firstContentMs, lastContentMs, outputTokens }: FinishedRequest): number | undefined =>
  firstContentMs === undefined || lastContentMs === undefined || outputTokens < 2
    ? undefined
    : (lastContentMs - firstContentMs) / (outputTokens - 1)

/** time per output token from the start to the last content; undefined without tokens */
export const tpotMs = ({ startMs, endMs, lastContentMs, outputTokens }: FinishedRequest): number | undefined =>
  outputTokens === 0 ? undefined : ((lastContentMs ?? endMs) - startMs) / outputTokens

const defined = (values: ReadonlyArray<number | undefined>): ReadonlyArray<number> =>
  values.filter((value) => value !== undefined)

const percentileMetric = (name: string, percent: number, values: ReadonlyArray<Weighted>, n: number): Metric => ({
  name: `p${percent}_${name}_ms`,
  value: weightedPercentile(values, percent),
  unit: "ms",
  lowerIsBetter: true,
  n
})

/** of values that are all known, with the exact interval of their order statistics */
const percentiles = (name: string, values: ReadonlyArray<Weighted>): ReadonlyArray<Metric> => {
  const sorted = values.map(({ value }) => value)
  return PERCENTILES.map((percent) => ({
    ...percentileMetric(name, percent, values, values.length),
    ...intervalMembers(percentileInterval(sorted, percent))
  }))
}

/** of durations of which some are lower bounds */
const durationPercentiles = (name: string, durations: Durations): ReadonlyArray<Metric> => {
  const { values, n } = durations
  const isPlain = values.length === n && values.every(({ weight }) => Math.abs(weight * n - 1) < 1e-9)
  if (isPlain) return percentiles(name, values)
  return PERCENTILES.map((percent) => {
    const limits = percentileLimits(durations, percent)
    return {
      ...percentileMetric(name, percent, values, n),
      ...intervalMembers(limits === undefined ? undefined : { ...limits, method: "product_limit" })
    }
  })
}

const even = (values: ReadonlyArray<number>): ReadonlyArray<Weighted> =>
  values
    .slice(0, KEPT_VALUES)
    .sort((a, b) => a - b)
    .map((value, _, { length }) => ({ value, weight: 1 / length }))

/** times are skewed and follow one another, so that their mean gets neither a standard error nor an interval: the percentiles have exact ones */
const meanMs = (name: string, values: ReadonlyArray<number>): ReadonlyArray<Metric> =>
  values.length === 0
    ? []
    : [{ name: `mean_${name}_ms`, value: mean(values), unit: "ms", lowerIsBetter: true, n: values.length }]

const timesOf = (name: string, durations: Durations) => {
  const { values, n } = durations
  return n === 0
    ? { mean: [], percentiles: [] }
    : {
        mean: [{ name: `mean_${name}_ms`, value: weightedMean(values), unit: "ms", lowerIsBetter: true, n }],
        percentiles: durationPercentiles(name, durations)
      }
}

/** from the start to `end`, or as far as it was seen, inside the window */
const observed = (
  startMs: number,
  endMs: number,
  isFinished: boolean,
  { fromMs, toMs }: Window
): ReadonlyArray<Observed> => {
  const seenTo = Math.min(endMs, toMs)
  return startMs >= toMs || seenTo < fromMs
    ? []
    : [{ entry: Math.max(0, fromMs - startMs), duration: seenTo - startMs, isFinished: isFinished && endMs <= toMs }]
}

/** latencies of everything that was under way in the window */
export const latencies = (requests: ReadonlyArray<LoadRequest>, window: Window): Durations =>
  durationsOf(
    requests
      .slice(0, KEPT_VALUES)
      .flatMap((request) =>
        request.outcome === "errored"
          ? []
          : observed(request.startMs, request.endMs, request.outcome === "successful", window)
      )
  )

/** the same up to the first content; answers in one piece have none */
const firstContents = (requests: ReadonlyArray<LoadRequest>, window: Window): Durations =>
  durationsOf(
    requests.slice(0, KEPT_VALUES).flatMap((request) => {
      if (request.outcome === "errored" || (request.outcome === "successful" && request.firstContentMs === undefined))
        return []
      const { startMs, endMs, firstContentMs } = request
      return observed(startMs, firstContentMs ?? endMs, firstContentMs !== undefined, window)
    })
  )

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
  requests.reduce(
    (sum, { startMs, endMs }) => sum + Math.max(0, Math.min(endMs, toMs) - Math.max(startMs, fromMs)),
    0
  ) /
  (toMs - fromMs)

const rateMetric = (name: string, { perSecond, interval }: Rate, unit: string, n: number): Metric => ({
  name,
  value: perSecond,
  unit,
  lowerIsBetter: false,
  n,
  ...(interval === undefined ? {} : { ci: interval, ciLevel: 0.95, ciMethod: "batch_means" })
})

const scaled = ({ perSecond, interval }: Rate, factor: number): Rate => ({
  perSecond: perSecond * factor,
  ...(interval === undefined ? {} : { interval: [interval[0] * factor, interval[1] * factor] })
})

/** every metric of one measurement; what has no value (no stream, one token) is left out, never 0 */
export const loadMetrics = (
  { requests, arrivals, loop }: Pick<LoadRun, "requests" | "arrivals" | "loop">,
  window: Window
): ReadonlyArray<Metric> => {
  const ended = endedWithin(requests, window)
  const finished = ended.filter((request) => request.outcome === "successful")
  const rate = requestRate(requests, window, loop)
  const promptTokens = finished.reduce((sum, request) => sum + request.promptTokens, 0) / Math.max(1, finished.length)
  const ttft = timesOf("ttft", firstContents(requests, window))
  const latency = timesOf("latency", latencies(requests, window))
  const itl = defined(finished.map(itlMs))
  return [
    rateMetric(
      "output_tokens_per_second",
      tokenRate({ requests, arrivals, loop }, window),
      "tokens/s",
      finished.length
    ),
    rateMetric("requests_per_second", rate, "requests/s", finished.length),
    rateMetric("prompt_tokens_per_second", scaled(rate, promptTokens), "tokens/s", finished.length),
    ...ttft.mean,
    ...weightedItl(finished),
    ...meanMs("tpot", defined(finished.map(tpotMs))),
    ...latency.mean,
    ...ttft.percentiles,
    ...(itl.length === 0 ? [] : percentiles("itl", even(itl))),
    ...latency.percentiles,
    { name: "concurrency", value: meanConcurrency(requests, window) },
    ...proportion("error_rate", ended.length - finished.length, ended.length, true)
  ]
}
