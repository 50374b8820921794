/**
 * What node lets pass in the head of a request and must not count: lines beyond its limit vanish without a word, and of two `Host` lines
 * the first wins. Whoever hides a line from this server chooses what it sees of the proxy before it.
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import type { ErrorContent } from "../error-response.ts"

/** node would drop lines without a word; here all of them arrive (`maxHeadersCount` 0), and more than these are refused */
const maxLines = 2000

export interface Target {
  readonly path: string
  /** without `?` */
  readonly search: string
  /** of an absolute target: counts instead of the `Host` header */
  readonly host?: string
}

const absolute = /^https?:\/\/([^/?#]*)(.*)$/i

const split = (url: string): Target => {
  const at = url.indexOf("?")
  return at < 0 ? { path: url, search: "" } : { path: url.slice(0, at), search: url.slice(at + 1) }
}

/** path and query of a request target, also of an absolute one (RFC 9112, 3.2.2) */
export const targetOf = (url: string): Target => {
  if (url.startsWith("/")) return split(url)
  const [, host, rest = ""] = absolute.exec(url) ?? []
  if (host === undefined) return split(url)
  return { ...split(rest.startsWith("/") ? rest : `/${rest}`), host }
}

/** the headers as the rest of the server sees them */
export const headersOf = ({ headers }: IncomingMessage, { host }: Target): IncomingHttpHeaders =>
  host === undefined ? headers : { ...headers, host }

const countHosts = (rawHeaders: ReadonlyArray<string>): number => {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ""
    if (name.length === 4 && name.toLowerCase() === "host") count++
  }
  return count
}

const invalid = (message: string): ErrorContent => ({
  code: "invalid_value",
  message,
  headers: { connection: "close" }
})

/** why the head is refused; undefined when it is in order */
export const headProblem = ({
  rawHeaders,
  httpVersionMajor,
  httpVersionMinor
}: IncomingMessage): ErrorContent | undefined => {
  if (rawHeaders.length > 2 * maxLines)
    return {
      code: "request_head_too_large",
      message: `the request has more than ${maxLines} header lines`,
      headers: { connection: "close" }
    }
  const hosts = countHosts(rawHeaders)
  if (hosts > 1) return invalid("the request has more than one Host header")
  return hosts === 0 && httpVersionMajor === 1 && httpVersionMinor === 1
    ? invalid("the request has no Host header, which HTTP/1.1 requires")
    : undefined
}
