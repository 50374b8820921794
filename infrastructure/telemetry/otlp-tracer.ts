/**
 * Hands spans to a collector in OTLP/HTTP JSON, in batches. Work is never held up: what a slow collector cannot take is dropped and
 * counted. Settings `telemetry.*`.
 */
import { Context, Data, type Duration, Effect, Layer, Schedule, Tracer } from "effect"
import { otlpAttributes, otlpSpan, RecordedSpan } from "./span.ts"

export interface OtlpOptions {
  /** base address; `/v1/traces` is added unless it ends so */
  readonly endpoint: string
  readonly service: { readonly name: string; readonly version: string; readonly instance: string }
  /** default 2 seconds */
  readonly flushEvery?: Duration.DurationInput
}

/** what became of the spans */
export class SpanExport extends Context.Tag("evald/infrastructure/telemetry/SpanExport")<
  SpanExport,
  { readonly dropped: Effect.Effect<number>; readonly flush: Effect.Effect<void> }
>() {}

class NotTaken extends Data.TaggedError("NotTaken")<{ readonly reason: string; readonly again: boolean }> {}

/** spans kept while the collector does not answer */
const mostWaiting = 10_000
const batchSize = 500
const patience = "10 seconds"
const again = Schedule.exponential("500 millis").pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(3)))

const addressOf = (endpoint: string): string => (endpoint.endsWith("/v1/traces") ? endpoint : `${endpoint.replace(/\/+$/, "")}/v1/traces`)

const post = (address: string, body: string) =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(address, { method: "POST", signal, redirect: "error", headers: { "content-type": "application/json" }, body })
      await response.arrayBuffer()
      return response.status
    },
    catch: () => new NotTaken({ reason: "it cannot be reached", again: true })
  }).pipe(
    Effect.timeoutFail({ duration: patience, onTimeout: () => new NotTaken({ reason: "it does not answer in time", again: true }) }),
    Effect.filterOrFail(
      (status) => status < 300,
      (status) => new NotTaken({ reason: `it answers ${status}`, again: status === 429 || status >= 500 })
    ),
    Effect.retry({ schedule: again, while: (error) => error.again })
  )

const make = ({ endpoint, service, flushEvery = "2 seconds" }: OtlpOptions) =>
  Effect.gen(function* () {
    const address = addressOf(endpoint)
    const resource = {
      attributes: otlpAttributes([
        ["service.name", service.name],
        ["service.version", service.version],
        ["service.instance.id", service.instance]
      ])
    }
    const waiting: Array<RecordedSpan> = []
    let dropped = 0
    let isAway = false
    const onEnd = (span: RecordedSpan) => {
      if (waiting.length >= mostWaiting) dropped++
      else waiting.push(span)
    }
    const refused = (batch: ReadonlyArray<RecordedSpan>, { reason }: NotTaken) =>
      Effect.suspend(() => {
        dropped += batch.length
        // once per outage, not once per batch
        if (isAway) return Effect.void
        isAway = true
        return Effect.logWarning(`traces are lost: the collector at telemetry.endpoint is not usable: ${reason}`)
      })
    const sendOne = Effect.suspend(() => {
      const batch = waiting.splice(0, batchSize)
      const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope: { name: service.name }, spans: batch.map(otlpSpan) }] }] })
      return Effect.matchEffect(post(address, body), {
        onFailure: (error) => refused(batch, error),
        onSuccess: () =>
          Effect.sync(() => {
            isAway = false
          })
      })
    })
    const turn = yield* Effect.makeSemaphore(1)
    // exporting must not be traced itself
    const flush = turn
      .withPermits(1)(Effect.whileLoop({ while: () => waiting.length > 0, body: () => sendOne, step: () => {} }))
      .pipe(Effect.withTracerEnabled(false))
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(flush, "3 seconds")))
    yield* Effect.forkScoped(Effect.repeat(flush, Schedule.spaced(flushEvery)))
    const tracer = Tracer.make({
      span: (name, parent, context, links, startTime, kind) => new RecordedSpan(name, parent, context, links, startTime, kind, onEnd),
      context: (run) => run()
    })
    return { tracer, spans: SpanExport.of({ dropped: Effect.sync(() => dropped), flush }) }
  })

/** spans of everything below this layer are exported while it lives */
export const layer = (options: OtlpOptions): Layer.Layer<SpanExport> =>
  Layer.unwrapScoped(Effect.map(make(options), ({ tracer, spans }) => Layer.merge(Layer.setTracer(tracer), Layer.succeed(SpanExport, spans))))
