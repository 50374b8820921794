/** Whom an instance tells: tracking server, collector of traces, scraper of metrics. Reference: operator.md, "Custom resource". */
import { Schema } from "effect"
import { always, byDefault, judged, mapOf, name, optional, required, text, whole } from "../crd-field.ts"

const TrackerAuth = judged(
  Schema.Struct({
    type: byDefault(
      Schema.Literal("ServiceAccountToken", "Secret", "None"),
      "ServiceAccountToken",
      "how the server identifies itself to the tracker"
    ),
    secret: optional(name(), "Secret with a bearer token; for type Secret"),
    secretKey: byDefault(name(), "token", "its key"),
    audience: optional(name(), "audience of the service account's token; absent is that of the API server")
  }),
  {
    rule: "has(self.secret) == (has(self.type) && self.type == 'Secret')",
    message: "tracker.auth.secret is needed with type Secret, and only there"
  }
)

export const Tracker = judged(
  Schema.Struct({
    uri: required(text(2048, /^https?:\/\//), "address of the tracking server"),
    workspace: optional(text(128), "workspace of calls without a tenant; that of a tenant is its namespace"),
    caBundle: optional(
      Schema.Struct({
        name: required(name(), "ConfigMap in the same namespace"),
        key: byDefault(name(), "ca-bundle.crt", "key with the certificates")
      }),
      "certificates that the tracker is checked with; copied to every tenant"
    ),
    insecureSkipVerify: byDefault(Schema.Boolean, false, "do not check the tracker's certificate"),
    httpTimeoutSeconds: byDefault(whole(1, 600), 30, "time limit of one call"),
    auth: always(TrackerAuth, "how the server identifies itself")
  }),
  {
    rule: "!(has(self.caBundle) && self.insecureSkipVerify)",
    message: "caBundle and insecureSkipVerify exclude each other: leave one out"
  }
)

export const Otel = judged(
  Schema.Struct({
    exporterType: byDefault(Schema.Literal("otlp-http"), "otlp-http", "how traces are sent; gRPC is not spoken"),
    exporterEndpoint: optional(text(2048), "address of the collector, such as http://collector.observability:4318"),
    exporterInsecure: byDefault(Schema.Boolean, false, "http instead of https for an address without scheme"),
    samplingRatio: byDefault(
      Schema.Number.pipe(Schema.between(0, 1)),
      1,
      "share of traces that is recorded where the caller has not decided"
    )
  }),
  { rule: "has(self.exporterEndpoint)", message: "write otel.exporterEndpoint, the address of the collector" }
)

export const Metrics = Schema.Struct({
  enabled: byDefault(Schema.Boolean, true, "serve metrics over plain http on a port of its own"),
  port: byDefault(whole(1024, 65_535), 8081, "that port"),
  serviceMonitor: always(
    Schema.Struct({
      enabled: byDefault(Schema.Boolean, true, "make a ServiceMonitor where the cluster knows that kind"),
      intervalSeconds: byDefault(whole(5, 300), 30, "time between two scrapes"),
      labels: byDefault(mapOf(text(63)), {}, "labels by which a Prometheus finds it")
    }),
    "the ServiceMonitor"
  )
})
