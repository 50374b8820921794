/** The contract of the routes that sign. Reference: signing.md, "Statements", "One sample". */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Attestation, Disclosure } from "../dto/decisions/attestation.ts"
import { published } from "../dto/query.ts"
import { sampleQuery } from "../dto/sample-queries.ts"
import { Guarded, headers, json, refusals, texts } from "./operation.ts"
import { benchmarkIndex, jobId, sampleId } from "./path-parameters.ts"

const ofJob = HttpApiEndpoint.get("getAttestation")`/api/v1/evaluations/jobs/${jobId}/attestation`
  .setHeaders(headers("X-Tenant"))
  .addSuccess(json(Attestation, "the envelope", { headers: ["Cache-Control"] }))
  .addError(refusals("resource_not_found", "signature_unavailable"))
  .annotateContext(
    texts(
      "Get the signed results of a job",
      "A DSSE envelope around an in-toto statement of the job's record, the Merkle roots over its samples and its gates; `evald verify` checks it offline. The bytes are the same until one of these changes, or the key."
    )
  )

const ofSample = HttpApiEndpoint.get(
  "discloseSample"
)`/api/v1/evaluations/jobs/${jobId}/benchmarks/${benchmarkIndex}/samples/${sampleId}/attestation`
  .setHeaders(headers("X-Tenant"))
  .setUrlParams(published(sampleQuery))
  .addSuccess(json(Disclosure, "the sample with its proof", { headers: ["Cache-Control"] }))
  .addError(refusals("resource_not_found", "query_parameter_invalid", "signature_unavailable"))
  .annotateContext(
    texts(
      "Disclose one sample",
      "The record of a sample with the proof that it is among those that the signed results are about."
    )
  )

export const Attestations = HttpApiGroup.make("attestations")
  .add(ofJob)
  .add(ofSample)
  .middleware(Guarded)
  .annotateContext(OpenApi.annotations({ title: "Attestations", description: "Results that others can check." }))
