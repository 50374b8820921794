/** The contract of the comparison routes. Reference: comparison-and-gates.md, "Comparing jobs". */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Comparison, ComparisonRequest, decodeComparison } from "../dto/decisions/comparison.ts"
import { decisionListQuery } from "../dto/list-queries.ts"
import { listOf } from "../dto/lists.ts"
import { published } from "../dto/query.ts"
import { text } from "../dto/shapes.ts"
import { body, Guarded, headers, json, nothing, refusals, refusedBodies, texts } from "./operation.ts"
import { jobId } from "./path-parameters.ts"

const id = HttpApiSchema.param("id", text("identifier of the comparison"))
const tagged = { headers: ["ETag", "Cache-Control"] } as const
const list = { headers: ["ETag", "Cache-Control", "Link"] } as const

const example = {
  baseline: { job: "0198b2a0-0000-7000-8000-000000000001" },
  candidate: { job: "0198b2a0-0000-7000-8000-000000000002" },
  tolerance: 0.02
}

const create = HttpApiEndpoint.post("createComparison", "/api/v1/evaluations/comparisons")
  .setHeaders(headers("X-Tenant"))
  .setPayload(body(ComparisonRequest, { read: decodeComparison, example }))
  .addSuccess(json(Comparison, "the comparison", { status: 201, headers: ["Location"] }))
  .addSuccess(json(Comparison, "the comparison that was made of the same inputs before", { headers: ["Location"] }))
  .addError(refusals(...refusedBodies, "resource_does_not_exist"))
  .annotateContext(
    texts(
      "Compare jobs with a baseline",
      "Pairs the items of one to seven jobs with those of the baseline, benchmark by benchmark, and says what differs, how sure that is, or why it cannot be told. The answer is kept; the same request over the same results is answered with it, so that it may be repeated."
    )
  )

const get = HttpApiEndpoint.get("getComparison")`/api/v1/evaluations/comparisons/${id}`
  .setHeaders(headers("If-None-Match", "X-Tenant"))
  .addSuccess(json(Comparison, "the comparison", tagged))
  .addSuccess(nothing(304, "the comparison has not changed", tagged))
  .addError(refusals("resource_not_found"))
  .annotateContext(texts("Get a comparison"))

const ofJob = HttpApiEndpoint.get("listJobComparisons")`/api/v1/evaluations/jobs/${jobId}/comparisons`
  .setHeaders(headers("If-None-Match", "X-Tenant"))
  .setUrlParams(published(decisionListQuery))
  .addSuccess(json(listOf("ComparisonList", Comparison), "a page of comparisons", list))
  .addSuccess(nothing(304, "the list has not changed", list))
  .addError(refusals("resource_not_found", "query_parameter_invalid"))
  .annotateContext(texts("List the comparisons that a job takes part in, newest first"))

export const Comparisons = HttpApiGroup.make("comparisons")
  .add(create)
  .add(get)
  .add(ofJob)
  .middleware(Guarded)
  .annotateContext(
    OpenApi.annotations({ title: "Comparisons", description: "Whether one model is worse than another." })
  )
