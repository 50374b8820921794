/** What the server tells about itself: log, metrics, traces. */
import { flag, integer, oneOf, optionalInteger, secret, text } from "./kinds.ts"

export const log = {
  "log.level": oneOf(["debug", "info", "warning", "error"], "info", "lowest level that is logged", {
    variable: "EVALD_LOG_LEVEL"
  }),
  "log.format": oneOf(["auto", "json", "text"], "auto", "auto: text on a terminal, JSON otherwise", {
    variable: "EVALD_LOG_FORMAT"
  })
} as const

export const metrics = {
  "metrics.enabled": flag(true, "serve GET /metrics"),
  "metrics.port": optionalInteger(1, 65_535, "serve /metrics on this port as well, always plain HTTP")
} as const

export const telemetry = {
  "telemetry.enabled": flag(false, "distributed tracing over OTLP/HTTP"),
  "telemetry.endpoint": text("http://127.0.0.1:4318", "OTLP/HTTP endpoint for traces; /v1/traces is added", {
    variable: "OTEL_EXPORTER_OTLP_ENDPOINT"
  }),
  "telemetry.protocol": text(
    "http/json",
    "how traces are sent: http/json, which otlp-http also stands for, or http/protobuf; grpc and otlp-grpc are refused",
    {
      variable: "OTEL_EXPORTER_OTLP_PROTOCOL"
    }
  ),
  "telemetry.headers": secret(
    "headers for the collector, name=value pairs separated by commas, values percent-encoded",
    {
      variable: "OTEL_EXPORTER_OTLP_HEADERS"
    }
  ),
  "telemetry.timeout_ms": integer(10_000, 1, 600_000, "time limit of one call of the collector in milliseconds", {
    variable: "OTEL_EXPORTER_OTLP_TIMEOUT"
  }),
  "telemetry.sampler": text(
    "parentbased_always_on",
    "always_on, always_off, traceidratio, or one of them after parentbased_, which does as the caller did",
    {
      variable: "OTEL_TRACES_SAMPLER"
    }
  ),
  "telemetry.sampler_arg": text("1", "share of traces that traceidratio records, from 0 to 1", {
    variable: "OTEL_TRACES_SAMPLER_ARG"
  })
} as const
