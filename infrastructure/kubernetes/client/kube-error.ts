/** How the Kubernetes API refuses, sorted by what a caller can do about it. Reference: cluster-objects.md, "Launching". */
import { Data } from "effect"
import { isObject, type JsonObject } from "../../../values/json.ts"

/**
 * - `transient`: try again later (network, time limit, 408, 429, 5xx)
 * - `credential`: 401, also with a token that was read again
 * - `forbidden`: 403
 * - `invalid`: 400, 413, 422 and whatever else the request itself is to blame for
 * - `not_found`: 404; on a create the namespace or the kind is missing
 * - `conflict`: 409; the name is taken, or a precondition does not hold
 * - `expired`: 410; list again
 */
export type KubeErrorClass = "transient" | "credential" | "forbidden" | "invalid" | "not_found" | "conflict" | "expired"

export class KubeError extends Data.TaggedError("KubeError")<{
  /** method and path, without query */
  readonly operation: string
  readonly class: KubeErrorClass
  /** HTTP status; 0 when there was no answer */
  readonly status: number
  /** machine-readable reason of the cluster, such as `AlreadyExists`; "" when it gave none */
  readonly reason: string
  /** reasons of `details.causes`, such as `NamespaceTerminating` */
  readonly causes: ReadonlyArray<string>
  /** the cluster's own words on one line, at most 1,024 characters */
  readonly message: string
  /** wait that the cluster asked for */
  readonly retryAfterMillis?: number
}> {}

const maxMessage = 1024

/** one line without control characters, at most 1,024 characters */
export const cleanMessage = (text: string): string => {
  const line = text.replaceAll(/[\p{Cc}\p{Surrogate}\s]+/gu, " ").trim()
  return line.length > maxMessage ? `${line.slice(0, maxMessage - 1)}…` : line
}

const classOf = (status: number): KubeErrorClass => {
  if (status === 401) return "credential"
  if (status === 403) return "forbidden"
  if (status === 404) return "not_found"
  if (status === 409) return "conflict"
  if (status === 410) return "expired"
  if (status === 0 || status === 408 || status === 429 || status >= 500) return "transient"
  return "invalid"
}

export const textOf = (object: JsonObject, name: string): string => {
  const value = object[name]
  return typeof value === "string" ? value : ""
}

const causesOf = (body: JsonObject): ReadonlyArray<string> => {
  const details = body["details"]
  const causes = isObject(details) ? details["causes"] : undefined
  return Array.isArray(causes)
    ? causes.flatMap((cause: unknown) => (isObject(cause) ? textOf(cause, "reason") : []))
    : []
}

const retryAfter = (header: string | undefined): { readonly retryAfterMillis?: number } =>
  header !== undefined && /^\d{1,6}$/.test(header.trim()) ? { retryAfterMillis: Number(header) * 1000 } : {}

/** the error of an answer with this status; `body` is its parsed document, normally a Status object */
export const refusal = (operation: string, status: number, body: unknown, retryAfterHeader?: string): KubeError => {
  const given = isObject(body) ? body : {}
  const message = cleanMessage(textOf(given, "message"))
  return new KubeError({
    operation,
    class: classOf(status),
    status,
    reason: textOf(given, "reason"),
    causes: causesOf(given),
    message: message === "" ? `the cluster answered with status ${status}` : message,
    ...retryAfter(retryAfterHeader)
  })
}

/** no usable answer: the connection failed, was cut, or took too long */
export const noAnswer = (operation: string, message: string): KubeError =>
  new KubeError({ operation, class: "transient", status: 0, reason: "", causes: [], message: cleanMessage(message) })

/** an answer without a body where one was asked for: there is nothing yet */
export const nothingYet = (operation: string): KubeError =>
  new KubeError({
    operation,
    class: "not_found",
    status: 204,
    reason: "",
    causes: [],
    message: "the cluster has nothing to show yet"
  })
