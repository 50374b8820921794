/** The contract of the usage route. Reference: budgets.md, "Usage of a tenant". */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { Usage as Used } from "../dto/job-record.ts"
import { usageQuery } from "../dto/list-queries.ts"
import { published } from "../dto/query.ts"
import { given, integer, text } from "../dto/shapes.ts"
import { Guarded, headers, json, refusals, texts } from "./operation.ts"

const ModelUsage = Schema.Struct({
  model: text("name of the model, as jobs name it"),
  benchmarks: integer("benchmarks that ended", { minimum: 1 }),
  usage: Used
}).annotations({ identifier: "ModelUsage" })

const TenantUsage = Schema.Struct({
  models: Schema.Array(ModelUsage),
  total: given(Used.annotations({ description: "of all of them; absent when nothing was used" }))
}).annotations({ identifier: "TenantUsage", description: "What a tenant's benchmarks used of their models." })

const get = HttpApiEndpoint.get("getUsage", "/api/v1/evaluations/usage")
  .setHeaders(headers("X-Tenant"))
  .setUrlParams(published(usageQuery))
  .addSuccess(json(TenantUsage, "the sums", { headers: ["Cache-Control"] }))
  .addError(refusals("query_parameter_invalid"))
  .annotateContext(
    texts(
      "Sum up what was used of models",
      "By model, over the benchmarks of the tenant that ended in the period; those of jobs that were removed are among them. A cost is there where each benchmark's is known."
    )
  )

export const Usage = HttpApiGroup.make("usage")
  .add(get)
  .middleware(Guarded)
  .annotateContext(OpenApi.annotations({ title: "Usage", description: "Requests, tokens and cost." }))
