/** Sending events: one try, and everything that is done so that a terminal event arrives. Reference: adapter-contract.md, "Delivery". */

import { readFileSync } from "node:fs"
import { connect } from "node:net"
import { Console, Duration, Effect, Option, Schedule, type Scope } from "effect"
import { defined } from "../../../values/defined.ts"
import type { JsonObject } from "../../../values/json.ts"
import { steadyMillis } from "../../../values/steady-millis.ts"
import type { JobSpec } from "../../contract/job-spec.ts"
import { makeHttpClient, TransportError } from "../http/http-exchange.ts"
import { delayBeforeRetry, isRetryableStatus } from "../http/retry.ts"
import { type EventForm, eventForms } from "./event-forms.ts"
import { dropSpooled, spoolEvent } from "./event-spool.ts"

/** `cut`: the connection broke while a large body was on its way, which a receiver may do that does not take it */
export type AttemptOutcome = "accepted" | "conflict" | "gone" | "refused" | "too_large" | "denied" | "retry" | "cut"

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
  /** one try of at most 60 s to bring sample records of the benchmark, one a line */
  readonly attemptSamples: (body: Buffer) => Effect.Effect<Attempt>
  /** spools, then tries until the event is accepted or `limit` has passed; what is too large for the receiver is sent without its details */
  readonly deliverTerminal: (event: JsonObject, limit: Duration.Duration) => Effect.Effect<Delivered>
  /** true once the gateway accepts connections; false after 60 s */
  readonly awaitGateway: Effect.Effect<boolean>
}

export interface DeliveryOptions {
  /** where the terminal event is written before it is sent; absent in the cluster, where the sidecar keeps it */
  readonly spoolDir?: string
}

const tryTimeout = Duration.seconds(10)
const samplesTimeout = Duration.seconds(60)
const gatewayWait = Duration.seconds(60)
const gatewayPoll = Schedule.spaced("200 millis")
const maxDenials = 5
const denialSpanMs = 60_000
/** a receiver that breaks a body of more than this as often in a row may not take bodies of its size */
const smallBody = 16 * 1024
const maxCuts = 4
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

const outcomeOf = (status: number): AttemptOutcome => {
  if (status >= 200 && status < 300) return "accepted"
  if (status === 409) return "conflict"
  if (status === 404) return "gone"
  if (status === 401 || status === 403) return "denied"
  if (status === 413) return "too_large"
  return isRetryableStatus(status) ? "retry" : "refused"
}

/** another try may be answered differently */
const isPassing = ({ outcome }: Attempt) => outcome === "retry" || outcome === "cut"

const isCut = (error: Error, body: string | Buffer) =>
  error instanceof TransportError && error.reason === "broken" && Buffer.byteLength(body) > smallBody

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

type Send = (body: string) => Effect.Effect<Attempt>

interface Target {
  readonly url: URL
  readonly type: string
  readonly timeout: Duration.Duration
}

/** one try */
const sender =
  (job: JobSpec, http: Effect.Effect.Success<ReturnType<typeof makeHttpClient>>, { url, type, timeout }: Target) =>
  (body: string | Buffer): Effect.Effect<Attempt> =>
    Effect.suspend(() => {
      const tenant = tenantOf(job)
      const headers = {
        "content-type": type,
        accept: "application/json",
        ...defined({ "x-tenant": tenant, traceparent: job.traceparent })
      }
      return http.send({ method: "POST", url, headers, body, idleMs: Duration.toMillis(timeout) })
    }).pipe(
      Effect.timeoutFail({
        duration: timeout,
        onTimeout: () => new Error(`no answer within ${Duration.toSeconds(timeout)} s`)
      }),
      Effect.match({
        onFailure: (error): Attempt => ({ outcome: isCut(error, body) ? "cut" : "retry", detail: error.message }),
        onSuccess: ({ status, headers, text }): Attempt => ({
          outcome: outcomeOf(status),
          detail: `${status} ${text.slice(0, 200)}`,
          ...defined({ retryAfter: headers["retry-after"] })
        })
      })
    )

/** the same bytes on every try, until another try cannot change the answer, the time is over, or its size seems to be what breaks it */
const insist = (attempt: Send, body: string, deadlineMs: number): Effect.Effect<Attempt> =>
  Effect.gen(function* () {
    const started = yield* steadyMillis
    let [denials, cuts] = [0, 0]
    for (let tries = 0; ; tries++) {
      const tried = yield* attempt(body)
      const now = yield* steadyMillis
      if (tried.outcome === "denied") denials++
      cuts = tried.outcome === "cut" ? cuts + 1 : 0
      const again =
        isPassing(tried) || (tried.outcome === "denied" && denials < maxDenials && now - started < denialSpanMs)
      if (!again || cuts >= maxCuts) return tried
      const delay = yield* delayBeforeRetry(tries, tried.retryAfter)
      yield* Console.error(`status event not accepted (${tried.detail}), next try in ${Math.round(delay)} ms`)
      if (now + delay >= deadlineMs) return { outcome: "retry", detail: tried.detail }
      yield* Effect.sleep(delay)
    }
  })

/** the answer to the first of the smaller forms that gets one; undefined: the network breaks those too, so size is not the reason */
const trySmaller = (attempt: Send, forms: ReadonlyArray<EventForm>): Effect.Effect<Attempt | undefined> =>
  Effect.gen(function* () {
    let last: Attempt | undefined
    for (const form of forms) {
      yield* Console.error(`terminal event: the connection breaks each time; trying it without ${form.without}`)
      last = yield* attempt(form.body)
      if (isPassing(last)) return undefined
      if (last.outcome !== "too_large") return last
    }
    return last
  })

/** the last answer to the largest form that gets through */
const deliverForms = (
  attempt: Send,
  forms: ReturnType<typeof eventForms>,
  deadlineMs: number
): Effect.Effect<Attempt> =>
  Effect.gen(function* () {
    for (let at = 0, rounds = 0; ; ) {
      const form = forms[at] ?? forms[0]
      let last = yield* insist(attempt, form.body, deadlineMs)
      if (last.outcome === "cut") {
        const smaller = yield* trySmaller(attempt, forms.slice(at + 1))
        if (smaller === undefined) {
          const delay = yield* delayBeforeRetry(rounds++, undefined)
          if ((yield* steadyMillis) + delay >= deadlineMs) return last
          yield* Effect.sleep(delay)
          continue
        }
        last = smaller
      }
      const place = forms.findIndex(({ bare }, index) => index > at && (last.outcome === "too_large" || bare))
      const next = last.outcome === "too_large" || (last.outcome === "refused" && !form.bare) ? forms[place] : undefined
      if (last.outcome !== "accepted")
        yield* Console.error(
          `terminal event (${Buffer.byteLength(form.body)} bytes): ${last.detail}${next === undefined ? "" : `; sending it without ${next.without}`}`
        )
      if (next === undefined) return last
      at = place
    }
  })

export const makeDelivery = (job: JobSpec, options: DeliveryOptions): Effect.Effect<Delivery, never, Scope.Scope> =>
  Effect.gen(function* () {
    const http = yield* makeHttpClient()
    const base = `${job.callback_url}/api/v1/evaluations/jobs/${encodeURIComponent(job.id)}`
    const url = new URL(`${base}/events`)
    const attempt = sender(job, http, { url, type: "application/json", timeout: tryTimeout })
    const samplesUrl = new URL(`${base}/benchmarks/${job.benchmark_index}/samples`)
    const attemptSamples = sender(job, http, { url: samplesUrl, type: "application/x-ndjson", timeout: samplesTimeout })

    const deliverTerminal = (event: JsonObject, limit: Duration.Duration): Effect.Effect<Delivered> =>
      Effect.gen(function* () {
        const forms = eventForms(event)
        const spooled =
          options.spoolDir === undefined
            ? Option.none<string>()
            : yield* spoolEvent(options.spoolDir, forms[0].body).pipe(
                Effect.tapError((error) => Console.error(`the terminal event cannot be spooled: ${error.message}`)),
                Effect.option
              )
        const { outcome } = yield* deliverForms(attempt, forms, (yield* steadyMillis) + Duration.toMillis(limit))
        const delivered =
          outcome === "accepted"
            ? "accepted"
            : outcome === "conflict" || outcome === "gone"
              ? "superseded"
              : "undelivered"
        if (Option.isSome(spooled) && delivered !== "undelivered") yield* dropSpooled(spooled.value)
        return delivered
      })

    const awaitGateway = acceptsConnections(url).pipe(
      Effect.repeat({ until: (open) => open, schedule: gatewayPoll }),
      Effect.timeoutTo({ duration: gatewayWait, onSuccess: () => true, onTimeout: () => false })
    )
    return { attempt, attemptSamples, deliverTerminal, awaitGateway }
  })
