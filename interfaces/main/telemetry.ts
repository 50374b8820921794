/** Tracing as configured; off, nothing below pays for spans. */
import { Effect, Layer } from "effect"
import { Identifiers } from "../../application/ports/identifiers.ts"
import type { Settings } from "../../config/settings.ts"
import * as Ids from "../../infrastructure/memory/identifiers.ts"
import * as OtlpTracer from "../../infrastructure/telemetry/otlp-tracer.ts"
import { Metrics } from "../http/metrics.ts"
import { build } from "./build-info.ts"

const shown = Layer.effectDiscard(
  Effect.gen(function* () {
    const { set, onScrape } = yield* Metrics
    const { dropped } = yield* OtlpTracer.SpanExport
    onScrape(Effect.map(dropped, set.spansDropped))
  })
)

/** `telemetry.*`, for everything that is built on top of it */
export const telemetry = (settings: Settings): Layer.Layer<never, never, Metrics> =>
  settings["telemetry.enabled"]
    ? Layer.unwrapEffect(
        Effect.map(
          Effect.flatMap(Identifiers, ({ next }) => next),
          (instance) =>
            shown.pipe(
              Layer.provideMerge(OtlpTracer.layer({ endpoint: settings["telemetry.endpoint"], service: { name: "evald", version: build.version, instance } })),
              Layer.discard
            )
        )
      ).pipe(Layer.provide(Ids.layer))
    : Layer.setTracerEnabled(false)
