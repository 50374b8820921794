/**
 * Body of `POST …/jobs/{id}/events`: what adapters of any age send, read leniently and brought into one form. Losing a terminal event
 * is worse than a typo, so unknown members are reported, not refused; wrong types of known members are. Reference: adapter-contract.md, "Events", "Metrics".
 */
import { Either } from "effect"
import { canonicalJson } from "../../values/canonical-json.ts"
import { cutUtf8, plainText } from "../../values/clean-text.ts"
import { digestOf } from "../../values/digest.ts"
import { isObject, type JsonObject } from "../../values/json.ts"
import {
  type EventMessage,
  type EventMetricDescription,
  type EventProgress,
  failureCode,
  limitInfo,
  maxMessageBytes,
  readArtifacts,
  readDescription,
  readMessage,
  readProgress,
  readTime,
  type Say,
  textOf,
  type Unknown,
  warningCode
} from "./event-members.ts"
import { readMetrics } from "./event-metrics.ts"
import { type EventProblem, pointer, present, readerOf, show } from "./event-reader.ts"
import { isPhase, type Phase, phases } from "./phases.ts"
import { wireCountsMember } from "./wire-counts.ts"

export type { EventProblem } from "./event-reader.ts"

const statuses = ["pending", "running", "completed", "failed"] as const
/** structurally the domain's `StatusEvent`, which this layer must not import */
export interface DecodedStatusEvent {
  readonly benchmarkId: string
  readonly providerId?: string
  readonly index?: number
  readonly status: (typeof statuses)[number]
  readonly phase?: Phase
  readonly progress?: EventProgress
  readonly error?: EventMessage
  readonly warning?: EventMessage
  readonly metrics?: { readonly [name: string]: number | string | boolean }
  /** metrics beyond the limit, of which only the primary one is kept; not part of the digest */
  readonly moreMetrics?: ReadonlyArray<readonly [name: string, value: number | string | boolean]>
  readonly metricsSchema?: ReadonlyArray<EventMetricDescription>
  readonly artifacts?: JsonObject
  readonly additionalInfo?: JsonObject
  readonly trackerRunId?: string
  readonly logsPath?: string
  readonly startedAt?: string
  readonly completedAt?: string
  readonly digest: string
  /** what of the result is not stored as it was sent, a sentence each; not part of the digest */
  readonly notes?: ReadonlyArray<string>
}

export interface DecodedEventBody {
  readonly event: DecodedStatusEvent
  /** what the sidecar wrote beside a terminal event about the model's traffic; to be read only where a sidecar stands in between */
  readonly wireCounts?: unknown
  /** JSON Pointers of members that were ignored: named in the `Warning` header of the answer */
  readonly unknownMembers: ReadonlyArray<string>
  /** sentences about details that were not as they should be, and what is used instead: also for that header */
  readonly setAside: ReadonlyArray<string>
}

const wrapper = "benchmark_status_event"
const maxDescriptions = 5000
/** ignored members that are named; more than a header takes */
const maxUnknown = 100

const known = new Set([
  ...[
    "provider_id",
    "id",
    "benchmark_index",
    "status",
    "phase",
    "error_message",
    "warning_message",
    "metrics",
    "metrics_schema",
    "artifacts"
  ],
  ...[
    "additional_info",
    "mlflow_run_id",
    "tracker_run_id",
    "logs_path",
    "job_meta",
    "started_at",
    "completed_at",
    "event_id",
    "overall_score"
  ],
  ...["message", "progress", "current_step", "total_steps", "completed_steps", "error", "error_details", "timestamp"]
])

/** more tell an adapter's author nothing new */
const maxSentences = 20

/** what happens in place of a detail that can not be used */
const instead = (path: string): string =>
  /\/(started|completed)_at$/.test(path) ? "the server's clock is used" : "it is left out"

const orAbsent = <A extends object>(value: A): A | undefined => (Object.keys(value).length === 0 ? undefined : value)

/**
 * Reads a parsed body. Right: the event in one form (times UTC with milliseconds, aliases merged, sizes cut) with the pointers of ignored
 * members. Left: every problem, at least one.
 */
export const decodeStatusEvent = (body: unknown): Either.Either<DecodedEventBody, ReadonlyArray<EventProblem>> => {
  const problems: Array<EventProblem> = []
  const unknownMembers: Array<string> = []
  const unknown: Unknown = (base, name) => {
    if (unknownMembers.length < maxUnknown) unknownMembers.push(pointer(base, name))
  }
  const base = `/${wrapper}`
  if (!isObject(body))
    return Either.left([
      {
        path: "",
        message: `the body must be an object with the member ${wrapper}, got ${show(body)}`,
        code: "invalid_value"
      }
    ])
  const source = readerOf(body, "", problems).object(wrapper)
  if (source === undefined) {
    const missing: EventProblem = {
      path: base,
      message: `${wrapper} is required: wrap the event in it`,
      code: "invalid_value"
    }
    return Either.left(problems.length > 0 ? problems : [missing])
  }
  for (const name of Object.keys(body)) if (name !== wrapper && name !== wireCountsMember) unknown("", name)
  for (const name of Object.keys(source)) if (!known.has(name)) unknown(base, name)

  const reader = readerOf(source, base, problems)
  const status = reader.oneOf("status", statuses)
  if (status === undefined && problems.length === 0)
    reader.refuse("status", `is required: one of ${statuses.join(", ")}`)
  const terminal = status === "completed" || status === "failed"
  // losing a result is worse than a wrong detail: only what decides refuses a terminal event
  const details: Array<EventProblem> = terminal ? [] : problems
  const setAside: Array<string> = []
  const say: Say = (sentence) => setAside.push(sentence)
  const detail = terminal ? readerOf(source, base, details) : reader
  const decisive = status === "failed" ? detail : reader
  const index = reader.integer("benchmark_index")
  if (index !== undefined && index < 0) reader.refuse("benchmark_index", `must not be negative, got ${index}`)
  const phase = detail.text("phase")
  if (phase !== undefined && !terminal && !isPhase(phase))
    reader.refuse("phase", `must be one of ${phases.join(", ")}, got ${show(phase)}`)

  const metrics = decisive.object("metrics")
  const read = metrics === undefined ? undefined : readMetrics(metrics)
  const notes: Array<string> = [...(read?.notes ?? [])]
  const note: Say = (sentence) => notes.push(sentence)
  const described = detail.list("metrics_schema")
  const tooMany = (described?.length ?? 0) - maxDescriptions
  if (tooMany > 0) note(`${tooMany} of ${described?.length} descriptions of metrics were dropped`)
  const schema = described
    ?.slice(0, maxDescriptions)
    .flatMap((one, at) => readDescription(one, pointer(pointer(base, "metrics_schema"), at), details, unknown) ?? [])
    .filter(({ name }) => name !== "")
  const artifacts = detail.object("artifacts")
  const jobMeta = detail.object("job_meta")
  const plainError =
    textOf(reader.raw("error")) ?? (isObject(reader.raw("error")) ? canonicalJson(reader.raw("error")) : undefined)
  const own = present({
    job_meta: jobMeta,
    overall_score: reader.raw("overall_score"),
    error_details: terminal ? reader.raw("error_details") : undefined,
    unsupported_metrics: read === undefined ? undefined : orAbsent(read.unsupported),
    dropped_metrics: read === undefined || read.dropped === 0 ? undefined : read.dropped
  })
  // ours stand first, so that what an adapter has too much of does not push them out, and count where names meet
  const info = { ...own, ...detail.object("additional_info"), ...own }
  const event = present({
    benchmarkId: reader.required("id"),
    providerId: reader.text("provider_id"),
    index,
    status: status ?? "running",
    phase: status === "running" && phase !== undefined && isPhase(phase) ? phase : undefined,
    progress: status === "running" ? readProgress(reader) : undefined,
    error:
      readMessage(detail, "error_message", {
        base,
        problems: details,
        terminal,
        fallbackCode: failureCode,
        unknown,
        say
      }) ??
      (plainError === undefined
        ? undefined
        : { message: cutUtf8(plainText(plainError), maxMessageBytes), code: failureCode, origin: "adapter" as const }),
    warning: readMessage(detail, "warning_message", {
      base,
      problems: details,
      terminal,
      fallbackCode: warningCode,
      unknown,
      say
    }),
    metrics: read === undefined ? undefined : orAbsent(read.metrics),
    metricsSchema: schema === undefined ? undefined : orAbsent(schema),
    artifacts: artifacts === undefined ? undefined : orAbsent(readArtifacts(artifacts, note)),
    additionalInfo: orAbsent(limitInfo(info, note)),
    trackerRunId: detail.text("tracker_run_id") ?? detail.text("mlflow_run_id"),
    logsPath: detail.text("logs_path"),
    startedAt: readTime(detail, "started_at", say),
    completedAt: readTime(detail, "completed_at", say)
  })
  if (problems.length > 0) return Either.left(problems)
  for (const { path, message } of details.slice(0, maxSentences)) say(`${message}; ${instead(path)}`)
  const beside = present({
    moreMetrics: read === undefined || read.more.length === 0 ? undefined : read.more,
    notes: notes.length === 0 ? undefined : notes
  })
  const wireCounts = present({ wireCounts: body[wireCountsMember] })
  return Either.right({
    event: { ...event, ...beside, digest: digestOf(event) },
    ...wireCounts,
    unknownMembers,
    setAside
  })
}
