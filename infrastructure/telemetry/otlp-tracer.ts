/** Hands the spans of everything below to a collector over OTLP/HTTP. Settings `telemetry.*`; reference: metrics.md, "Traces". */
import { OtlpSerialization } from "@effect/opentelemetry/OtlpSerialization"
import * as LibraryTracer from "@effect/opentelemetry/OtlpTracer"
import * as HttpClient from "@effect/platform/HttpClient"
import { ConfigProvider, Context, type Duration, Effect, Layer, Option, Tracer } from "effect"
import * as Delivery from "./delivery.ts"
import { discreet } from "./discreet-span.ts"
import { resourceOf, type Service } from "./resource.ts"
import type { Sampler } from "./sampler.ts"
import * as SpanBatches from "./span-batches.ts"

export interface OtlpOptions {
  readonly collector: Delivery.Collector
  readonly encoding: SpanBatches.Encoding
  readonly sampler: Sampler
  readonly service: Service
  /** its `OTEL_SERVICE_*` and `OTEL_RESOURCE_ATTRIBUTES` count; default: this process's */
  readonly environment?: { readonly [variable: string]: string | undefined }
  /** default 2 seconds */
  readonly exportEvery?: Duration.DurationInput
}

/** what became of the spans */
export class SpanExport extends Context.Tag("evald/infrastructure/telemetry/SpanExport")<
  SpanExport,
  { readonly dropped: Effect.Effect<number> }
>() {}

const make = ({
  collector,
  encoding,
  sampler,
  service,
  environment = process.env,
  exportEvery = "2 seconds"
}: OtlpOptions) =>
  Effect.gen(function* () {
    const { serialization, spansIn } = yield* SpanBatches.make(encoding)
    const { client, dropped } = yield* Delivery.make(collector, spansIn)
    const exported = yield* LibraryTracer.make({
      url: collector.address,
      resource: resourceOf(environment, service),
      exportInterval: exportEvery,
      maxBatchSize: Delivery.batchSize
    }).pipe(
      Effect.provideService(HttpClient.HttpClient, client),
      Effect.provideService(OtlpSerialization, serialization),
      // the library reads the same variables, but neither decodes them nor lets OTEL_SERVICE_NAME go first
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map()))
    )
    const tracer = Tracer.make({
      span: (name, parent, context, links, startTime, kind) => {
        const span = exported.span(name, parent, context, links, startTime, kind)
        return discreet(
          span,
          sampler(span.traceId, Option.getOrUndefined(Option.map(parent, ({ sampled }) => sampled)))
        )
      },
      context: exported.context
    })
    return { tracer, spans: SpanExport.of({ dropped }) }
  })

/** spans of everything below this layer are exported while it lives */
export const layer = (options: OtlpOptions): Layer.Layer<SpanExport> =>
  Layer.unwrapScoped(
    Effect.map(make(options), ({ tracer, spans }) =>
      Layer.merge(Layer.setTracer(tracer), Layer.succeed(SpanExport, spans))
    )
  )
