/** The contract of the gate routes. Reference: comparison-and-gates.md, "Gates". */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { decodeGate, Gate, GateRequest } from "../dto/decisions/gate.ts"
import { decisionListQuery } from "../dto/list-queries.ts"
import { listOf } from "../dto/lists.ts"
import { published } from "../dto/query.ts"
import { text } from "../dto/shapes.ts"
import { body, Guarded, headers, json, nothing, refusals, refusedBodies, texts } from "./operation.ts"
import { jobId } from "./path-parameters.ts"

const gateId = HttpApiSchema.param("gate_id", text("identifier of the gate"))
const tagged = { headers: ["ETag", "Cache-Control"] } as const
const list = { headers: ["ETag", "Cache-Control", "Link"] } as const

const example = {
  policy: {
    criteria: [
      { benchmark: "arith_basic", kind: "relative_to_baseline", tolerance: 0.02 },
      { benchmark: "safety_quick", kind: "absolute", threshold: 0.1 }
    ]
  },
  baseline: { job: "0198b2a0-0000-7000-8000-000000000001" }
} as const

const create = HttpApiEndpoint.post("createGate")`/api/v1/evaluations/jobs/${jobId}/gates`
  .setHeaders(headers("X-Tenant"))
  .setPayload(body(GateRequest, { read: decodeGate, example }))
  .addSuccess(json(Gate, "the decision", { status: 201, headers: ["Location"] }))
  .addSuccess(json(Gate, "the decision that was made of the same inputs before", { headers: ["Location"] }))
  .addError(refusals(...refusedBodies, "resource_not_found", "resource_does_not_exist", "policy_invalid"))
  .annotateContext(
    texts(
      "Judge a job by a policy",
      "GO when every gating criterion passes, NO-GO when one is broken, else INCONCLUSIVE. The decision is kept; the same policy over the same results is answered with it. Every further look at the same model and baseline has less of alpha left."
    )
  )

const get = HttpApiEndpoint.get("getGate")`/api/v1/evaluations/jobs/${jobId}/gates/${gateId}`
  .setHeaders(headers("If-None-Match", "X-Tenant"))
  .addSuccess(json(Gate, "the decision", tagged))
  .addSuccess(nothing(304, "the decision has not changed", tagged))
  .addError(refusals("resource_not_found"))
  .annotateContext(texts("Get a gate"))

const ofJob = HttpApiEndpoint.get("listJobGates")`/api/v1/evaluations/jobs/${jobId}/gates`
  .setHeaders(headers("If-None-Match", "X-Tenant"))
  .setUrlParams(published(decisionListQuery))
  .addSuccess(json(listOf("GateList", Gate), "a page of gates", list))
  .addSuccess(nothing(304, "the list has not changed", list))
  .addError(refusals("resource_not_found", "query_parameter_invalid"))
  .annotateContext(texts("List the gates of a job, and those it was the baseline of, newest first"))

export const Gates = HttpApiGroup.make("gates")
  .add(create)
  .add(get)
  .add(ofJob)
  .middleware(Guarded)
  .annotateContext(OpenApi.annotations({ title: "Gates", description: "Whether a model may be let through." }))
