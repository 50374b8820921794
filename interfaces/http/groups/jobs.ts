/** The contract of the job routes. Reference: api.md, "Submitting a job", "Requests"; adapter-contract.md, "Local processes". */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { Explanation } from "../dto/decisions/explanation.ts"
import { decodeRerun, RerunRequest } from "../dto/decisions/rerun.ts"
import { EventBody, undecoded } from "../dto/event-body.ts"
import { EventReceipt, Job } from "../dto/job-record.ts"
import { decodeJobRequest, JobRequest } from "../dto/job-request.ts"
import { cancelQuery, jobListQuery, logQuery, submitQuery } from "../dto/list-queries.ts"
import { listWithErrors, partOf } from "../dto/lists.ts"
import { Plan } from "../dto/plan.ts"
import { published } from "../dto/query.ts"
import { body, Guarded, headers, json, nothing, plain, refusals, refusedBodies, texts } from "./operation.ts"
import { benchmarkIndex, jobId } from "./path-parameters.ts"

const log = "text/plain"
const events = "text/event-stream"
const stream = { headers: ["Cache-Control", "X-Accel-Buffering"] } as const
const tagged = { headers: ["ETag", "Cache-Control"] } as const

const streamText =
  "Each event has an `id` (send it back as `Last-Event-ID` to continue), the name `created`, `updated` or `deleted`, and as data the job record as JSON; " +
  "of a deleted job only `resource.id`. Comment lines are heartbeats. The events of one job may be merged: the latest state is never left out."

const snapshotText =
  "When the position of `Last-Event-ID` is unknown here or so old that changes after it are forgotten (the newest 100,000 are kept), and whenever a stream has " +
  "missed changes, it begins anew: `reset` (forget what is known), one `snapshot` with the record of every job as data, newest first, and `synced`, after which changes go " +
  "on. `reset` and `snapshot` have no `id`, so that a stream cut off before `synced` begins its snapshot again."

const job = {
  name: "nightly",
  model: { url: "http://model.example.com/v1", name: "my-model", auth: { secret_ref: "my-model-key" } },
  benchmarks: [{ id: "arith_basic", provider_id: "evald", parameters: { num_examples: 20 } }]
}

const event = {
  benchmark_status_event: {
    id: "arith_basic",
    provider_id: "evald",
    benchmark_index: 0,
    status: "completed",
    metrics: { exact_match: 0.9 }
  }
} as const

const submissionCodes = [
  ...refusedBodies,
  "evaluation_job_empty",
  "policy_invalid",
  "early_stop_unsupported",
  "collection_empty",
  "model_url_required",
  "resource_does_not_exist",
  // removed between its storing and its answer
  "resource_not_found",
  "tracker_required_for_experiment",
  "hardware_profile_not_found",
  "hardware_profile_disabled",
  "hardware_profile_invalid",
  "local_runtime_unavailable",
  "benchmark_not_supported",
  "idempotency_key_invalid",
  "idempotency_key_reused",
  "tenant_limit_reached",
  "tracker_request_failed",
  "cluster_unavailable"
] as const

const submit = HttpApiEndpoint.post("submitJob", "/api/v1/evaluations/jobs")
  .setHeaders(headers("Idempotency-Key", "Plan-Token", "X-Tenant"))
  .setUrlParams(published(submitQuery))
  .setPayload(body(JobRequest, { read: decodeJobRequest, example: job }))
  .addSuccess(
    json(Job, "the stored record, as the following GET answers it", {
      status: 202,
      headers: ["Location", "ETag", "Warning", "Idempotent-Replayed"]
    })
  )
  .addSuccess(json(Plan, "the plan of a dry run", { headers: ["Warning"] }))
  .addError(refusals(...submissionCodes, "plan_token_invalid", "query_parameter_invalid"))
  .annotateContext(
    texts(
      "Submit an evaluation job",
      "Checks everything that can be checked, stores the job and answers its record; benchmarks start afterwards. With `dry_run=true` nothing is stored and the resolved plan is answered with 200, and with `plan_token=true` a token that submits this very body once within ten minutes (`Plan-Token`). The job-level member `queue` is deprecated; use `hardware_config.queue`."
    )
  )

const list = HttpApiEndpoint.get("listJobs", "/api/v1/evaluations/jobs")
  .setHeaders(headers("If-None-Match", "Last-Event-ID", "X-Tenant"))
  .setUrlParams(published(jobListQuery))
  .addSuccess(
    json(listWithErrors("JobList", Schema.Union(Job, partOf("JobPart"))), "a page of jobs, or a stream of changes", {
      headers: ["ETag", "Cache-Control", "Link"]
    })
  )
  .addSuccess(plain(events, "a page of jobs, or a stream of changes", stream))
  .addSuccess(nothing(304, "the list has not changed", { headers: ["ETag", "Cache-Control", "Link"] }))
  .addError(refusals("query_parameter_invalid", "query_parameter_value_invalid", "too_many_streams"))
  .annotateContext(
    texts(
      "List jobs, newest first",
      `With \`watch=true\` the answer is a stream of server-sent events about all jobs of the tenant instead. ${streamText} ${snapshotText}`
    )
  )

const get = HttpApiEndpoint.get("getJob")`/api/v1/evaluations/jobs/${jobId}`
  .setHeaders(headers("If-None-Match", "X-Tenant"))
  .addSuccess(json(Job, "the record", tagged))
  .addSuccess(nothing(304, "the record has not changed", tagged))
  .addError(refusals("resource_not_found"))
  .annotateContext(texts("Get a job with its current status and results"))

const cancel = HttpApiEndpoint.del("cancelJob")`/api/v1/evaluations/jobs/${jobId}`
  .setHeaders(headers("If-Match", "X-Tenant"))
  .setUrlParams(published(cancelQuery))
  .addSuccess(nothing(204, "cancelled, or removed"))
  .addError(refusals("resource_not_found", "job_can_not_be_updated", "precondition_failed", "query_parameter_invalid"))
  .annotateContext(
    texts(
      "Cancel a job, or remove its record",
      "Cancelling a cancelled job is fine; cancelling a job that ended otherwise is a conflict. With `hard_delete=true` the record disappears in any state."
    )
  )

const rerun = HttpApiEndpoint.post("rerunJob")`/api/v1/evaluations/jobs/${jobId}/rerun`
  .setHeaders(headers("Idempotency-Key", "X-Tenant"))
  .setPayload(body(RerunRequest, { read: decodeRerun, example: { which: "failed", reuse: true } }))
  .addSuccess(
    json(Job, "the new job, as a GET answers it", {
      status: 202,
      headers: ["Location", "ETag", "Warning", "Idempotent-Replayed"]
    })
  )
  .addError(refusals(...submissionCodes, "job_has_not_ended"))
  .annotateContext(
    texts(
      "Run a job again",
      "Makes a new job of the benchmarks of an ended one that failed, that are invalid, or of all. The old job stays as it is; `rerun_of` names it, and `GET jobs?rerun_of=` lists its reruns. With `reuse` the results of the other benchmarks are taken over, marked by `carried_from`."
    )
  )

const record = HttpApiEndpoint.post("recordEvent")`/api/v1/evaluations/jobs/${jobId}/events`
  .setHeaders(headers("X-Tenant"))
  .setPayload(body(EventBody, { read: undecoded, example: event, closed: false }))
  .addSuccess(json(EventReceipt, "the event was taken", { headers: ["Warning"] }))
  .addError(refusals(...refusedBodies, "resource_not_found", "job_can_not_be_updated", "benchmark_can_not_be_updated"))
  .annotateContext(
    texts(
      "Report the state of a benchmark",
      "Called by adapters and sidecars, not by clients. Unknown members are ignored with a Warning header. A repeated terminal event answers `applied: false` as long as the job is not terminal."
    )
  )

const watch = HttpApiEndpoint.get("watchJob")`/api/v1/evaluations/jobs/${jobId}/watch`
  .setHeaders(headers("Last-Event-ID", "X-Tenant"))
  .addSuccess(plain(events, "the stream", stream))
  .addSuccess(nothing(204, "the job is terminal and nothing happened after Last-Event-ID"))
  .addError(refusals("resource_not_found", "too_many_streams"))
  .annotateContext(
    texts(
      "Stream the changes of a job",
      `Begins with the current record and ends after the job is terminal or removed. ${streamText}`
    )
  )

const logRefusals = refusals(
  "resource_not_found",
  "query_parameter_invalid",
  "too_many_streams",
  "cluster_unavailable",
  "machine_unavailable"
)

const jobLogs = HttpApiEndpoint.get("getJobLogs")`/api/v1/evaluations/jobs/${jobId}/logs`
  .setHeaders(headers("X-Tenant"))
  .setUrlParams(published(logQuery))
  .addSuccess(plain(log, "log text, each benchmark under a heading", { headers: ["Cache-Control"] }))
  .addError(logRefusals)
  .annotateContext(texts("Read the logs of all benchmarks of a job"))

const benchmarkLogs = HttpApiEndpoint.get(
  "getBenchmarkLogs"
)`/api/v1/evaluations/jobs/${jobId}/benchmarks/${benchmarkIndex}/logs`
  .setHeaders(headers("X-Tenant"))
  .setUrlParams(published(logQuery))
  .addSuccess(plain(log, "log text", { headers: ["Cache-Control", "X-Log-Source"] }))
  .addError(logRefusals)
  .annotateContext(
    texts(
      "Read the log of one benchmark",
      "`X-Log-Source` says whether the text comes from the running benchmark or was captured when it ended; the captured text is kept as long as the job. " +
        "A benchmark without a log, because it has not started or has written nothing, is answered with 404 and the reason."
    )
  )

const explain = HttpApiEndpoint.get("explainJob")`/api/v1/evaluations/jobs/${jobId}/explain`
  .setHeaders(headers("X-Tenant"))
  .addSuccess(json(Explanation, "the findings", { headers: ["Cache-Control"] }))
  .addError(refusals("resource_not_found"))
  .annotateContext(
    texts(
      "Explain a job",
      "Why it waits, is slow, failed, or has its verdict, and what to do about it: the cause that the other findings follow from is first. Made anew from the record, the runtime and what was seen of the model's traffic."
    )
  )

const plan = HttpApiEndpoint.get("getJobPlan")`/api/v1/evaluations/jobs/${jobId}/plan`
  .setHeaders(headers("If-None-Match", "X-Tenant"))
  .addSuccess(json(Plan, "the plan", tagged))
  .addSuccess(nothing(304, "the plan has not changed", tagged))
  .addError(refusals("resource_not_found"))
  .annotateContext(
    texts(
      "Get the plan of a job",
      "What the job was stored with: the answer of its dry run then, with the source of every value, whatever its providers and its collection say by now. What was not stored is absent: `service_account`, `estimate` and `plan_token`; `warnings` is empty, they are in the job's first message."
    )
  )

export const Jobs = HttpApiGroup.make("jobs")
  .add(submit)
  .add(list)
  .add(get)
  .add(cancel)
  .add(rerun)
  .add(record)
  .add(watch)
  .add(jobLogs)
  .add(benchmarkLogs)
  .add(explain)
  .add(plan)
  .middleware(Guarded)
  .annotateContext(
    OpenApi.annotations({ title: "Jobs", description: "Evaluations of one model with one or more benchmarks." })
  )
