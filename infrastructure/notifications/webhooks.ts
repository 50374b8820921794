/**
 * Sends messages about jobs, signed as the Standard Webhooks specification has it: HMAC-SHA256 over id, time and body. One POST, no redirect
 * followed, and of the answer only its status is looked at. Reference: notifications.md, "Signature".
 */
import { createHmac } from "node:crypto"
import { Clock, Effect, Either, Layer, Redacted } from "effect"
import { Notifier, type OutgoingMessage } from "../../application/ports/notifier.ts"
import type { SecretUnusable } from "../../application/ports/secret-reader.ts"
import { modelUpstream } from "../../domain/credentials/upstream.ts"
import type { NotificationRules } from "../../domain/notification/check-notifications.ts"
import type { Notification, Sent } from "../../domain/notification/notification.ts"
import type { WayOut } from "../../domain/proxies.ts"
import { ask } from "../outbound/ask.ts"
import { type Connections, makeConnections } from "../outbound/connections.ts"
import { OutboundError, type Peer } from "../outbound/outbound-error.ts"

export interface WebhookOptions {
  readonly rules: NotificationRules
  readonly ofTenant: (tenant: string) => ReadonlyArray<Notification>
  readonly secretOf: (
    tenant: string,
    name: string
  ) => Effect.Effect<ReadonlyMap<string, Redacted.Redacted>, SecretUnusable>
  readonly way: WayOut
  /** PEM beside the system's roots, read at every attempt */
  readonly ca: () => string | undefined
  readonly timeoutMillis: number
  /** who asks */
  readonly agent: string
}

const peer: Peer = {
  name: "the address of a notification",
  remedy: "if its certificate is private, the server's setting notifications.ca_path must name a file with its CA"
}

const perOrigin = 4
const mostQueued = 64

/** of a secret: the key, and after a change of keys the one before, which receivers may still have */
const keyNames = ["key", "previous_key"] as const
const leastBytes = 16

/** `whsec_` stands before bytes in base64, as the specification has them; any other text is its own bytes */
const bytesOf = (text: string): Buffer => {
  const key = text.trim()
  return key.startsWith("whsec_") ? Buffer.from(key.slice("whsec_".length), "base64") : Buffer.from(key, "utf8")
}

/** Left: why the secret holds no key to sign with */
const keysOf = (
  name: string,
  secret: ReadonlyMap<string, Redacted.Redacted>
): Either.Either<ReadonlyArray<Buffer>, string> => {
  if (!secret.has("key")) return Either.left(`secret '${name}' has no 'key' to sign with`)
  const keys = keyNames.flatMap((key) => {
    const value = secret.get(key)
    return value === undefined ? [] : [{ key, bytes: bytesOf(Redacted.value(value)) }]
  })
  const short = keys.find(({ bytes }) => bytes.length < leastBytes)
  return short === undefined
    ? Either.right(keys.map(({ bytes }) => bytes))
    : Either.left(`'${short.key}' of secret '${name}' is shorter than ${leastBytes} bytes`)
}

/** headers of a message; `seconds`: when it is sent, since 1970 */
const signed = ({ id, body }: OutgoingMessage, seconds: number, keys: ReadonlyArray<Buffer>) => ({
  "webhook-id": id,
  "webhook-timestamp": String(seconds),
  "webhook-signature": keys
    .map((key) => `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`)
    .join(" ")
})

const reasonOf = (error: unknown): string => (error instanceof OutboundError ? error.message : "it could not be asked")

/** one POST; whatever comes of it is an answer */
const post = (
  connections: Connections,
  { rules, timeoutMillis }: WebhookOptions,
  url: string,
  headers: { readonly [name: string]: string },
  body: string
): Effect.Effect<Sent> => {
  const upstream = modelUpstream(url)
  if (Either.isLeft(upstream)) return Effect.succeed({ reason: `the address ${upstream.left}` })
  // what was allowed when the job was submitted need not be allowed any more
  if (upstream.right.protocol === "http:" && !rules.allowHttp)
    return Effect.succeed({ reason: "http is not allowed (setting notifications.allow_http)" })
  const { pathname, search } = new URL(url)
  return Effect.tryPromise({
    try: (signal) =>
      ask({
        ...{ connections, upstream: upstream.right, method: "POST", path: pathname + search, headers },
        ...{ body: Buffer.from(body, "utf8"), timeoutMillis, maxBytes: 0, signal }
      }),
    catch: reasonOf
  }).pipe(
    Effect.map(({ status }): Sent => ({ status })),
    Effect.catchAll((reason) => Effect.succeed<Sent>({ reason }))
  )
}

const make = (options: WebhookOptions) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        makeConnections({
          ...{ peer, connectMillis: options.timeoutMillis, trust: () => ({ ca: options.ca() }) },
          ...{ egress: options.rules.egress, way: options.way, maxPerOrigin: perOrigin, maxQueued: mostQueued }
        })
      ),
      ({ close }) => Effect.sync(close)
    ),
    (connections) => ({
      rules: options.rules,
      ofTenant: options.ofTenant,
      send: (tenant: string, { url, secretRef }: Pick<Notification, "url" | "secretRef">, message: OutgoingMessage) =>
        Effect.gen(function* () {
          const secret = yield* Effect.either(options.secretOf(tenant, secretRef))
          if (Either.isLeft(secret)) return { reason: secret.left.message }
          const keys = keysOf(secretRef, secret.right)
          if (Either.isLeft(keys)) return { reason: keys.left }
          const headers = {
            ...signed(message, Math.floor((yield* Clock.currentTimeMillis) / 1000), keys.right),
            "content-type": "application/json",
            "user-agent": options.agent
          }
          return yield* post(connections, options, url, headers, message.body)
        })
    })
  )

/** for as long as its scope is open */
export const layer = (options: WebhookOptions): Layer.Layer<never> => Layer.scoped(Notifier, make(options))
