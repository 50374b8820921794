/** The published contract of the routes about the service itself; none needs authentication. Reference: api.md, "Service routes". */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { Health, Readiness } from "../dto/health.ts"
import { documented } from "./documented.ts"

const plain = (contentType: string) => Schema.String.pipe(HttpApiSchema.withEncoding({ kind: "Text", contentType }))

type Texts = Parameters<typeof documented>[0]

const open = (summary: string, answers: Texts["answers"], more: Partial<Omit<Texts, "answers">> = {}) =>
  documented({ summary, answers, guarded: false, codes: ["query_bad_parameter"], ...more })

const health = HttpApiEndpoint.get("health", "/api/v1/health")
  .addSuccess(Health)
  .annotateContext(open("Tell that the process is alive", { 200: ["alive", "Health"] }))
const healthAlias = HttpApiEndpoint.get("healthAlias", "/health")
  .addSuccess(Health)
  .annotateContext(open("Tell that the process is alive", { 200: ["alive", "Health"] }))

const ready = HttpApiEndpoint.get("ready", "/api/v1/health/ready")
  .addSuccess(Readiness)
  .addSuccess(Readiness.annotations(HttpApiSchema.annotations({ status: 503 })))
  .annotateContext(
    open(
      "Tell whether the service and what it needs can do their work",
      { 200: ["ready", "Readiness"], 503: ["not ready", "Readiness"] },
      { statusesWithBody: [503] }
    )
  )

const openapi = HttpApiEndpoint.get("openapi", "/openapi.yaml")
  .addSuccess(plain("application/yaml"))
  .annotateContext(
    open(
      "Get this document",
      { 200: ["the document"] },
      {
        description: "YAML, or JSON with `Accept: application/json`.",
        also: { "application/json": { schema: { type: "object" } } },
        headers: ["ETag"],
        requestHeaders: ["If-None-Match"],
        statuses: { 304: "the document has not changed" }
      }
    )
  )

const docs = HttpApiEndpoint.get("docs", "/docs")
  .addSuccess(plain("text/html"))
  .annotateContext(
    open(
      "Read and try this document in a browser",
      { 200: ["the page"] },
      { headers: ["ETag"], requestHeaders: ["If-None-Match"], statuses: { 304: "the page has not changed" } }
    )
  )

const metrics = HttpApiEndpoint.get("metrics", "/metrics")
  .addSuccess(plain("text/plain"))
  .annotateContext(
    open("Get metrics for Prometheus", { 200: ["metrics in the text format"] }, { codes: ["query_bad_parameter", "route_not_found", "forbidden"] })
  )

export const Service = HttpApiGroup.make("service", { topLevel: true })
  .add(health)
  .add(healthAlias)
  .add(ready)
  .add(openapi)
  .add(docs)
  .add(metrics)
  .annotateContext(OpenApi.annotations({ title: "Service", description: "The service itself." }))
