/** Entity tags: `If-None-Match` saves an answer, `If-Match` guards a write. Tags are compared as opaque texts. RFC 9110, 13. */
import { createHash } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { Either } from "effect"
import { PreconditionFailed } from "../../../application/errors.ts"
import type { Answer, Headers } from "../exchange.ts"
import { plainTag } from "./coded-tags.ts"

const tagsOf = (header: string): ReadonlyArray<string> => header.match(/(?:W\/)?"[^"]*"|\*/g) ?? []

const opaque = (tag: string): string => tag.replace(/^W\//, "")

/** the tag, or that of the same version compressed */
const names = (tag: string, etag: string): boolean => tag === etag || plainTag(tag) === etag

/** whether the caller's copy is still good; weak comparison */
export const isCurrent = (headers: IncomingHttpHeaders, etag: string): boolean => {
  const header = headers["if-none-match"]
  return (
    header !== undefined &&
    (header === etag || tagsOf(header).some((tag) => tag === "*" || names(opaque(tag), opaque(etag))))
  )
}

/** refuses when `If-Match` is given and does not name the current tag; strong comparison, as the store's tags are strong */
export const permitted =
  (headers: IncomingHttpHeaders, id: string) =>
  (etag: string): Either.Either<void, PreconditionFailed> => {
    const header = headers["if-match"]
    return header === undefined || tagsOf(header).some((tag) => tag === "*" || names(tag, etag))
      ? Either.void
      : Either.left(new PreconditionFailed({ id }))
  }

/** the tag of a text that has no version of its own */
export const tagOf = (text: string): string => `"${createHash("sha1").update(text).digest("base64url")}"`

/** the same tag for a text in parts */
export const tagOfParts = (parts: Iterable<string>): string => {
  const hash = createHash("sha1")
  for (const part of parts) hash.update(part)
  return `"${hash.digest("base64url")}"`
}

/** a body with its tag, or 304 */
export const tagged = (
  requestHeaders: IncomingHttpHeaders,
  body: NonNullable<Answer["body"]>,
  etag: string,
  headers: Headers = {}
): Answer<never> => {
  const withTag: Headers = { etag, "cache-control": "no-cache", ...headers }
  return isCurrent(requestHeaders, etag)
    ? { status: 304, headers: withTag }
    : { status: 200, headers: { "content-type": "application/json", ...withTag }, body }
}
