/** Parts of a status event: messages, metric descriptions, progress, cards and free-form information, each with its cuts. Reference: adapter-contract.md, "Events". */

import type { MetricFacts } from "../../values/benchmark/metric-facts.ts"
import { cleanJson, cleanText, cutUtf8, plainText } from "../../values/clean-text.ts"
import { defined } from "../../values/defined.ts"
import { isObject, type JsonObject } from "../../values/json.ts"
import { type EventProblem, type EventReader, listed, pointer, readerOf, show } from "./event-reader.ts"
import { hasZone, readWireTime } from "./wire-time.ts"

const origins = ["server", "runtime", "adapter", "sdk"] as const

export interface EventMessage {
  readonly message: string
  readonly code: string
  readonly origin: (typeof origins)[number]
}

export interface EventMetricDescription extends MetricFacts {
  readonly type?: string
}

export interface EventProgress {
  readonly message?: string
  readonly completed?: number
  readonly total?: number
}

export const maxMessageBytes = 8 * 1024
const maxCardBytes = 64 * 1024
const maxInfoBytes = 256 * 1024
const maxMembers = 10_000
const maxOmitted = 100
const maxCodeBytes = 128
export const failureCode = "benchmark_failed"
export const warningCode = "adapter_warning"

export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? cutUtf8(value, maxMessageBytes) : undefined
const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined

const plainOrAbsent = (text: string | undefined): string | undefined => {
  const plain = text === undefined ? "" : plainText(text)
  return plain === "" ? undefined : plain
}

/** told of every member that is ignored: pointer of its object, and its name */
export type Unknown = (base: string, name: string) => void
/** told in a sentence what is used in place of something */
export type Say = (sentence: string) => void

interface MessageContext {
  readonly base: string
  readonly problems: Array<EventProblem>
  /** of the last event, which is taken with a default in place of what is missing */
  readonly terminal: boolean
  readonly fallbackCode: string
  readonly unknown: Unknown
  readonly say: Say
}

export const readMessage = (
  reader: EventReader,
  name: string,
  { base: path, problems, terminal, fallbackCode, unknown, say }: MessageContext
): EventMessage | undefined => {
  const raw = reader.raw(name)
  if (typeof raw === "string") {
    const message = plainOrAbsent(reader.text(name))
    return message === undefined
      ? undefined
      : { message: cutUtf8(message, maxMessageBytes), code: fallbackCode, origin: "adapter" }
  }
  const object = reader.object(name)
  if (object === undefined) return undefined
  const member = readerOf(object, pointer(path, name), problems)
  const missing = ["message", "message_code"].filter((required) => member.raw(required) === undefined)
  if (!terminal) for (const required of missing) member.refuse(required, "is required")
  else if (missing.length === 1)
    say(`${name} has no ${missing[0]}; ${missing[0] === "message" ? "its code" : fallbackCode} is used`)
  for (const other of member.names)
    if (!["message", "message_code", "message_origin"].includes(other)) unknown(pointer(path, name), other)
  const message = plainOrAbsent(member.text("message"))
  const code = plainOrAbsent(member.text("message_code")?.replaceAll(/\s/g, ""))
  const origin = member.oneOf("message_origin", origins) ?? "adapter"
  if (message === undefined && code === undefined) return undefined
  if (message !== undefined && Buffer.byteLength(message) > maxMessageBytes)
    say(`${name} was cut to ${maxMessageBytes} bytes`)
  return {
    message: cutUtf8(message ?? code ?? "", maxMessageBytes),
    code: cutUtf8(code ?? fallbackCode, maxCodeBytes),
    origin
  }
}

const describedMembers = [
  "name",
  "type",
  "unit",
  "lower_is_better",
  "n",
  "stderr",
  "ci",
  "ci_level",
  "ci_method",
  "successes",
  "clusters"
]

export const readDescription = (
  raw: unknown,
  path: string,
  problems: Array<EventProblem>,
  unknown: Unknown
): EventMetricDescription | undefined => {
  if (!isObject(raw)) {
    problems.push({
      path,
      message: `an entry of metrics_schema must be an object, got ${show(raw)}`,
      code: "invalid_value"
    })
    return undefined
  }
  const member = readerOf(raw, path, problems)
  for (const other of member.names) if (!describedMembers.includes(other)) unknown(path, other)
  const ci = member.list("ci")
  const [low, high] = ci ?? []
  const interval =
    typeof low === "number" && typeof high === "number" && ci?.length === 2 ? ([low, high] as const) : undefined
  if (ci !== undefined && interval === undefined) member.refuse("ci", `must be two numbers, got ${show(ci)}`)
  return defined({
    name: member.required("name"),
    type: member.text("type"),
    unit: member.text("unit"),
    lowerIsBetter: member.boolean("lower_is_better"),
    n: member.integer("n"),
    stderr: member.number("stderr"),
    ci: interval,
    ciLevel: member.number("ci_level"),
    ciMethod: member.text("ci_method"),
    successes: member.integer("successes"),
    clusters: member.number("clusters")
  })
}

export const readTime = (reader: EventReader, name: string, say: Say): string | undefined => {
  const text = reader.text(name)
  const time = text === undefined ? undefined : readWireTime(text)
  if (text !== undefined && time !== undefined && !hasZone(text)) say(`${name} has no time zone and is taken as UTC`)
  return text === undefined || time !== undefined
    ? time
    : reader.refuse(name, `must be a time like 2026-08-17T10:11:12.123Z, got ${show(text)}`)
}

/** what adapters of the first contract call it: steps, a fraction, or an object of both */
export const readProgress = (reader: EventReader): EventProgress | undefined => {
  const step = reader.raw("current_step")
  const raw = reader.raw("progress")
  const nested = isObject(raw) ? raw : {}
  const share = countOf(raw)
  const message = textOf(reader.raw("message")) ?? textOf(nested["message"]) ?? textOf(step) ?? textOf(raw)
  const completed = [reader.raw("completed_steps"), nested["completed_steps"], nested["completed"], step]
    .map(countOf)
    .find((count) => count !== undefined)
  const total = [reader.raw("total_steps"), nested["total_steps"], nested["total"]]
    .map(countOf)
    .find((count) => count !== undefined)
  const counted =
    completed === undefined && share !== undefined
      ? { completed: share, total: total ?? (share <= 1 ? 1 : 100) }
      : { completed, total }
  const progress = defined({ message: plainOrAbsent(message), ...counted })
  return Object.keys(progress).length === 0 ? undefined : progress
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? "")

/** whether the value certainly takes more than `bytes` as JSON; looks no further than it has to */
const certainlyTakes = (value: unknown, bytes: number): boolean => {
  let left = bytes
  const open: Array<unknown> = [value]
  while (open.length > 0 && left >= 0) {
    const one = open.pop()
    left -= typeof one === "string" ? one.length + 2 : 1
    if (typeof one !== "object" || one === null) continue
    for (const name of Object.keys(one)) {
      if (!Array.isArray(one)) left -= name.length + 3
      if (left < 0) break
      open.push((one as JsonObject)[name])
    }
  }
  return left < 0
}

/** members in the order given while they fit; the names of the others are listed, so that nothing disappears silently */
const whileTheyFit = (
  what: string,
  members: JsonObject,
  note: Say,
  read: (raw: unknown, left: number, name: string) => unknown
): JsonObject => {
  const omitted: Array<string> = []
  const kept: Array<[string, unknown]> = []
  let left = maxInfoBytes
  for (const given of Object.keys(members)) {
    if (given === "__proto__") continue
    const name = cleanText(given)
    const member = kept.length < maxMembers ? read(members[given], left, name) : undefined
    const bytes = member === undefined ? Number.POSITIVE_INFINITY : bytesOf(member) + Buffer.byteLength(name) + 4
    if (bytes <= left) {
      left -= bytes
      kept.push([name, member])
    } else if (omitted.push(cutUtf8(name, 256)) === maxOmitted) break
  }
  if (omitted.length > 0) note(`members of ${what} beyond ${maxInfoBytes} bytes were left out: ${listed(omitted)}`)
  return Object.fromEntries(omitted.length === 0 ? kept : [...kept, ["omitted_members", omitted]])
}

/** each card is stored as it is up to 64 KiB, a larger one is replaced by a note that says so; all together take at most 256 KiB */
export const readArtifacts = (raw: JsonObject, note: Say): JsonObject => {
  const replaced: Array<string> = []
  const cards = whileTheyFit("artifacts", raw, note, (given, _left, name) => {
    const card = certainlyTakes(given, maxCardBytes) ? given : cleanJson(given)
    const bytes = bytesOf(card)
    if (bytes <= maxCardBytes) return card
    replaced.push(name)
    return { truncated: true, bytes, note: `larger than ${maxCardBytes} bytes, left out` }
  })
  if (replaced.length > 0)
    note(`the artifacts ${listed(replaced)} are larger than ${maxCardBytes} bytes and were replaced by a note`)
  return cards
}

/** at most 256 KiB */
export const limitInfo = (info: JsonObject, note: Say): JsonObject =>
  whileTheyFit("additional_info", info, note, (given, left) =>
    certainlyTakes(given, left) ? undefined : cleanJson(given)
  )
