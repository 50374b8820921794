/**
 * Takes batches of spans to the collector. Work is never held up: a batch is taken at once and waits in a bounded queue; what a slow
 * collector cannot take is dropped and counted.
 */
import type { HttpBody } from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { Data, Duration, Effect, Either, Schedule, type Scope } from "effect"
import { modelUpstream } from "../../domain/credentials/upstream.ts"
import { straight, type WayOut } from "../../domain/proxies.ts"
import { ask } from "../outbound/ask.ts"
import { makeConnections } from "../outbound/connections.ts"
import { OutboundError, type Peer } from "../outbound/outbound-error.ts"

export interface Collector {
  /** whole address, with `/v1/traces` */
  readonly address: string
  /** sent with every batch; may hold credentials */
  readonly headers: { readonly [name: string]: string }
  /** of one call */
  readonly timeout: Duration.DurationInput
  /** default: no proxy */
  readonly way?: WayOut
}

export interface Delivery {
  /** answers 202 at once, whatever becomes of the batch */
  readonly client: HttpClient.HttpClient
  /** spans that no collector has */
  readonly dropped: Effect.Effect<number>
}

class NotTaken extends Data.TaggedError("NotTaken")<{ readonly reason: string; readonly again: boolean }> {}

/** spans in one batch */
export const batchSize = 500
/** ten thousand spans wait while the collector does not answer */
const mostWaiting = 20
const again = Schedule.exponential("500 millis").pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(3)))

interface Batch {
  readonly body: Uint8Array
  readonly contentType: string
  readonly spans: number
}

const peer: Peer = {
  name: "the collector",
  remedy: "its certificate must come from an authority that the system trusts"
}
const maxAnswerBytes = 1024 * 1024

/** what takes one batch to the collector; every status is an answer */
const makePost = ({ address, headers, timeout, way = straight }: Collector) => {
  const connectMillis = Duration.toMillis(timeout)
  const url = new URL(address)
  const upstream = modelUpstream(address)
  const open = Effect.sync(() =>
    makeConnections({
      peer,
      connectMillis,
      trust: () => ({}),
      egress: undefined,
      way,
      maxPerOrigin: 1,
      maxQueued: mostWaiting
    })
  )
  return Effect.map(
    Effect.acquireRelease(open, ({ close }) => Effect.sync(close)),
    (connections) =>
      ({ body, contentType }: Batch) =>
        Effect.flatMap(
          Either.mapLeft(upstream, (problem) => new NotTaken({ reason: `its address ${problem}`, again: false })),
          (to) =>
            Effect.tryPromise({
              try: (signal) =>
                ask({
                  connections,
                  upstream: to,
                  method: "POST",
                  path: url.pathname + url.search,
                  headers: { ...headers, "content-type": contentType },
                  body: Buffer.from(body),
                  timeoutMillis: Duration.toMillis(timeout),
                  maxBytes: maxAnswerBytes,
                  signal
                }),
              catch: (error) =>
                new NotTaken({
                  reason: error instanceof OutboundError ? error.message : "it cannot be reached",
                  again: true
                })
            })
        ).pipe(
          Effect.timeoutFail({
            duration: timeout,
            onTimeout: () => new NotTaken({ reason: "it does not answer in time", again: true })
          }),
          Effect.map(({ status }) => status),
          Effect.filterOrFail(
            (status) => status < 300,
            (status) => new NotTaken({ reason: `it answers ${status}`, again: status === 429 || status >= 500 })
          ),
          Effect.retry({ schedule: again, while: (error) => error.again })
        )
  )
}

/** `spansIn`: how many spans a body holds that goes to the collector */
export const make = (
  collector: Collector,
  spansIn: (body: HttpBody) => number
): Effect.Effect<Delivery, never, Scope.Scope> =>
  Effect.gen(function* () {
    const post = yield* makePost(collector)
    const waiting: Array<Batch> = []
    const news = yield* Effect.makeLatch(false)
    let dropped = 0
    let isAway = false
    const refused = (batch: Batch, { reason }: NotTaken) =>
      Effect.suspend(() => {
        dropped += batch.spans
        // once per outage, not once per batch
        if (isAway) return Effect.void
        isAway = true
        return Effect.logWarning(`traces are lost: the collector at telemetry.endpoint is not usable: ${reason}`)
      })
    const sendFirst = Effect.suspend(() => {
      const [batch] = waiting
      if (batch === undefined) return Effect.void
      return Effect.matchEffect(post(batch), {
        onFailure: (error) => refused(batch, error),
        onSuccess: () =>
          Effect.sync(() => {
            isAway = false
          })
      }).pipe(Effect.zipRight(Effect.sync(() => waiting.shift())))
    })
    const turn = yield* Effect.makeSemaphore(1)
    // exporting must not be traced itself
    const sendAll = turn
      .withPermits(1)(Effect.whileLoop({ while: () => waiting.length > 0, body: () => sendFirst, step: () => {} }))
      .pipe(Effect.withTracerEnabled(false))
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(news.await, Effect.zipRight(news.close, sendAll))))
    // runs before the end of the fiber above, so that a batch under way is not sent twice
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(Effect.interruptible(sendAll), "3 seconds")))
    const client = HttpClient.make((request) =>
      Effect.suspend(() => {
        const { body } = request
        const spans = spansIn(body)
        if (body._tag !== "Uint8Array" || waiting.length >= mostWaiting) dropped += spans
        else waiting.push({ body: body.body, contentType: body.contentType, spans })
        return Effect.as(news.open, HttpClientResponse.fromWeb(request, new Response(null, { status: 202 })))
      })
    )
    return { client, dropped: Effect.sync(() => dropped) }
  })
