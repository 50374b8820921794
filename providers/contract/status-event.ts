/**
 * Body of `POST …/jobs/{id}/events`: what adapters of any age send, read leniently and brought into one form. Losing a terminal event
 * is worse than a typo, so unknown members are reported, not refused; wrong types of known members are. Reference: adapter-contract.md, "Events", "Metrics".
 */
import { Either } from "effect"
import { isPhase, type Phase, phases } from "../../values/benchmark/phases.ts"
import { canonicalJson } from "../../values/canonical-json.ts"
import { cutUtf8, plainText } from "../../values/clean-text.ts"
import { defined } from "../../values/defined.ts"
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
import { type EventProblem, type EventReader, pointer, readerOf, show } from "./event-reader.ts"
import { wireCountsMember, wireSpentMember } from "./wire-counts.ts"

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
  /** what it wrote beside any event about what was used; as above */
  readonly wireSpent?: unknown
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

/** an event while it is read */
interface Reading {
  readonly base: string
  /** what it refuses refuses the event */
  readonly reader: EventReader
  /** of details: what it refuses is set aside in a terminal event */
  readonly detail: EventReader
  /** problems of details */
  readonly details: Array<EventProblem>
  readonly status: DecodedStatusEvent["status"] | undefined
  readonly terminal: boolean
  readonly unknown: Unknown
  /** tells what of the result is not stored as it was sent */
  readonly note: Say
  /** tells what was set aside */
  readonly say: Say
}

type Metrics = ReturnType<typeof readMetrics>

const invalid = (path: string, message: string): EventProblem => ({ path, message, code: "invalid_value" })

/** the event within its wrapper */
const unwrap = (
  body: unknown,
  problems: Array<EventProblem>
): Either.Either<{ readonly body: JsonObject; readonly source: JsonObject }, ReadonlyArray<EventProblem>> => {
  if (!isObject(body))
    return Either.left([invalid("", `the body must be an object with the member ${wrapper}, got ${show(body)}`)])
  const source = readerOf(body, "", problems).object(wrapper)
  if (source !== undefined) return Either.right({ body, source })
  return Either.left(
    problems.length > 0 ? problems : [invalid(`/${wrapper}`, `${wrapper} is required: wrap the event in it`)]
  )
}

const readStatus = (reader: EventReader, problems: ReadonlyArray<EventProblem>): Reading["status"] => {
  const status = reader.oneOf("status", statuses)
  if (status === undefined && problems.length === 0)
    reader.refuse("status", `is required: one of ${statuses.join(", ")}`)
  return status
}

const readIndex = ({ reader }: Reading): number | undefined => {
  const index = reader.integer("benchmark_index")
  if (index !== undefined && index < 0) reader.refuse("benchmark_index", `must not be negative, got ${index}`)
  return index
}

const readPhase = ({ detail, status, terminal }: Reading): Phase | undefined => {
  const phase = detail.text("phase")
  if (phase === undefined) return undefined
  if (isPhase(phase)) return status === "running" ? phase : undefined
  return terminal ? undefined : detail.refuse("phase", `must be one of ${phases.join(", ")}, got ${show(phase)}`)
}

const readSchema = ({ base, detail, details, unknown, note }: Reading) => {
  const described = detail.list("metrics_schema")
  const tooMany = (described?.length ?? 0) - maxDescriptions
  if (tooMany > 0) note(`${tooMany} of ${described?.length} descriptions of metrics were dropped`)
  return described
    ?.slice(0, maxDescriptions)
    .flatMap((one, at) => readDescription(one, pointer(pointer(base, "metrics_schema"), at), details, unknown) ?? [])
    .filter(({ name }) => name !== "")
}

/** what the event says beside its own members, with what we have to say about it */
const readInfo = ({ reader, detail, terminal }: Reading, metrics: Metrics | undefined): JsonObject => {
  const own = defined({
    job_meta: detail.object("job_meta"),
    overall_score: reader.raw("overall_score"),
    error_details: terminal ? reader.raw("error_details") : undefined,
    unsupported_metrics: metrics === undefined ? undefined : orAbsent(metrics.unsupported),
    dropped_metrics: metrics === undefined || metrics.dropped === 0 ? undefined : metrics.dropped
  })
  // ours stand first, so that what an adapter has too much of does not push them out, and count where names meet
  return { ...own, ...detail.object("additional_info"), ...own }
}

const readAs = ({ base, detail, details, terminal, unknown, say }: Reading, name: string, fallbackCode: string) =>
  readMessage(detail, name, { base, problems: details, terminal, fallbackCode, unknown, say })

/** older adapters tell their failure in a member `error`, as a text or as an object of their own */
const plainError = (reader: EventReader): EventMessage | undefined => {
  const raw = reader.raw("error")
  const text = textOf(raw) ?? (isObject(raw) ? canonicalJson(raw) : undefined)
  return text === undefined
    ? undefined
    : { message: cutUtf8(plainText(text), maxMessageBytes), code: failureCode, origin: "adapter" }
}

/** a result without its metrics is none: they are a detail of failures alone */
const readResult = ({ reader, detail, status, note }: Reading): Metrics | undefined => {
  const metrics = (status === "failed" ? detail : reader).object("metrics")
  if (metrics === undefined) return undefined
  const read = readMetrics(metrics)
  for (const sentence of read.notes) note(sentence)
  return read
}

/** in this order: it is the one in which problems are told */
const readEvent = (reading: Reading) => {
  const { reader, detail, status, note, say } = reading
  const index = readIndex(reading)
  const phase = readPhase(reading)
  const metrics = readResult(reading)
  const schema = readSchema(reading)
  const artifacts = detail.object("artifacts")
  const info = readInfo(reading, metrics)
  const event = defined({
    benchmarkId: reader.required("id"),
    providerId: reader.text("provider_id"),
    index,
    status: status ?? "running",
    phase,
    progress: status === "running" ? readProgress(reader) : undefined,
    error: readAs(reading, "error_message", failureCode) ?? plainError(reader),
    warning: readAs(reading, "warning_message", warningCode),
    metrics: metrics === undefined ? undefined : orAbsent(metrics.metrics),
    metricsSchema: schema === undefined ? undefined : orAbsent(schema),
    artifacts: artifacts === undefined ? undefined : orAbsent(readArtifacts(artifacts, note)),
    additionalInfo: orAbsent(limitInfo(info, note)),
    trackerRunId: detail.text("tracker_run_id") ?? detail.text("mlflow_run_id"),
    logsPath: detail.text("logs_path"),
    startedAt: readTime(detail, "started_at", say),
    completedAt: readTime(detail, "completed_at", say)
  })
  return { event, more: metrics?.more ?? [] }
}

/**
 * Reads a parsed body. Right: the event in one form (times UTC with milliseconds, aliases merged, sizes cut) with the pointers of ignored
 * members. Left: every problem, at least one.
 */
export const decodeStatusEvent = (sent: unknown): Either.Either<DecodedEventBody, ReadonlyArray<EventProblem>> => {
  const problems: Array<EventProblem> = []
  const unwrapped = unwrap(sent, problems)
  if (Either.isLeft(unwrapped)) return Either.left(unwrapped.left)
  const { body, source } = unwrapped.right
  const base = `/${wrapper}`
  const unknownMembers: Array<string> = []
  const unknown: Unknown = (at, name) => {
    if (unknownMembers.length < maxUnknown) unknownMembers.push(pointer(at, name))
  }
  for (const name of Object.keys(body))
    if (name !== wrapper && name !== wireCountsMember && name !== wireSpentMember) unknown("", name)
  for (const name of Object.keys(source)) if (!known.has(name)) unknown(base, name)

  const reader = readerOf(source, base, problems)
  const status = readStatus(reader, problems)
  const terminal = status === "completed" || status === "failed"
  // losing a result is worse than a wrong detail: only what decides refuses a terminal event
  const details: Array<EventProblem> = terminal ? [] : problems
  const detail = terminal ? readerOf(source, base, details) : reader
  const setAside: Array<string> = []
  const notes: Array<string> = []
  const say: Say = (sentence) => setAside.push(sentence)
  const note: Say = (sentence) => notes.push(sentence)
  const reading: Reading = { base, reader, detail, details, status, terminal, unknown, note, say }
  const { event, more } = readEvent(reading)
  if (problems.length > 0) return Either.left(problems)
  for (const { path, message } of details.slice(0, maxSentences)) say(`${message}; ${instead(path)}`)
  const beside = defined({
    moreMetrics: more.length === 0 ? undefined : more,
    notes: notes.length === 0 ? undefined : notes
  })
  return Either.right({
    event: { ...event, ...beside, digest: digestOf(event) },
    ...defined({ wireCounts: body[wireCountsMember], wireSpent: body[wireSpentMember] }),
    unknownMembers,
    setAside
  })
}
