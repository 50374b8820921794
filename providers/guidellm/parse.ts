/** From the framework's report to metrics. Pure. Reference: providers-and-collections.md, "GuideLLM". */

import { defined } from "../../values/defined.ts"
import { type JsonObject, listMember, member, numberMember, textMember } from "../../values/json.ts"
import type { Metric } from "../sdk/adapter.ts"

export interface Point {
  readonly metrics: ReadonlyArray<Metric>
  readonly strategy: string
  /** requests per second */
  readonly rate?: number
  /** requests at once, of the concurrent profile */
  readonly streams?: number
  readonly successful: number
  readonly errored: number
  readonly incomplete: number
  /** what the framework itself says against its figures */
  readonly warnings: ReadonlyArray<string>
  /** why requests failed, each reason once */
  readonly reasons: ReadonlyArray<string>
}

/** `mean generation delay was 9% …` and what that means */
const warningsOf = (benchmark: unknown): ReadonlyArray<string> =>
  listMember(benchmark, "warnings").flatMap((warning) => {
    const parts = [textMember(warning, "message"), textMember(warning, "note")].filter(
      (part) => part !== undefined && part !== ""
    )
    return parts.length === 0 ? [] : [parts.join(" ")]
  })

/** `HTTPStatusError("Server error '500 …' for url '…'\\nFor more information …")` up to the first line's end */
const reasonsOf = (benchmark: unknown): ReadonlyArray<string> => {
  const failed = listMember(member(benchmark, "requests"), "errored")
  return [
    ...new Set(failed.flatMap((request) => textMember(member(request, "info"), "error")?.split(/\\n|\n/)[0] ?? []))
  ]
}

/** rates are means over the measurement; times also by their percentiles */
const rates = [
  "requests_per_second",
  "prompt_tokens_per_second",
  "output_tokens_per_second",
  "tokens_per_second",
  "request_concurrency"
]
const times: ReadonlyArray<{ readonly from: string; readonly to: string; readonly factor: number }> = [
  { from: "time_to_first_token_ms", to: "ttft_ms", factor: 1 },
  { from: "inter_token_latency_ms", to: "itl_ms", factor: 1 },
  { from: "time_per_output_token_ms", to: "tpot_ms", factor: 1 },
  // the framework counts this one in seconds
  { from: "request_latency", to: "latency_ms", factor: 1000 }
]
const percentiles = ["p50", "p90", "p95", "p99"]

const pointOf = (benchmark: unknown): Point => {
  const metrics = member(benchmark, "metrics")
  const totals = member(metrics, "request_totals")
  const count = (name: string) => numberMember(totals, name) ?? 0
  const [successful, errored, incomplete] = [count("successful"), count("errored"), count("incomplete")]
  const ended = successful + errored
  const summary = (name: string) => member(member(metrics, name), "successful")
  const strategy = member(member(benchmark, "config"), "strategy")
  const [rate, streams] = [numberMember(strategy, "rate"), numberMember(strategy, "streams")]
  return {
    metrics: [
      ...rates.flatMap((name): ReadonlyArray<Metric> => {
        const value = numberMember(summary(name), "mean")
        return value === undefined
          ? []
          : [{ name, value, n: successful, ...(name === "request_concurrency" ? {} : { lowerIsBetter: false }) }]
      }),
      ...times.flatMap(({ from, to, factor }): ReadonlyArray<Metric> => {
        const found = summary(from)
        const at = (name: string, value: number | undefined): ReadonlyArray<Metric> =>
          value === undefined
            ? []
            : [{ name: `${name}_${to}`, value: value * factor, unit: "ms", lowerIsBetter: true, n: successful }]
        const shares = percentiles.flatMap((name) => at(name, numberMember(member(found, "percentiles"), name)))
        return [...at("mean", numberMember(found, "mean")), ...shares]
      }),
      ...(ended === 0 ? [] : [{ name: "error_rate", value: errored / ended, lowerIsBetter: true, n: ended }])
    ],
    strategy: textMember(strategy, "type_") ?? "unknown",
    ...defined({ rate, streams }),
    ...{ successful, errored, incomplete, warnings: warningsOf(benchmark), reasons: reasonsOf(benchmark) }
  }
}

/** one for each measurement; undefined when the document is no report */
export const parsePoints = (document: unknown): ReadonlyArray<Point> | undefined => {
  const benchmarks = listMember(document, "benchmarks")
  return benchmarks.length === 0 ? undefined : benchmarks.map(pointOf)
}

export interface Wanted {
  readonly metric: string
  readonly lowerIsBetter: boolean
}

const metricValue = ({ metrics }: Point, name: string) => {
  const value = metrics.find((metric) => metric.name === name)?.value
  return typeof value === "number" ? value : undefined
}

/** the point with the best primary metric among those with answers and few errors; undefined when there is none */
export const bestPoint = (
  points: ReadonlyArray<Point>,
  { metric, lowerIsBetter }: Wanted,
  maxErrorRate: number
): number | undefined => {
  const usable = points.flatMap((point, index) => {
    const value = metricValue(point, metric)
    return value === undefined || point.successful === 0 || (metricValue(point, "error_rate") ?? 0) > maxErrorRate
      ? []
      : [{ index, value }]
  })
  return usable.toSorted((a, b) => (lowerIsBetter ? a.value - b.value : b.value - a.value))[0]?.index
}

/** one measurement by bare names; of several the best one so, and all as `point_<i>/<metric>` */
export const metricsOf = (points: ReadonlyArray<Point>, best: number): ReadonlyArray<Metric> => [
  ...(points[best]?.metrics ?? []),
  ...(points.length === 1
    ? []
    : points.flatMap(({ metrics }, index) =>
        metrics.map((metric) => ({ ...metric, name: `point_${index}/${metric.name}` }))
      ))
]

/** what each measurement was, for `additional_info.load` */
export const loadInfo = (points: ReadonlyArray<Point>): ReadonlyArray<JsonObject> =>
  points.map(({ strategy, rate, streams, successful, errored, incomplete }) => ({
    profile: strategy,
    ...defined({ rate, streams }),
    requests: { successful, incomplete, errored }
  }))

/** the framework's own warnings, for `additional_info.notes`; of several measurements each with its name */
export const warningNotes = (points: ReadonlyArray<Point>): ReadonlyArray<string> =>
  points.flatMap(({ warnings }, index) =>
    warnings.map((warning) => `GuideLLM warns${points.length === 1 ? "" : ` of point_${index}`}: ${warning}`)
  )
