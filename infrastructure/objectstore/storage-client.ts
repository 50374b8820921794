/**
 * Signed requests to an S3-compatible storage, path style, over connections that are checked against the outbound policy. One request is
 * tried up to five times; what a try means is decided here and nowhere else. Reference: gateway.md, "Test data", "Outbound policy".
 */
import * as http from "node:http"
import { Clock, Data, Effect, Random, type Scope } from "effect"
import type { TestDataReason } from "../../application/ports/test-data.ts"
import type { EgressPolicy } from "../../domain/egress.ts"
import { type Destination, destinationOf, type WayOut } from "../../domain/proxies.ts"
import { type Connections, makeConnections } from "../outbound/connections.ts"
import { codeOf, failureOf, OutboundError, type Peer } from "../outbound/outbound-error.ts"
import type { ObjectStorage } from "./connection.ts"
import { errorCode } from "./list-page.ts"
import { canonicalQuery, encodeComponent, signRequest } from "./signature-v4.ts"

/** `changed`: the object is not the listed one any more; `gone`: it does not exist */
export class StorageTrouble extends Data.TaggedError("StorageTrouble")<{
  readonly reason: TestDataReason | "changed" | "gone"
  readonly message: string
  readonly again: boolean
}> {}

export interface StorageRequest<A> {
  /** undefined: the bucket itself */
  readonly key?: string
  readonly query?: ReadonlyArray<readonly [name: string, value: string]>
  readonly headers?: { readonly [name: string]: string }
  /** reads a 200 answer to its end; its failure is another try, unless it is a `StorageTrouble`. What it leaves unread is cut. */
  readonly consume: (answer: http.IncomingMessage) => Promise<A>
}

export interface StorageClient {
  readonly send: <A>(request: StorageRequest<A>) => Effect.Effect<A, StorageTrouble>
}

const maxTries = 5
const firstDelayMs = 500
const maxDelayMs = 20_000
const idleMs = 30_000
const maxErrorBytes = 64 * 1024
const maxRedirects = 3

const trouble = (reason: StorageTrouble["reason"], message: string, again = false) =>
  new StorageTrouble({ reason, message, again })

/** collects a small body */
export const readText = async (answer: http.IncomingMessage, maxBytes: number): Promise<string> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of answer) {
    const bytes = chunk as Buffer
    size += bytes.length
    if (size > maxBytes)
      throw trouble(
        "unreachable",
        `the object storage sent more than ${maxBytes} bytes where a short answer was expected`
      )
    chunks.push(bytes)
  }
  if (!answer.complete) throw new Error("the answer was cut")
  return Buffer.concat(chunks).toString("utf8")
}

/** an answer that was not read to its end would keep one of the few connections */
const readWith = async <A>(
  answer: http.IncomingMessage,
  read: (answer: http.IncomingMessage) => Promise<A>
): Promise<A> => {
  answer.on("error", () => undefined)
  try {
    return await read(answer)
  } finally {
    if (!answer.readableEnded) answer.destroy()
  }
}

const retriedCodes = new Set([
  "SlowDown",
  "RequestTimeout",
  "InternalError",
  "ServiceUnavailable",
  "Throttling",
  "ThrottlingException"
])
const refusedCodes: { readonly [code: string]: string } = {
  AccessDenied: "the keys of the test data secret may not read this bucket",
  SignatureDoesNotMatch: "the signature was refused; check AWS_SECRET_ACCESS_KEY in the test data secret",
  InvalidAccessKeyId: "the access key is not known; check AWS_ACCESS_KEY_ID in the test data secret",
  XAdminUserNotFound: "the access key is not known; check AWS_ACCESS_KEY_ID in the test data secret",
  AuthorizationHeaderMalformed: "the signature was refused; check AWS_DEFAULT_REGION in the test data secret",
  InvalidToken: "the session token was refused; check AWS_SESSION_TOKEN in the test data secret",
  ExpiredToken: "the session token has expired; renew AWS_SESSION_TOKEN in the test data secret",
  RequestTimeTooSkewed: "the clock of this machine differs too much from that of the storage"
}

/** what an answer other than 200 means; `code` is the storage's own word for it */
const classify = (status: number, code: string | undefined, place: string): StorageTrouble => {
  const said = `${status}${code === undefined ? "" : ` ${code}`}`
  if (code !== undefined && retriedCodes.has(code))
    return trouble("unreachable", `the object storage answers ${said}`, true)
  const refused = code === undefined || !Object.hasOwn(refusedCodes, code) ? undefined : refusedCodes[code]
  if (refused !== undefined) return trouble("denied", `${place}: ${refused} (${said})`)
  if (status === 401 || status === 403) return trouble("denied", `${place}: access was refused (${said})`)
  if (code === "NoSuchBucket") return trouble("not_found", `${place}: there is no such bucket`)
  if (status === 412) return trouble("changed", `${place} has changed since it was listed`)
  if (status === 404) return trouble("gone", `${place} does not exist (${said})`)
  if (status === 408 || status === 425 || status === 429 || status >= 500)
    return trouble("unreachable", `the object storage answers ${said}`, true)
  if (status >= 300 && status < 400)
    return trouble(
      "unreachable",
      `the object storage redirects elsewhere (${said}); check AWS_S3_ENDPOINT and AWS_DEFAULT_REGION`
    )
  return trouble("unreachable", `${place}: the object storage answers ${said}`)
}

const peer: Peer = {
  name: "the object storage",
  remedy: "if its certificate is private, put the CA into AWS_CA_BUNDLE of the test data secret"
}
const connectMillis = 30_000

const ofNetwork = (error: Error, host: string): StorageTrouble => {
  const { reason, message } = failureOf(error, host)
  if (reason === "blocked") return trouble("unreachable", `the outbound policy forbids the object storage: ${message}`)
  if (reason === "tls") return trouble("unreachable", message)
  return trouble(
    "unreachable",
    error instanceof OutboundError ? message : `no answer from the object storage at '${host}': ${codeOf(error)}`,
    true
  )
}

/** the bucket of a storage, and how it is reached */
interface Bucket {
  readonly storage: ObjectStorage
  readonly name: string
  /** path of the bucket below the endpoint */
  readonly path: string
  readonly at: Destination
  readonly connections: Connections
}

const open = (
  { at, connections }: Bucket,
  target: string,
  headers: http.OutgoingHttpHeaders,
  signal: AbortSignal
): Promise<http.IncomingMessage> =>
  new Promise((resolve, reject) => {
    const agent = connections.agentFor(at)
    if (agent instanceof OutboundError) return reject(agent)
    const outgoing = http.request({
      agent,
      ...at,
      method: "GET",
      path: target,
      headers,
      signal
    })
    outgoing.setTimeout(idleMs, () => outgoing.destroy(new Error(`silent for ${idleMs / 1000} s`)))
    outgoing.on("error", reject)
    outgoing.on("response", resolve)
    outgoing.end()
  })

/** one try, with the redirects that the storage sends within its own host */
const once = async <A>(bucket: Bucket, request: StorageRequest<A>, now: number, signal: AbortSignal): Promise<A> => {
  const { endpoint, keys } = bucket.storage
  let path =
    request.key === undefined ? bucket.path : `${bucket.path}/${request.key.split("/").map(encodeComponent).join("/")}`
  let query = request.query ?? []
  for (let redirects = 0; ; redirects++) {
    const headers = signRequest(
      { method: "GET", host: endpoint.host, path, query, headers: request.headers ?? {} },
      keys,
      now
    )
    const answer = await open(bucket, query.length === 0 ? path : `${path}?${canonicalQuery(query)}`, headers, signal)
    const status = answer.statusCode ?? 0
    if (status === 200) return await readWith(answer, request.consume)
    const code = errorCode(await readWith(answer, (refusal) => readText(refusal, maxErrorBytes)))
    const { location } = answer.headers
    const moved = location === undefined || status < 300 || status >= 400 ? undefined : new URL(location, endpoint)
    // the signature is good for this host alone
    if (moved === undefined || moved.origin !== endpoint.origin || redirects >= maxRedirects)
      throw classify(
        status,
        code,
        request.key === undefined ? `bucket '${bucket.name}'` : `object ${JSON.stringify(request.key)}`
      )
    path = moved.pathname
    query = [...moved.searchParams]
  }
}

const attempt = <A>(bucket: Bucket, request: StorageRequest<A>): Effect.Effect<A, StorageTrouble> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.tryPromise({
      try: (signal) => once(bucket, request, now, signal),
      catch: (error) =>
        error instanceof StorageTrouble ? error : ofNetwork(error as Error, bucket.storage.endpoint.host)
    })
  )

const send = <A>(bucket: Bucket, request: StorageRequest<A>, tries = 1): Effect.Effect<A, StorageTrouble> =>
  Effect.catchIf(
    attempt(bucket, request),
    ({ again }) => again,
    (error) => {
      if (tries >= maxTries) return Effect.fail(trouble(error.reason, `${error.message} (after ${tries} tries)`))
      return Effect.flatMap(Random.next, (share) =>
        Effect.zipRight(
          Effect.sleep(share * Math.min(maxDelayMs, firstDelayMs * 2 ** tries)),
          send(bucket, request, tries + 1)
        )
      )
    }
  )

export const makeStorageClient = (
  storage: ObjectStorage,
  bucket: string,
  options: { readonly egress: EgressPolicy | undefined; readonly way: WayOut; readonly parallel: number }
): Effect.Effect<StorageClient, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { egress, way, parallel } = options
    const connections = yield* Effect.acquireRelease(
      Effect.sync(() =>
        makeConnections({
          peer,
          connectMillis,
          trust: () => ({ ca: storage.ca }),
          egress,
          way,
          maxPerOrigin: parallel,
          maxQueued: Number.POSITIVE_INFINITY
        })
      ),
      ({ close }) => Effect.sync(close)
    )
    const path = `${storage.basePath}/${encodeComponent(bucket)}`
    const of: Bucket = { storage, name: bucket, path, at: destinationOf(storage.endpoint), connections }
    return { send: (request) => send(of, request) }
  })
