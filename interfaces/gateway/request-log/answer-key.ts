/** What makes a question the same as an earlier one: the digest under which its answer is kept. Reference: reruns.md, "What is kept". */
import { type Upstream, upstreamPath } from "../../../domain/credentials/upstream.ts"
import { canonicalJson } from "../../../values/canonical-json.ts"
import { numberMember } from "../../../values/json.ts"
import { crypto } from "../../../values/node/crypto.ts"
import type { RawHeaders } from "../headers.ts"
import { probeRole, roleHeader } from "../witness/witness.ts"

export interface Asked {
  readonly tenant: string
  readonly upstream: Upstream
  /** raw path and query as the upstream is to see them, before its base path */
  readonly path: string
  readonly headers: RawHeaders
  /** its body */
  readonly question: { readonly [member: string]: unknown }
}

export interface LoggedQuestion {
  /** the same for every time that it is asked */
  readonly digest: Buffer
  /** an answer that ends at its limit is what was asked for: log-likelihoods, echoes, very short answers, probes */
  readonly cutIsComplete: boolean
}

/** headers by which endpoints choose another answer; credentials are none of them */
const answerChanging = [
  "accept",
  "accept-encoding",
  "anthropic-beta",
  "anthropic-version",
  "api-version",
  "openai-beta",
  roleHeader
]

/** a limit at which an answer is cut on purpose */
const shortLimit = 16

const lengthBytes = 8

/** over each part's length in eight bytes and its text */
const digestOf = (parts: ReadonlyArray<string>): Buffer => {
  const sizes = parts.map((part) => Buffer.byteLength(part))
  const bytes = Buffer.alloc(sizes.reduce((sum, size) => sum + lengthBytes + size, 0))
  let at = 0
  for (const [number, part] of parts.entries()) {
    at = bytes.writeUInt32BE(sizes[number] ?? 0, at + lengthBytes / 2)
    at += bytes.write(part, at)
  }
  return crypto().hash("sha256", bytes, "buffer")
}

const isShort = (request: { readonly [member: string]: unknown }): boolean => {
  const limit = numberMember(request, "max_completion_tokens") ?? numberMember(request, "max_tokens")
  const likelihoods = typeof request["logprobs"] === "number" && request["messages"] === undefined
  return request["echo"] === true || likelihoods || (limit !== undefined && limit <= shortLimit)
}

export const questionOf = ({ tenant, upstream, path, headers, question }: Asked): LoggedQuestion => {
  const { protocol, host } = upstream
  const chosen = new Map(answerChanging.map((name): [string, Array<string>] => [name, []]))
  for (let at = 0; at < headers.length; at += 2)
    chosen.get(headers[at]?.toLowerCase() ?? "")?.push(headers[at + 1] ?? "")
  return {
    digest: digestOf([
      tenant,
      `${protocol}//${host}`,
      String(question["model"] ?? ""),
      JSON.stringify([...chosen]),
      upstreamPath(upstream, path),
      canonicalJson(question)
    ]),
    // whether a route answers is all that a probe asks
    cutIsComplete: isShort(question) || chosen.get(roleHeader)?.includes(probeRole) === true
  }
}

/** name of one answer to it: the question may be asked many times, each time with an answer of its own */
export const answerName = ({ digest }: LoggedQuestion, occurrence: number): string =>
  digestOf([digest.toString("hex"), String(occurrence)]).toString("hex")
