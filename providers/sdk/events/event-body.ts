/** Status events as they are sent. Reference: adapter-contract.md, "Events". */

import { defined } from "../../../values/defined.ts"
import type { JsonObject } from "../../../values/json.ts"
import type { JobSpec } from "../../contract/job-spec.ts"
import type { AdapterError, Metric, ReportedPhase, Results } from "../adapter.ts"

export interface Report {
  readonly phase: ReportedPhase
  readonly message?: string
  readonly completed?: number
  readonly total?: number
}

export interface Warning {
  readonly code: string
  readonly message: string
}

/** what every event says about its benchmark */
export type Identity = Pick<JobSpec, "provider_id" | "benchmark_id" | "benchmark_index">

const identity = (job: Identity) => ({
  provider_id: job.provider_id,
  id: job.benchmark_id,
  benchmark_index: job.benchmark_index
})

const message = ({ code, message: text }: Warning) => ({ message: text, message_code: code, message_origin: "adapter" })

/** numbers that JSON has no word for become their names, as the server stores them */
export const jsonSafe = (value: unknown): unknown => {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value)
  if (Array.isArray(value)) return value.map(jsonSafe)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, jsonSafe(member)]))
}

export const renderEvent = (event: JsonObject): string => JSON.stringify({ benchmark_status_event: jsonSafe(event) })

/** `phase` only when the server does not know it yet: each is sent once */
export const runningEvent = (
  job: Identity,
  report: {
    readonly phase?: ReportedPhase
    readonly progress?: Omit<Report, "phase">
    readonly warning?: Warning
    readonly eventId: string
  }
): JsonObject => ({
  ...identity(job),
  status: "running",
  ...defined({
    phase: report.phase,
    message: report.progress?.message,
    completed_steps: report.progress?.completed,
    total_steps: report.progress?.total
  }),
  ...(report.warning === undefined ? {} : { warning_message: message(report.warning) }),
  event_id: report.eventId
})

const finite = (value: number | undefined): value is number => value !== undefined && Number.isFinite(value)

/** what is known about a metric beside its value, under wire names; numbers that are none are left out */
export const describeMetric = (metric: Metric): JsonObject => ({
  ...defined({ unit: metric.unit, lower_is_better: metric.lowerIsBetter }),
  ...(finite(metric.n) ? { n: metric.n } : {}),
  ...(finite(metric.stderr) ? { stderr: metric.stderr } : {}),
  ...(metric.ci?.every(finite) === true ? { ci: metric.ci, ci_level: metric.ciLevel ?? 0.95 } : {}),
  ...defined({ ci_method: metric.ciMethod }),
  ...(finite(metric.successes) ? { successes: metric.successes } : {}),
  ...(finite(metric.clusters) ? { clusters: metric.clusters } : {})
})

/** values by name, and directly behind each metric its standard error as `<metric>_stderr`, unless a metric of that name is reported */
const metricValues = (metrics: ReadonlyArray<Metric>) => {
  const names = new Set(metrics.map(({ name }) => name))
  return Object.fromEntries(
    metrics.flatMap(({ name, value, stderr }): ReadonlyArray<readonly [string, unknown]> => {
      const error = `${name}_stderr`
      return [[name, value], ...(finite(stderr) && !names.has(error) ? [[error, stderr] as const] : [])]
    })
  )
}

const schemaOf = (metrics: ReadonlyArray<Metric>) =>
  metrics.map((metric) => ({
    name: metric.name,
    type: typeof metric.value === "number" ? "numeric" : "categorical",
    ...describeMetric(metric)
  }))

/** how a run ended, with what only the SDK knows */
export interface Ending {
  readonly completedAt: string
  readonly eventId: string
  readonly warnings: ReadonlyArray<Warning>
}

const warningMembers = (warnings: ReadonlyArray<Warning>) => {
  const last = warnings.at(-1)
  return last === undefined ? {} : { warning_message: message(last) }
}

/** warnings that only one event is left for: all but the last become notes */
const withNotes = (info: JsonObject, warnings: ReadonlyArray<Warning>): JsonObject => {
  const notes = info["notes"]
  const more = warnings.slice(0, -1).map(({ code, message: text }) => `${code}: ${text}`)
  return more.length === 0 ? info : { ...info, notes: [...(Array.isArray(notes) ? notes : []), ...more] }
}

export const completedEvent = (job: Identity, results: Results, ending: Ending): JsonObject => ({
  ...identity(job),
  status: "completed",
  metrics: metricValues(results.metrics),
  ...(results.metrics.length === 0 ? {} : { metrics_schema: schemaOf(results.metrics) }),
  ...defined({ artifacts: results.artifacts }),
  additional_info: withNotes(results.additionalInfo ?? {}, ending.warnings),
  ...warningMembers(ending.warnings),
  completed_at: ending.completedAt,
  event_id: ending.eventId
})

export const failedEvent = (
  job: Identity,
  error: Pick<AdapterError, "code" | "message">,
  ending: Ending
): JsonObject => ({
  ...identity(job),
  status: "failed",
  error_message: message(error),
  ...(ending.warnings.length > 1 ? { additional_info: withNotes({}, ending.warnings) } : {}),
  ...warningMembers(ending.warnings),
  completed_at: ending.completedAt,
  event_id: ending.eventId
})

/** what is tried when the server refuses a terminal event: nothing that could be the reason */
export const bareEvent = (event: JsonObject): JsonObject => {
  const metrics = Object.entries(event["metrics"] ?? {}).filter(
    ([, value]) => typeof value === "number" && Number.isFinite(value)
  )
  const names = ["provider_id", "id", "benchmark_index", "status", "error_message", "completed_at", "event_id"]
  return {
    ...Object.fromEntries(Object.entries(event).filter(([name]) => names.includes(name))),
    ...(event["metrics"] === undefined ? {} : { metrics: Object.fromEntries(metrics) })
  }
}

/** what is left when even the bare facts are too large: the first numeric metric, which is the primary one */
export const smallestEvent = (event: JsonObject): JsonObject => {
  const bare = bareEvent(event)
  const first = Object.entries(bare["metrics"] ?? {}).slice(0, 1)
  return { ...bare, ...(bare["metrics"] === undefined ? {} : { metrics: Object.fromEntries(first) }) }
}
