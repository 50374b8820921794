/**
 * Header lists as node gives them, `[name, value, name, value, …]`, so that order, case and repetition survive. Hop-by-hop members end
 * here, as do the headers by which a caller could pose as somebody else. Reference: gateway.md, "Rewriting".
 */

import type { BodyForm } from "./witness/witness.ts"

export type RawHeaders = ReadonlyArray<string>

const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

/** never leaves on the request side: beside the hop-by-hop members identity, addressing, and what is set anew */
const replacedOnRequest: ReadonlySet<string> = new Set([
  ...hopByHop,
  "authorization",
  "host",
  "content-length",
  "forwarded",
  "x-user"
])

/** the length tells most of them apart, so that few are written in small letters for it */
const isNamed = (name: string | undefined, lower: string): boolean =>
  name !== undefined && name.length === lower.length && name.toLowerCase() === lower

const connectionNames = (raw: RawHeaders): ReadonlySet<string> | undefined => {
  let names: Set<string> | undefined
  for (let index = 0; index < raw.length; index += 2)
    if (isNamed(raw[index], "connection"))
      for (const name of (raw[index + 1] ?? "").toLowerCase().split(",")) {
        const trimmed = name.trim()
        // the usual values name no header; without them the common case allocates nothing
        if (trimmed !== "keep-alive" && trimmed !== "close" && trimmed !== "") {
          names ??= new Set()
          names.add(trimmed)
        }
      }
  return names
}

const isForged = (name: string): boolean =>
  name.startsWith("x-forwarded-") ||
  name.startsWith("proxy-") ||
  name.startsWith("impersonate-") ||
  name.startsWith("x-remote-")

/** all values of one header, in order */
export const valuesOf = (raw: RawHeaders, wanted: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let index = 0; index < raw.length; index += 2) if (isNamed(raw[index], wanted)) found.push(raw[index + 1] ?? "")
  return found
}

/** how the answer's body is to be read: the first type that is said, and all encodings */
export const bodyForm = (raw: RawHeaders): BodyForm => {
  let contentType: string | undefined
  let contentEncoding: string | undefined
  for (let index = 0; index < raw.length; index += 2) {
    const value = raw[index + 1] ?? ""
    if (isNamed(raw[index], "content-type")) contentType ??= value
    else if (isNamed(raw[index], "content-encoding"))
      contentEncoding = contentEncoding === undefined ? value : `${contentEncoding}, ${value}`
  }
  return { contentType, contentEncoding }
}

export interface RequestHead {
  readonly method: string
  readonly host: string
  /** the one Authorization value to send; undefined: none */
  readonly authorization: string | undefined
  readonly requestId: string
  /** further headers to drop, lower case (`x-tenant` towards models) */
  readonly drop: ReadonlySet<string>
  /** headers to send with another value, lower-case names */
  readonly replace: ReadonlyMap<string, string>
  /** one more header, name and value */
  readonly add?: readonly [name: string, value: string] | undefined
}

/** headers for the upstream. The body's framing is kept: the same length, or chunks. */
export const upstreamHeaders = (raw: RawHeaders, head: RequestHead): Array<string> => {
  const listed = connectionNames(raw)
  const out: Array<string> = ["Host", head.host]
  let hasRequestId = false
  let length: string | undefined
  let chunked = false
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? ""
    const value = raw[index + 1] ?? ""
    const lower = name.toLowerCase()
    if (lower === "content-length") length = value
    else if (lower === "transfer-encoding") chunked = true
    else if (
      lower === "te" &&
      value
        .toLowerCase()
        .split(",")
        .some((part) => part.trim() === "trailers")
    )
      out.push("TE", "trailers")
    if (replacedOnRequest.has(lower) || isForged(lower) || listed?.has(lower) === true || head.drop.has(lower)) continue
    if (lower === "x-request-id") hasRequestId = true
    out.push(name, head.replace.get(lower) ?? value)
  }
  if (head.authorization !== undefined) out.push("Authorization", head.authorization)
  if (head.add !== undefined) out.push(...head.add)
  if (!hasRequestId) out.push("X-Request-Id", head.requestId)
  if (chunked) out.push("Transfer-Encoding", "chunked")
  else if (length !== undefined) out.push("Content-Length", length)
  // without it node would announce chunks for a body that does not exist
  else if (head.method === "POST" || head.method === "PUT" || head.method === "PATCH") out.push("Content-Length", "0")
  return out
}

/** whether a request announces a body */
export const announcesBody = (raw: RawHeaders): boolean => {
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]
    if (isNamed(name, "transfer-encoding") || (isNamed(name, "content-length") && raw[index + 1] !== "0")) return true
  }
  return false
}

/** headers for the caller; `relocate` rewrites a `Location` */
export const downstreamHeaders = (
  raw: RawHeaders,
  relocate: (location: string) => string,
  drop?: ReadonlySet<string>
): Array<string> => {
  const listed = connectionNames(raw)
  const out: Array<string> = []
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? ""
    const value = raw[index + 1] ?? ""
    const lower = name.toLowerCase()
    if (hopByHop.has(lower) || listed?.has(lower) === true || drop?.has(lower) === true) continue
    out.push(name, lower === "location" ? relocate(value) : value)
  }
  return out
}

/** trailers as the pairs that node wants */
export const trailerPairs = (raw: RawHeaders): Array<[string, string]> =>
  raw.flatMap((name, index): ReadonlyArray<[string, string]> => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""]] : []))

/** the path of an absolute address, empty for an origin alone */
const pathIn = (address: string): string => /^[a-z]+:\/\/[^/]*(.*)$/.exec(address)?.[1] ?? ""

/** same-origin redirects come back through the gateway, a path alone below the gateway's own; others are shown as they are, and none is followed */
export const relocation =
  (origin: string, publicBase: string) =>
  (location: string): string => {
    if (/^\/(?!\/)/.test(location)) return pathIn(publicBase) + location
    if (!location.toLowerCase().startsWith(origin.toLowerCase())) return location
    const rest = location.slice(origin.length)
    return rest === "" || /^[/?#]/.test(rest) ? publicBase + rest : location
  }
