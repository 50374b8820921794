/** Sending events: one try, and everything that is done so that a terminal event arrives. Contract: adapter 7. */
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import { Clock, Console, Duration, Effect, Option, Schedule, type Scope } from "effect"
import type { JobSpec } from "../contract/job-spec.ts"
import { bareEvent, renderEvent } from "./event-body.ts"
import { dropSpooled, spoolEvent } from "./event-spool.ts"
import { makeHttpClient } from "./http-exchange.ts"
import type { JsonObject } from "./json-value.ts"
import { delayBeforeRetry, isRetryableStatus } from "./retry.ts"

export type AttemptOutcome = "accepted" | "conflict" | "gone" | "refused" | "denied" | "retry"

export interface Attempt {
  readonly outcome: AttemptOutcome
  /** for the log: status and excerpt, or why no answer came */
  readonly detail: string
  readonly retryAfter?: string
}

type Delivered = "accepted" | "superseded" | "undelivered"

export interface Delivery {
  /** one try of at most 10 s */
  readonly attempt: (body: string) => Effect.Effect<Attempt>
  /** spools, then tries until the event is accepted or `limit` has passed */
  readonly deliverTerminal: (event: JsonObject, limit: Duration.Duration) => Effect.Effect<Delivered>
  /** true once the gateway accepts connections; false after 60 s */
  readonly awaitGateway: Effect.Effect<boolean>
}

export interface DeliveryOptions {
  /** where the terminal event is written before it is sent; absent in the cluster, where the sidecar keeps it */
  readonly spoolDir?: string
}

const tryTimeout = Duration.seconds(10)
const gatewayWait = Duration.seconds(60)
const gatewayPoll = Schedule.spaced("200 millis")
const maxDenials = 5
const denialSpanMs = 60_000
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

const outcomeOf = (status: number): AttemptOutcome => {
  if (status >= 200 && status < 300) return "accepted"
  if (status === 409) return "conflict"
  if (status === 404) return "gone"
  if (status === 401 || status === 403) return "denied"
  return isRetryableStatus(status) ? "retry" : "refused"
}

/** the pod's namespace, else the tenant of the job */
const tenantOf = (job: JobSpec): string | undefined => {
  const namespace = Option.getOrElse(Option.liftThrowable(() => readFileSync(namespaceFile, "utf8").trim())(), () => "")
  return namespace === "" ? job.tenant : namespace
}

const acceptsConnections = (url: URL) =>
  Effect.async<boolean>((resume) => {
    const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port)
    const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ""), port })
    socket.once("connect", () => {
      socket.destroy()
      resume(Effect.succeed(true))
    })
    socket.once("error", () => resume(Effect.succeed(false)))
    return Effect.sync(() => socket.destroy())
  })

const nowMs = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1_000_000n))

export const makeDelivery = (job: JobSpec, options: DeliveryOptions): Effect.Effect<Delivery, never, Scope.Scope> =>
  Effect.gen(function* () {
    const http = yield* makeHttpClient()
    const url = new URL(`${job.callback_url}/api/v1/evaluations/jobs/${encodeURIComponent(job.id)}/events`)

    const attempt = (body: string): Effect.Effect<Attempt> =>
      Effect.suspend(() => {
        const tenant = tenantOf(job)
        const headers = {
          "content-type": "application/json",
          accept: "application/json",
          ...(tenant === undefined ? {} : { "x-tenant": tenant }),
          ...(job.traceparent === undefined ? {} : { traceparent: job.traceparent })
        }
        return http.send({ method: "POST", url, headers, body, idleMs: Duration.toMillis(tryTimeout) })
      }).pipe(
        Effect.timeoutFail({ duration: tryTimeout, onTimeout: () => new Error("no answer within 10 s") }),
        Effect.match({
          onFailure: (error): Attempt => ({ outcome: "retry", detail: error.message }),
          onSuccess: ({ status, headers, text }): Attempt => ({
            outcome: outcomeOf(status),
            detail: `${status} ${text.slice(0, 200)}`,
            ...(headers["retry-after"] === undefined ? {} : { retryAfter: headers["retry-after"] })
          })
        })
      )

    /** the same bytes on every try; undefined: out of time */
    const insist = (body: string, limitMs: number) =>
      Effect.gen(function* () {
        const started = yield* nowMs
        let denials = 0
        for (let tries = 0; ; tries++) {
          const tried = yield* attempt(body)
          const elapsed = (yield* nowMs) - started
          if (tried.outcome === "denied") denials++
          const again = tried.outcome === "retry" || (tried.outcome === "denied" && denials < maxDenials && elapsed < denialSpanMs)
          if (!again) return tried
          const delay = yield* delayBeforeRetry(tries, tried.retryAfter)
          yield* Console.error(`status event not accepted (${tried.detail}), next try in ${Math.round(delay)} ms`)
          if (elapsed + delay >= limitMs) return tried
          yield* Effect.sleep(delay)
        }
      })

    const deliverTerminal = (event: JsonObject, limit: Duration.Duration): Effect.Effect<Delivered> =>
      Effect.gen(function* () {
        const body = renderEvent(event)
        const spooled =
          options.spoolDir === undefined
            ? Option.none<string>()
            : yield* spoolEvent(options.spoolDir, body).pipe(
                Effect.tapError((error) => Console.error(`the terminal event cannot be spooled: ${error.message}`)),
                Effect.option
              )
        const settle = (delivered: Delivered) =>
          Option.isSome(spooled) && delivered !== "undelivered" ? Effect.as(dropSpooled(spooled.value), delivered) : Effect.succeed(delivered)
        const last = yield* insist(body, Duration.toMillis(limit))
        if (last.outcome === "accepted") return yield* settle("accepted")
        yield* Console.error(`terminal event: ${last.detail}`)
        if (last.outcome === "conflict" || last.outcome === "gone") return yield* settle("superseded")
        if (last.outcome !== "refused") return "undelivered"
        const bare = yield* insist(renderEvent(bareEvent(event)), Duration.toMillis(limit))
        if (bare.outcome === "accepted") return yield* settle("accepted")
        yield* Console.error(`terminal event without details: ${bare.detail}`)
        return bare.outcome === "conflict" ? yield* settle("superseded") : "undelivered"
      })

    const awaitGateway = acceptsConnections(url).pipe(
      Effect.repeat({ until: (open) => open, schedule: gatewayPoll }),
      Effect.timeoutTo({ duration: gatewayWait, onSuccess: () => true, onTimeout: () => false })
    )
    return { attempt, deliverTerminal, awaitGateway }
  })
