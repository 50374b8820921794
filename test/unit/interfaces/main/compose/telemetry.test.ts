import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { load } from "../../../../../config/load.ts"
import { straight } from "../../../../../domain/proxies.ts"
import { telemetry } from "../../../../../interfaces/main/compose/telemetry.ts"

const problem = (environment: Readonly<Record<string, string>>) => {
  const settings = Effect.runSync(load("/nowhere", environment))
  return Either.match(telemetry({ ...settings, "telemetry.enabled": true }, straight), {
    onLeft: (text) => text,
    onRight: () => undefined
  })
}

describe("tracing as the environment asks for it", () => {
  it("is refused with a sentence when it cannot be had", () => {
    assert.include(problem({ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }) ?? "", "traces are sent over HTTP, not gRPC")
    assert.include(problem({ OTEL_TRACES_SAMPLER: "jaeger_remote" }) ?? "", "'jaeger_remote' is not known")
    assert.include(problem({ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" }) ?? "", "telemetry.endpoint")
    assert.notInclude(problem({ OTEL_EXPORTER_OTLP_HEADERS: "hunter2" }) ?? "hunter2", "hunter2")
  })
  it("is had with everything that is named", () => {
    const all = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector/otlp",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20x",
      OTEL_EXPORTER_OTLP_TIMEOUT: "5000",
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.1"
    }
    assert.isUndefined(problem(all))
    assert.isUndefined(problem({}))
  })
  it("that is off looks at none of it", () => {
    const settings = Effect.runSync(load("/nowhere", { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_TRACES_SAMPLER: "x" }))
    assert.isTrue(Either.isRight(telemetry(settings, straight)))
  })
})
