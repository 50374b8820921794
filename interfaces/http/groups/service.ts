/** The contract of the routes about the service itself; none needs authentication. Reference: api.md, "Service routes". */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { Health, Readiness } from "../dto/health.ts"
import { headers, json, nothing, plain, refusals, texts } from "./operation.ts"

const tagged = { headers: ["ETag", "Cache-Control"] } as const
const page = { headers: ["ETag", "Cache-Control", "Content-Security-Policy"] } as const

const alive = json(Health, "alive", { headers: ["Cache-Control"] })
const aliveTexts = texts("Tell that the process is alive")

const health = HttpApiEndpoint.get("health", "/api/v1/health").addSuccess(alive).annotateContext(aliveTexts)
const healthAlias = HttpApiEndpoint.get("healthAlias", "/health").addSuccess(alive).annotateContext(aliveTexts)

const ready = HttpApiEndpoint.get("ready", "/api/v1/health/ready")
  .addSuccess(json(Readiness, "ready", { headers: ["Cache-Control"] }))
  .addSuccess(json(Readiness, "not ready", { status: 503, headers: ["Cache-Control", "Retry-After"] }))
  .addError(refusals("query_bad_parameter"))
  .annotateContext(texts("Tell whether the service and what it needs can do their work"))

const openapi = HttpApiEndpoint.get("openapi", "/openapi.yaml")
  .setHeaders(headers("If-None-Match"))
  .addSuccess(plain("application/yaml", "the document", tagged))
  .addSuccess(json(Schema.Struct({ openapi: Schema.String }), "the document", tagged))
  .addSuccess(nothing(304, "the document has not changed", tagged))
  .addError(refusals("query_bad_parameter"))
  .annotateContext(texts("Get this document", "YAML, or JSON with `Accept: application/json`."))

const docs = HttpApiEndpoint.get("docs", "/docs")
  .setHeaders(headers("If-None-Match"))
  .addSuccess(plain("text/html", "the page", page))
  .addSuccess(nothing(304, "the page has not changed", page))
  .addError(refusals("query_bad_parameter"))
  .annotateContext(texts("Read and try this document in a browser"))

const metrics = HttpApiEndpoint.get("metrics", "/metrics")
  .addSuccess(plain("text/plain", "metrics in the text format", { headers: ["Cache-Control"] }))
  .addError(refusals("query_bad_parameter", "route_not_found", "forbidden"))
  .annotateContext(texts("Get metrics for Prometheus"))

export const Service = HttpApiGroup.make("service")
  .add(health)
  .add(healthAlias)
  .add(ready)
  .add(openapi)
  .add(docs)
  .add(metrics)
  .annotateContext(OpenApi.annotations({ title: "Service", description: "The service itself." }))
