/**
 * Compressed answers for callers that ask for them: brotli or gzip by the quality values of `Accept-Encoding`. Large whole bodies only; what
 * streams goes out as it comes. The work is done on node's threads for it, never on the one that serves, and for bodies that are kept
 * (catalogue, documents) once. A compressed answer has an entity tag of its own. RFC 9110, 12.5.3 and 8.8.3.3.
 */
import type { IncomingHttpHeaders } from "node:http"
import { brotliCompress, constants, gzip } from "node:zlib"
import { Effect, Stream } from "effect"
import type { Answer, Headers } from "../exchange.ts"
import { type Coding, codings, tagFor } from "./coded-tags.ts"

/** below this many bytes the work costs more than it saves */
const worthwhile = 8192

/** of the codings asked for; a coding that is not named has the quality of `*`, and of equal ones brotli is taken */
export const choose = (header: string): Coding | undefined => {
  const qualities = new Map<string, number>()
  for (const part of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim())
    const given = parameters
      .map((text) => /^q\s*=\s*([01](?:\.\d{0,3})?)$/.exec(text)?.[1])
      .find((text) => text !== undefined)
    if (name !== "") qualities.set(name === "x-gzip" ? "gzip" : name, given === undefined ? 1 : Number(given))
  }
  const qualityOf = (name: string): number => qualities.get(name) ?? qualities.get("*") ?? 0
  const best = codings.reduce((a, b) => (qualityOf(b) > qualityOf(a) ? b : a))
  const plain = qualities.get("identity") ?? 0
  return qualityOf(best) > 0 && qualityOf(best) >= plain ? best : undefined
}

const isWhole = (body: NonNullable<Answer["body"]>): body is string | Uint8Array =>
  !(typeof body === "object" && Stream.StreamTypeId in body)

const compress = (body: string | Uint8Array, coding: Coding, thorough: boolean): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const done = (error: Error | null, bytes: Buffer) => (error === null ? resolve(bytes) : reject(error))
    const bytes = typeof body === "string" ? Buffer.from(body) : body
    if (coding === "gzip") gzip(bytes, { level: thorough ? 9 : 6 }, done)
    else
      brotliCompress(
        bytes,
        {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: thorough ? 9 : 4,
            [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length
          }
        },
        done
      )
  })

/** bytes belong to answers that are given again and again, texts to one */
const kept = new WeakMap<Uint8Array, Map<Coding, Promise<Buffer>>>()

const compressedOnce = (body: string | Uint8Array, coding: Coding): Promise<Buffer> => {
  if (typeof body === "string") return compress(body, coding, false)
  const known = kept.get(body) ?? new Map<Coding, Promise<Buffer>>()
  kept.set(body, known)
  const made = known.get(coding) ?? compress(body, coding, true)
  known.set(coding, made)
  return made
}

const varying = (headers: Headers = {}): Headers => {
  const vary = headers["vary"]
  return { ...headers, vary: vary === undefined ? "accept-encoding" : `${vary}, accept-encoding` }
}

const retagged = (headers: Headers, coding: Coding): Headers => {
  const etag = headers["etag"]
  return etag === undefined ? headers : { ...headers, etag: tagFor(etag, coding) }
}

/** the copy that a caller still has may be a compressed one: it is told of under its own tag */
const unchanged = (request: IncomingHttpHeaders, answer: Answer): Answer => {
  const etag = answer.headers?.["etag"]
  if (etag === undefined) return answer
  const theirs = request["if-none-match"] ?? ""
  const coding = codings.find((one) => theirs.includes(tagFor(etag, one)))
  const headers = varying(answer.headers)
  return { ...answer, headers: coding === undefined ? headers : retagged(headers, coding) }
}

/** the answer as it goes out; the same object where there is nothing to do, which is decided without allocating */
export const encode = (request: IncomingHttpHeaders, answer: Answer): Answer | Effect.Effect<Answer> => {
  const { status, body } = answer
  if (status === 304) return unchanged(request, answer)
  if (body === undefined || status >= 300 || !isWhole(body) || body.length < worthwhile) return answer
  // assets of the pages were compressed at the build
  if (answer.headers?.["content-encoding"] !== undefined) return answer
  const headers = varying(answer.headers)
  const wanted = request["accept-encoding"]
  const coding = wanted === undefined ? undefined : choose(String(wanted))
  if (coding === undefined) return { ...answer, headers }
  return Effect.match(
    Effect.tryPromise(() => compressedOnce(body, coding)),
    {
      // plain bytes are an answer too
      onFailure: (): Answer => ({ ...answer, headers }),
      onSuccess: (bytes): Answer => ({
        ...answer,
        headers: { ...retagged(headers, coding), "content-encoding": coding },
        body: bytes
      })
    }
  )
}
