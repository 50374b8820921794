/**
 * Reads one record from parsed JSON: every problem is told with the member's path, `null` is absent, and members that are not known are
 * left out and named. Written by hand, because a call brings a thousand of them. Reference: samples.md, "Members".
 */

import { sampleVerdicts } from "../../values/benchmark/sample-verdicts.ts"
import { defined } from "../../values/defined.ts"
import { isObject } from "../../values/json.ts"
import { nearest } from "../../values/nearest.ts"
import { given, type Path } from "../path.ts"
import { shown, type Violation, violation } from "../violation.ts"
import { limits, reasons, type Sample, type SampleDocument, type SampleReason, type SampleVerdict } from "./sample.ts"

export interface ReadSample {
  readonly sample: Sample | undefined
  readonly problems: ReadonlyArray<Violation>
  /** names of members that were left out */
  readonly unknown: ReadonlyArray<string>
}

type Check = (value: unknown) => string | undefined

const largest = 2_147_483_647
const control = /[\p{Cc}\p{Surrogate}\u202a-\u202e\u2066-\u2069]/u
const hex64 = /^[0-9a-f]{64}$/
const flagName = /^[a-z][a-z0-9_]{0,63}$/

/** the usual names are told at a glance */
const isPrintable = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x20 || unit > 0x7e) return !control.test(text)
  }
  return true
}

const plain =
  (max: number): Check =>
  (value) =>
    typeof value === "string" && value.length > 0 && value.length <= max && isPrintable(value)
      ? undefined
      : `must be a text of 1 to ${max} characters without control characters`

const whole: Check = (value) =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= largest
    ? undefined
    : `must be a whole number from 0 to ${largest}`
const integer: Check = (value) => (Number.isSafeInteger(value) ? undefined : "must be a whole number")
const finite: Check = (value) =>
  typeof value === "number" && Number.isFinite(value) ? undefined : "must be a finite number"
const duration: Check = (value) =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? undefined : "must be a number of at least 0"
const text: Check = (value) => (typeof value === "string" ? undefined : "must be a text")
const flag: Check = (value) => (typeof value === "boolean" ? undefined : "must be true or false")
const digest: Check = (value) =>
  typeof value === "string" && hex64.test(value) ? undefined : "must be 64 hexadecimal digits in lower case"
const object: Check = (value) => (isObject(value) ? undefined : "must be an object")
const list: Check = (value) => (Array.isArray(value) ? undefined : "must be a list")
const prompt: Check = (value) =>
  typeof value === "string" || Array.isArray(value) ? undefined : "must be a text or a list of messages"
const reference: Check = (value) =>
  typeof value === "string" || typeof value === "number" || typeof value === "object"
    ? undefined
    : "must be a text, a number, a list or an object"
const texts: Check = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === "string") ? undefined : "must be a list of texts"
const one =
  (allowed: ReadonlyArray<string>): Check =>
  (value) =>
    typeof value === "string" && allowed.includes(value) ? undefined : `must be one of ${allowed.join(", ")}`
const version: Check = (value) => (value === 1 ? undefined : "must be 1")

const flags: Check = (value) =>
  Array.isArray(value) &&
  value.length <= limits.flags &&
  value.every((name) => typeof name === "string" && flagName.test(name))
    ? undefined
    : `must be a list of at most ${limits.flags} names such as 'answer_repeated': a small letter, then small letters, digits and '_', at most 64 characters`

const scores: Check = (value) => {
  if (!isObject(value)) return "must be an object of numbers"
  const names = Object.keys(value)
  if (names.length > limits.scores) return `must have at most ${limits.scores} members`
  const bad = names.find((name) => finite(value[name]) !== undefined)
  return bad === undefined ? undefined : `must hold finite numbers, but '${bad.slice(0, 80)}' is ${shown(value[bad])}`
}

const counts: { readonly [name: string]: Check } = {
  prompt: whole,
  completion: whole,
  reasoning: whole,
  cached: whole,
  estimated: flag
}

const tokens: Check = (value) => {
  if (!isObject(value)) return "must be an object"
  for (const [name, check] of Object.entries(counts)) {
    const given = value[name]
    const problem = given === undefined || given === null ? undefined : check(given)
    if (problem !== undefined) return `has a member '${name}' that is ${shown(given)} and ${problem}`
  }
  return undefined
}

const failure: Check = (value) => {
  if (!isObject(value)) return "must be an object"
  if (plain(limits.taskLength)(value["code"]) !== undefined) return "must have a text 'code'"
  return typeof value["message"] === "string" ? undefined : "must have a text 'message'"
}

const required = ["v", "sample_id", "task", "index", "repeat", "verdict"] as const

/** every member of a record */
const members: { readonly [name: string]: Check } = {
  v: version,
  sample_id: plain(limits.nameLength),
  task: plain(limits.taskLength),
  index: whole,
  repeat: whole,
  verdict: one(sampleVerdicts),
  reason: one(reasons),
  prompt_sha256: digest,
  response_sha256: digest,
  prompt,
  response: text,
  reasoning: text,
  reference,
  choices: texts,
  extracted: text,
  truncated: flag,
  cut: texts,
  score: finite,
  scores,
  cluster: plain(limits.clusterLength),
  flags,
  seed: integer,
  latency_ms: duration,
  ttft_ms: duration,
  tokens,
  turns: list,
  role_requests: object,
  finish_reason: plain(limits.shortLength),
  request_id: text,
  started_at: text,
  error: failure,
  parameters: object,
  served_model: text,
  system_fingerprint: text,
  retries: whole,
  rules: list,
  judge: object,
  logprobs: object,
  timing: object
}

/** in the order of their names, so that the document that is read is so */
const inOrder: ReadonlyArray<readonly [name: string, check: Check]> = Object.entries(members).sort(([a], [b]) =>
  a < b ? -1 : 1
)

const optionalNumber = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

const generated = (value: unknown): number | undefined =>
  isObject(value) ? optionalNumber(value["completion"]) : undefined

const sampleOf = (document: SampleDocument): Sample => {
  const { reason, finish_reason: finish, score, scores: all, cluster, latency_ms: latency } = document
  const completion = generated(document["tokens"])
  return {
    sampleId: document["sample_id"] as string,
    task: document["task"] as string,
    repeat: document["repeat"] as number,
    index: document["index"] as number,
    verdict: document["verdict"] as SampleVerdict,
    flags: [...new Set((document["flags"] ?? []) as ReadonlyArray<string>)].sort(),
    ...(reason === undefined ? {} : { reason: reason as SampleReason }),
    ...(finish === undefined ? {} : { finishReason: finish as string }),
    ...(score === undefined ? {} : { score: score as number }),
    ...(all === undefined ? {} : { scores: all as { readonly [metric: string]: number } }),
    ...(cluster === undefined ? {} : { cluster: cluster as string }),
    ...defined({ completionTokens: completion }),
    ...(latency === undefined ? {} : { latencyMillis: latency as number }),
    document
  }
}

const deepest = 64

/** recursion ends at the limit, whatever was sent */
const isDeeper = (value: unknown, left: number): boolean => {
  if (typeof value !== "object" || value === null) return false
  return left === 0 || Object.values(value).some((one) => isDeeper(one, left - 1))
}

/** the known members of a line that `readSample` took */
export const documentIn = (value: SampleDocument): SampleDocument => {
  const document: { [member: string]: unknown } = {}
  for (const [name] of inOrder) {
    const found = value[name]
    if (found !== null && found !== undefined) document[name] = found
  }
  return document
}

/** `path`: of the record in what the caller sent */
export const readSample = (value: unknown, path: Path): ReadSample => {
  if (!isObject(value))
    return {
      sample: undefined,
      problems: [violation(path, `the line is ${shown(value)}, but must be a JSON object`)],
      unknown: []
    }
  const problems: Array<Violation> = []
  const unknown: Array<string> = []
  const document: { [member: string]: unknown } = {}
  for (const [name, check] of inOrder) {
    const found = value[name]
    if (found === null || found === undefined) continue
    const problem = isDeeper(found, deepest) ? `must have at most ${deepest} levels` : check(found)
    if (problem === undefined) document[name] = found
    else problems.push(violation([...path, given(name)], `${name} is ${shown(found)}, but ${problem}`))
  }
  for (const name in value) if (!Object.hasOwn(members, name)) unknown.push(name)
  for (const name of required) {
    if (document[name] === undefined && (value[name] === undefined || value[name] === null)) {
      const similar = nearest(name, unknown)
      problems.push(
        violation(
          [...path, given(name)],
          `${name} is missing${similar === undefined ? "" : `; did you mean it by '${similar.slice(0, 80)}'?`}`
        )
      )
    }
  }
  if (
    document["verdict"] === "error" &&
    document["error"] === undefined &&
    (value["error"] === undefined || value["error"] === null)
  )
    problems.push(
      violation(
        [...path, given("error")],
        "error is missing; a record with the verdict error says which {code, message}"
      )
    )
  return { sample: problems.length === 0 ? sampleOf(document) : undefined, problems, unknown }
}
