/** The published contract of the job routes. Reference: api.md, "Submitting a job", "Requests"; adapter-contract.md, "Local processes". */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { EventBody } from "../dto/event-body.ts"
import { EventReceipt, Job } from "../dto/job-record.ts"
import { JobRequest } from "../dto/job-request.ts"
import { cancelQuery, jobListQuery, logQuery, submitQuery } from "../dto/list-queries.ts"
import { listWithErrors, partOf } from "../dto/lists.ts"
import { Plan } from "../dto/plan.ts"
import { published } from "../dto/query.ts"
import { text } from "../dto/shapes.ts"
import { documented } from "./documented.ts"

const id = HttpApiSchema.param("id", text("identifier of the job"))
const index = HttpApiSchema.param("index", text("position of the benchmark in the job, from 0"))

const LogText = Schema.String.pipe(HttpApiSchema.withEncoding({ kind: "Text", contentType: "text/plain" }))
const Events = Schema.String.pipe(HttpApiSchema.withEncoding({ kind: "Text", contentType: "text/event-stream" }))
const eventStream = { "text/event-stream": { schema: { type: "string" } } }

const streamText =
  "Each event has an `id` (send it back as `Last-Event-ID` to continue), the name `created`, `updated` or `deleted`, and as data the job record as JSON; " +
  "of a deleted job only `resource.id`. Comment lines are heartbeats. The events of one job may be merged: the latest state is never left out."

const snapshotText =
  "When the position of `Last-Event-ID` is unknown here or so old that changes after it are forgotten (the newest 100,000 are kept), and whenever a stream has " +
  "missed changes, it begins anew: `reset` (forget what is known), one `snapshot` with the record of every job as data, newest first, and `synced`, after which changes go " +
  "on. `reset` and `snapshot` have no `id`, so that a stream cut off before `synced` begins its snapshot again."

const example = {
  name: "nightly",
  model: { url: "http://model.example.com/v1", name: "my-model", auth: { secret_ref: "my-model-key" } },
  benchmarks: [{ id: "arith_basic", provider_id: "evald", parameters: { num_examples: 20 } }]
}

const submit = HttpApiEndpoint.post("submitJob", "/")
  .setPayload(JobRequest)
  .setUrlParams(published(submitQuery))
  .addSuccess(Job, { status: 202 })
  .addSuccess(Plan, { status: 200 })
  .annotateContext(
    documented({
      summary: "Submit an evaluation job",
      answers: { 202: ["the stored record, as the following GET answers it", "Job"], 200: ["the plan of a dry run", "Plan"] },
      description:
        "Checks everything that can be checked, stores the job and answers its record; benchmarks start afterwards. With `dry_run=true` nothing is stored and the resolved plan is answered with 200. The job-level member `queue` is deprecated; use `hardware_config.queue`.",
      body: ["application/json"],
      codes: [
        "query_parameter_invalid",
        "evaluation_job_empty",
        "collection_empty",
        "model_url_required",
        "resource_does_not_exist",
        "tracker_required_for_experiment",
        "hardware_profile_not_found",
        "hardware_profile_disabled",
        "hardware_profile_invalid",
        "local_runtime_unavailable",
        "benchmark_not_supported",
        "idempotency_key_invalid",
        "idempotency_key_reused",
        "tracker_request_failed",
        "cluster_unavailable"
      ],
      requestHeaders: ["Idempotency-Key"],
      headers: ["Location", "ETag", "Warning", "Idempotent-Replayed"],
      example
    })
  )

const list = HttpApiEndpoint.get("listJobs", "/")
  .setUrlParams(published(jobListQuery))
  .addSuccess(listWithErrors("JobList", Schema.Union(Job, partOf("JobPart"))))
  .annotateContext(
    documented({
      summary: "List jobs, newest first",
      answers: { 200: ["a page of jobs, or a stream of changes", "JobList"] },
      description: `With \`watch=true\` the answer is a stream of server-sent events about all jobs of the tenant instead. ${streamText} ${snapshotText}`,
      codes: ["query_parameter_invalid", "query_parameter_value_invalid"],
      requestHeaders: ["If-None-Match", "Last-Event-ID"],
      headers: ["ETag", "Link"],
      also: eventStream,
      statuses: { 304: "the list has not changed" }
    })
  )

const get = HttpApiEndpoint.get("getJob")`/${id}`.addSuccess(Job).annotateContext(
  documented({
    summary: "Get a job with its current status and results",
    answers: { 200: ["the record", "Job"] },
    codes: ["resource_not_found"],
    requestHeaders: ["If-None-Match"],
    headers: ["ETag"],
    statuses: { 304: "the record has not changed" }
  })
)

const cancel = HttpApiEndpoint.del("cancelJob")`/${id}`
  .setUrlParams(published(cancelQuery))
  .addSuccess(HttpApiSchema.NoContent)
  .annotateContext(
    documented({
      summary: "Cancel a job, or remove its record",
      answers: { 204: ["cancelled, or removed"] },
      description:
        "Cancelling a cancelled job is fine; cancelling a job that ended otherwise is a conflict. With `hard_delete=true` the record disappears in any state.",
      codes: ["resource_not_found", "job_can_not_be_updated", "precondition_failed", "query_parameter_invalid"],
      requestHeaders: ["If-Match"]
    })
  )

const event = HttpApiEndpoint.post("recordEvent")`/${id}/events`
  .setPayload(EventBody)
  .addSuccess(EventReceipt)
  .annotateContext(
    documented({
      summary: "Report the state of a benchmark",
      answers: { 200: ["the event was taken", "EventReceipt"] },
      description:
        "Called by adapters and sidecars, not by clients. Unknown members are ignored with a Warning header. A repeated terminal event answers `applied: false` as long as the job is not terminal.",
      body: ["application/json"],
      codes: ["resource_not_found", "job_can_not_be_updated", "benchmark_can_not_be_updated"],
      headers: ["Warning"],
      example: { benchmark_status_event: { id: "arith_basic", provider_id: "evald", benchmark_index: 0, status: "completed", metrics: { exact_match: 0.9 } } }
    })
  )

const watch = HttpApiEndpoint.get("watchJob")`/${id}/watch`.addSuccess(Events).annotateContext(
  documented({
    summary: "Stream the changes of a job",
    answers: { 200: ["the stream"] },
    description: `Begins with the current record and ends after the job is terminal or removed. ${streamText}`,
    codes: ["resource_not_found"],
    requestHeaders: ["Last-Event-ID"],
    statuses: { 204: "the job is terminal and nothing happened after Last-Event-ID" }
  })
)

const jobLogs = HttpApiEndpoint.get("getJobLogs")`/${id}/logs`
  .setUrlParams(published(logQuery))
  .addSuccess(LogText)
  .annotateContext(
    documented({
      summary: "Read the logs of all benchmarks of a job",
      answers: { 200: ["log text, each benchmark under a heading"] },
      codes: ["resource_not_found", "query_parameter_invalid", "cluster_unavailable", "machine_unavailable"]
    })
  )

const benchmarkLogs = HttpApiEndpoint.get("getBenchmarkLogs")`/${id}/benchmarks/${index}/logs`
  .setUrlParams(published(logQuery))
  .addSuccess(LogText)
  .annotateContext(
    documented({
      summary: "Read the log of one benchmark",
      description:
        "`X-Log-Source` says whether the text comes from the running benchmark or was captured when it ended; the captured text is kept as long as the job. " +
        "A benchmark without a log, because it has not started or has written nothing, is answered with 404 and the reason.",
      answers: { 200: ["log text"] },
      headers: ["X-Log-Source"],
      codes: ["resource_not_found", "query_parameter_invalid", "cluster_unavailable", "machine_unavailable"]
    })
  )

export const Jobs = HttpApiGroup.make("jobs", { topLevel: true })
  .add(submit)
  .add(list)
  .add(get)
  .add(cancel)
  .add(event)
  .add(watch)
  .add(jobLogs)
  .add(benchmarkLogs)
  .prefix("/api/v1/evaluations/jobs")
  .annotateContext(OpenApi.annotations({ title: "Jobs", description: "Evaluations of one model with one or more benchmarks." }))
