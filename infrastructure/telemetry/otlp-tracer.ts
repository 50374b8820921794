/** Hands the spans of everything below to a collector over OTLP/HTTP. Settings `telemetry.*`; reference: metrics.md, "Traces". */
import { OtlpSerialization } from "@effect/opentelemetry/OtlpSerialization"
import * as LibraryTracer from "@effect/opentelemetry/OtlpTracer"
import * as HttpClient from "@effect/platform/HttpClient"
import { ConfigProvider, Context, type Duration, Effect, Layer, Option, Tracer } from "effect"
import * as Delivery from "./delivery.ts"
import { discreet } from "./discreet-span.ts"
import type { Sampler } from "./sampler.ts"
import * as SpanBatches from "./span-batches.ts"

export interface OtlpOptions {
  readonly collector: Delivery.Collector
  readonly encoding: SpanBatches.Encoding
  readonly sampler: Sampler
  /** name and version stand where `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` name none */
  readonly service: { readonly name: string; readonly version: string; readonly instance: string }
  /** default 2 seconds */
  readonly exportEvery?: Duration.DurationInput
}

/** what became of the spans */
export class SpanExport extends Context.Tag("evald/infrastructure/telemetry/SpanExport")<
  SpanExport,
  { readonly dropped: Effect.Effect<number> }
>() {}

const make = ({ collector, encoding, sampler, service, exportEvery = "2 seconds" }: OtlpOptions) =>
  Effect.gen(function* () {
    const { serialization, spansIn } = yield* SpanBatches.make(encoding)
    const { client, dropped } = yield* Delivery.make(collector, spansIn)
    const exported = yield* LibraryTracer.make({
      url: collector.address,
      resource: { attributes: { "service.instance.id": service.instance } },
      exportInterval: exportEvery,
      maxBatchSize: Delivery.batchSize
    }).pipe(
      Effect.provideService(HttpClient.HttpClient, client),
      Effect.provideService(OtlpSerialization, serialization),
      Effect.withConfigProvider(
        ConfigProvider.orElse(ConfigProvider.fromEnv(), () =>
          ConfigProvider.fromMap(
            new Map([
              ["OTEL_SERVICE_NAME", service.name],
              ["OTEL_SERVICE_VERSION", service.version]
            ])
          )
        )
      )
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
