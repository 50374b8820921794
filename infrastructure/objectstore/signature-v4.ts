/**
 * AWS Signature Version 4 for requests without a body. Written here rather than taken from an SDK: it is one page of hashing, while the
 * SDK would multiply the size of an init container that has to start at once. Reference: gateway.md, "Test data".
 */
import { createHash, createHmac } from "node:crypto"
import { Redacted } from "effect"

export interface SigningKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted
  readonly sessionToken?: Redacted.Redacted
  readonly region: string
}

export interface UnsignedRequest {
  readonly method: "GET" | "HEAD"
  /** value of the Host header */
  readonly host: string
  /** path segments are encoded already, exactly as they are sent */
  readonly path: string
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  /** further headers, lower-case names; all are signed */
  readonly headers: { readonly [name: string]: string }
}

const emptyPayload = createHash("sha256").update("").digest("hex")

/** every byte but the unreserved ones of RFC 3986; `encodeURIComponent` leaves five more */
export const encodeComponent = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** the query as it is signed and sent: encoded, sorted by name, then by value */
export const canonicalQuery = (query: UnsignedRequest["query"]): string =>
  query
    .map(([name, value]) => [encodeComponent(name), encodeComponent(value)] as const)
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join("&")

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest()

/** headers to send, the signature included; `atMillis` is the wall clock */
export const signRequest = (
  request: UnsignedRequest,
  keys: SigningKeys,
  atMillis: number
): { readonly [name: string]: string } => {
  const time = `${new Date(atMillis).toISOString().replaceAll(/[-:]/g, "").slice(0, 15)}Z`
  const day = time.slice(0, 8)
  const headers: { readonly [name: string]: string } = {
    ...request.headers,
    host: request.host,
    "x-amz-content-sha256": emptyPayload,
    "x-amz-date": time,
    ...(keys.sessionToken === undefined ? {} : { "x-amz-security-token": Redacted.value(keys.sessionToken) })
  }
  const entries = Object.entries(headers).sort(([a], [b]) => compare(a, b))
  const signed = entries.map(([name]) => name).join(";")
  const canonical = [
    request.method,
    request.path,
    canonicalQuery(request.query),
    ...entries.map(([name, value]) => `${name}:${value.trim()}`),
    "",
    signed,
    emptyPayload
  ].join("\n")
  const scope = `${day}/${keys.region}/s3/aws4_request`
  const toSign = ["AWS4-HMAC-SHA256", time, scope, createHash("sha256").update(canonical).digest("hex")].join("\n")
  const key = [keys.region, "s3", "aws4_request"].reduce(hmac, hmac(`AWS4${Redacted.value(keys.secretAccessKey)}`, day))
  const signature = hmac(key, toSign).toString("hex")
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`
  }
}
