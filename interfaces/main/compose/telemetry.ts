/** Tracing as configured; off, nothing below pays for spans, and what exports them is not loaded. Reference: metrics.md, "Traces". */
import { Effect, Either, Layer, Redacted } from "effect"
import { Identifiers } from "../../../application/ports/identifiers.ts"
import type { Settings } from "../../../config/settings.ts"
import type { WayOut } from "../../../domain/proxies.ts"
import * as Ids from "../../../infrastructure/in-process/identifiers.ts"
import { encodingOf, readHeaders, tracesAddress } from "../../../infrastructure/telemetry/collector-address.ts"
import type { OtlpOptions } from "../../../infrastructure/telemetry/otlp-tracer.ts"
import { samplerOf } from "../../../infrastructure/telemetry/sampler.ts"
import { Metrics } from "../../http/metrics/metrics.ts"
import { build } from "../build-info.ts"

type Asked = Pick<OtlpOptions, "collector" | "encoding" | "sampler">

const optionsOf = (settings: Settings, way: WayOut): Either.Either<Asked, string> => {
  const headers = settings["telemetry.headers"]
  return Either.gen(function* () {
    const encoding = yield* encodingOf(settings["telemetry.protocol"])
    const address = yield* tracesAddress(settings["telemetry.endpoint"])
    const sampler = yield* samplerOf(settings["telemetry.sampler"], settings["telemetry.sampler_arg"])
    const given = yield* readHeaders(headers === undefined ? "" : Redacted.value(headers))
    const collector = { address, headers: given, timeout: settings["telemetry.timeout_ms"], way }
    return { collector, encoding, sampler }
  })
}

const exporting = (options: Asked): Layer.Layer<never, never, Metrics> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const OtlpTracer = yield* Effect.promise(() => import("../../../infrastructure/telemetry/otlp-tracer.ts"))
      const instance = yield* Effect.flatMap(Identifiers, ({ next }) => next)
      const shown = Layer.effectDiscard(
        Effect.gen(function* () {
          const { set, onScrape } = yield* Metrics
          const { dropped } = yield* OtlpTracer.SpanExport
          onScrape(Effect.map(dropped, set.spansDropped))
        })
      )
      return Layer.discard(
        Layer.provideMerge(
          shown,
          OtlpTracer.layer({ ...options, service: { name: "evald", version: build.version, instance } })
        )
      )
    })
  ).pipe(Layer.provide(Ids.layer))

/** `telemetry.*`, for everything that is built on top of it. Left: why traces cannot be sent as the settings say */
export const telemetry = (
  settings: Settings,
  way: WayOut
): Either.Either<Layer.Layer<never, never, Metrics>, string> => {
  if (!settings["telemetry.enabled"]) return Either.right(Layer.setTracerEnabled(false))
  return Either.mapBoth(optionsOf(settings, way), {
    onLeft: (problem) => `traces cannot be sent as configured: ${problem}`,
    onRight: exporting
  })
}
