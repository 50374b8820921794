/** The contract of the sample routes. Reference: samples.md, "Upload", "Lists". */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { published } from "../dto/query.ts"
import { benchmarkSamplesQuery, jobSamplesQuery, sampleQuery } from "../dto/sample-queries.ts"
import { lines, SampleList, SampleReceipt, SampleRecord } from "../dto/sample-record.ts"
import { body, Guarded, headers, json, plain, refusals, refusedBodies, texts } from "./operation.ts"
import { benchmarkIndex, jobId, sampleId } from "./path-parameters.ts"

const ndjson = "application/x-ndjson"

const listText =
  "Pages go on with `next`. Items hold the figures of a sample; with `content=true` also its record. `Accept: application/x-ndjson` streams all records that pass the filters."

const upload = HttpApiEndpoint.post(
  "uploadSamples"
)`/api/v1/evaluations/jobs/${jobId}/benchmarks/${benchmarkIndex}/samples`
  .setHeaders(headers("X-Tenant"))
  .setPayload(
    body(SampleRecord, {
      read: lines,
      closed: false,
      mediaTypes: [ndjson],
      example: {
        v: 1,
        sample_id: "arith:17",
        task: "arith",
        index: 17,
        repeat: 0,
        verdict: "correct",
        response: "42",
        reference: "42",
        score: 1
      }
    })
  )
  .addSuccess(json(SampleReceipt, "the records were taken", { headers: ["Warning"] }))
  .addError(refusals(...refusedBodies, "resource_not_found", "sample_conflict", "benchmark_can_not_be_updated"))
  .annotateContext(
    texts(
      "Bring samples of a benchmark",
      "Called by adapters and sidecars, not by clients: one record a line, at most 4 MiB and 1,000 lines a call. A call is stored whole or not at all, and may be repeated."
    )
  )

const ofJob = HttpApiEndpoint.get("listJobSamples")`/api/v1/evaluations/jobs/${jobId}/samples`
  .setHeaders(headers("X-Tenant"))
  .setUrlParams(published(jobSamplesQuery))
  .addSuccess(json(SampleList, "a page of samples, or their records", { headers: ["Cache-Control", "Link"] }))
  .addSuccess(plain(ndjson, "a page of samples, or their records", { headers: ["Cache-Control"] }))
  .addError(refusals("resource_not_found", "query_parameter_invalid", "query_parameter_value_invalid"))
  .annotateContext(texts("List the samples of a job", listText))

const ofBenchmark = HttpApiEndpoint.get(
  "listBenchmarkSamples"
)`/api/v1/evaluations/jobs/${jobId}/benchmarks/${benchmarkIndex}/samples`
  .setHeaders(headers("X-Tenant"))
  .setUrlParams(published(benchmarkSamplesQuery))
  .addSuccess(json(SampleList, "a page of samples, or their records", { headers: ["Cache-Control", "Link"] }))
  .addSuccess(plain(ndjson, "a page of samples, or their records", { headers: ["Cache-Control"] }))
  .addError(refusals("resource_not_found", "query_parameter_invalid", "query_parameter_value_invalid"))
  .annotateContext(texts("List the samples of a benchmark", listText))

const one = HttpApiEndpoint.get(
  "getSample"
)`/api/v1/evaluations/jobs/${jobId}/benchmarks/${benchmarkIndex}/samples/${sampleId}`
  .setHeaders(headers("X-Tenant"))
  .setUrlParams(published(sampleQuery))
  .addSuccess(json(SampleRecord, "the record", { headers: ["Cache-Control"] }))
  .addError(refusals("resource_not_found", "query_parameter_invalid"))
  .annotateContext(texts("Get the record of a sample"))

export const Samples = HttpApiGroup.make("samples")
  .add(upload)
  .add(ofJob)
  .add(ofBenchmark)
  .add(one)
  .middleware(Guarded)
  .annotateContext(
    OpenApi.annotations({ title: "Samples", description: "What was asked, what came back, and how it was judged." })
  )
