/** What makes a question the same as an earlier one: the digest under which its answer is kept. Reference: reruns.md, "What is kept". */
import { createHash } from "node:crypto"
import { type Upstream, upstreamPath } from "../../../domain/credentials/upstream.ts"
import { canonicalJson } from "../../../values/canonical-json.ts"
import { numberMember } from "../../../values/json.ts"
import { type RawHeaders, valuesOf } from "../headers.ts"
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

/** its length in eight bytes and its text */
const partOf = (part: string): ReadonlyArray<Buffer> => {
  const bytes = Buffer.from(part, "utf8")
  const length = Buffer.alloc(8)
  length.writeUInt32BE(bytes.length, 4)
  return [length, bytes]
}

const digestOf = (parts: ReadonlyArray<string>): Buffer =>
  createHash("sha256")
    .update(Buffer.concat(parts.flatMap(partOf)))
    .digest()

const isShort = (request: { readonly [member: string]: unknown }): boolean => {
  const limit = numberMember(request, "max_completion_tokens") ?? numberMember(request, "max_tokens")
  const likelihoods = typeof request["logprobs"] === "number" && request["messages"] === undefined
  return request["echo"] === true || likelihoods || (limit !== undefined && limit <= shortLimit)
}

export const questionOf = ({ tenant, upstream, path, headers, question }: Asked): LoggedQuestion => {
  const { protocol, host } = upstream
  const chosen = answerChanging.map((name) => [name, valuesOf(headers, name)])
  return {
    digest: digestOf([
      tenant,
      `${protocol}//${host}`,
      String(question["model"] ?? ""),
      canonicalJson(chosen),
      upstreamPath(upstream, path),
      canonicalJson(question)
    ]),
    // whether a route answers is all that a probe asks
    cutIsComplete: isShort(question) || valuesOf(headers, roleHeader).includes(probeRole)
  }
}

/** name of one answer to it: the question may be asked many times, each time with an answer of its own */
export const answerName = ({ digest }: LoggedQuestion, occurrence: number): string =>
  digestOf([digest.toString("hex"), String(occurrence)]).toString("hex")
