/** The variables of OpenTelemetry, seen by a collector. Reference: metrics.md, "Traces". */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Either, Layer } from "effect"
import { load } from "../../../../config/load.ts"
import { straight } from "../../../../domain/proxies.ts"
import * as OtlpTracer from "../../../../infrastructure/telemetry/otlp-tracer.ts"
import { Metrics } from "../../../../interfaces/http/metrics/metrics.ts"
import { telemetry } from "../../../../interfaces/main/compose/telemetry.ts"
import { startCollector } from "../../../support/otlp-collector.ts"
import { untilTrue } from "../../../support/until.ts"

const collector = Effect.acquireRelease(
  Effect.promise(() => startCollector()),
  ({ close }) => Effect.promise(() => close())
)

/** the resource of a span that is exported with these variables */
const resourceWith = (environment: { readonly [variable: string]: string }) =>
  Effect.gen(function* () {
    const { url, resource } = yield* collector
    yield* Effect.withSpan(Effect.void, "one").pipe(
      Effect.provide(
        OtlpTracer.layer({
          collector: { address: `${url}/v1/traces`, headers: {}, timeout: "10 seconds" },
          encoding: "json",
          sampler: () => true,
          service: { name: "evald", version: "1", instance: "i" },
          environment
        })
      )
    )
    return Object.fromEntries(resource)
  })

it.scopedLive("OTEL_RESOURCE_ATTRIBUTES: further attributes, decoded; the instance is our own", () =>
  Effect.gen(function* () {
    const resource = yield* resourceWith({
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test, team = a%2Cb%20c,service.instance.id=x"
    })
    assert.deepStrictEqual(resource, {
      "deployment.environment": "test",
      team: "a,b c",
      "service.instance.id": "i",
      "service.name": "evald",
      "service.version": "1"
    })
  })
)

it.scopedLive("name and version: the variable of its own, then the attribute, then ours", () =>
  Effect.gen(function* () {
    const attributes = { OTEL_RESOURCE_ATTRIBUTES: "service.name=attribute,service.version=2" }
    const named = (resource: { readonly [name: string]: unknown }) => [
      resource["service.name"],
      resource["service.version"]
    ]
    assert.deepStrictEqual(named(yield* resourceWith({})), ["evald", "1"])
    assert.deepStrictEqual(named(yield* resourceWith(attributes)), ["attribute", "2"])
    assert.deepStrictEqual(
      named(yield* resourceWith({ ...attributes, OTEL_SERVICE_NAME: "variable", OTEL_SERVICE_VERSION: "3" })),
      ["variable", "3"]
    )
  })
)

it.scopedLive("OTEL_RESOURCE_ATTRIBUTES with a pair that is none is not believed by half", () =>
  Effect.gen(function* () {
    for (const broken of ["a=b,c", "a=b,=c", "a=b,c=%zz"])
      assert.doesNotHaveAnyKeys(yield* resourceWith({ OTEL_RESOURCE_ATTRIBUTES: broken }), ["a", "c"], broken)
  })
)

it.scopedLive("OTEL_EXPORTER_OTLP_TIMEOUT ends a call that gets no answer, and the spans go out again", () =>
  Effect.gen(function* () {
    const received = yield* collector
    received.answers.push("none")
    const settings = yield* load("/nowhere", {
      OTEL_EXPORTER_OTLP_ENDPOINT: received.url,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20t",
      OTEL_EXPORTER_OTLP_TIMEOUT: "100"
    })
    const tracing = Either.getOrThrow(telemetry({ ...settings, "telemetry.enabled": true }, straight))
    const metrics = Context.get(yield* Layer.build(Metrics.layer), Metrics)
    // the end of the layer hands over what is left, for three seconds at the most: less than the time that a call has without the variable
    yield* Effect.withSpan(Effect.void, "one").pipe(
      Effect.provide(Layer.provide(tracing, Layer.succeed(Metrics, metrics)))
    )
    yield* untilTrue(Effect.sync(() => received.spans.length === 1))
    assert.deepStrictEqual([received.requests(), received.headers.get("authorization")], [2, "Bearer t"])
  })
)
