/** What to do about each message code of an error answer. Read by who writes docs/troubleshooting.md; no process loads it. Reference: errors.md, "Request codes". */
import type { RequestCode } from "./request-codes.ts"

export const requestRemedies: { readonly [Code in RequestCode]: string } = {
  invalid_value:
    "Correct the fields that `errors` lists; each entry says what is allowed there. `evald validate FILE` checks a document before it is sent.",
  invalid_json_request:
    "Send one JSON document in UTF-8 without a byte order mark, nested at most 64 deep; the message says at which character reading stopped.",
  missing_tenant_header:
    "Send `X-Tenant` with the namespace; the command line takes it from its context (`evald context set NAME --server URL --tenant TENANT`).",
  query_bad_parameter: "Use one of the parameters that the message lists.",
  query_parameter_invalid: "Give the parameter a value of the type and range that the message names.",
  query_parameter_value_invalid: "Use one of the values that the message lists.",
  invalid_patch_operation:
    "Use `add`, `remove` or `replace` with a pointer to a member that is there; read the record first to see what it has.",
  unallowed_patch: "Leave that member out: it is fixed when the record is made. Make a new record for another value.",
  resource_does_not_exist:
    "Use the nearest known name, which the message has; `evald get providers`, `evald get benchmarks` and `evald get collections` list them all.",
  policy_invalid:
    "Correct what `errors` lists; `evald validate FILE` checks a policy before it is sent, `evald validate --schema gate-policy` prints its schema.",
  early_stop_unsupported:
    "Give the job a `gate` whose gating criteria are on primary metrics of benchmarks with the flag `stoppable`, and a `gate.baseline` that asked all the items of those that are held against it; make the others advisory, or leave out `early_stop`.",
  model_url_required:
    "Give the job a `model.url`, the address of an OpenAI-compatible endpoint; it usually ends in /v1.",
  collection_empty: "Add benchmarks to the collection, or name another one (`evald get collections`).",
  evaluation_job_empty: "Name benchmarks or a collection (`evald get benchmarks`, `evald get collections`).",
  tracker_required_for_experiment: "Leave `experiment` out, or set `tracker.tracking_uri` on the server.",
  hardware_profile_not_found:
    "Correct the name; profiles are looked for in the namespace that the message names. Ask who runs the cluster for one.",
  hardware_profile_disabled: "Name another profile, or have this one enabled.",
  hardware_profile_invalid: "Have the profile corrected: the message names the member that can not be used.",
  read_only_provider: "Create a provider with another name that holds your changes.",
  read_only_collection: "Create a collection with another name that holds your changes.",
  local_runtime_unavailable:
    "Give the provider a `runtime.local.command`, install the framework that the message names (`evald doctor` looks for it), or use a server in a cluster.",
  benchmark_not_supported:
    "Choose a benchmark that this endpoint and installation can run; the message names what is missing.",
  idempotency_key_invalid: "Send 1 to 255 visible ASCII characters, such as a UUID.",
  unauthorized:
    "Log in again: `evald login --server URL --token-file FILE`. A token of a service account ends with the account and with its own time.",
  forbidden:
    "Ask for a RoleBinding to `tenant-user` or `tenant-viewer` in the tenant's namespace; `evald whoami` shows what you may do there.",
  resource_not_found:
    "Check the id and the tenant: a record of another tenant answers as if it were not there. `evald get jobs` lists yours.",
  route_not_found:
    "Correct the path; all begin with /api/v1. A server older than its client lacks some: `evald version`.",
  method_not_allowed: "Use one of the methods in the header `Allow`.",
  not_acceptable: "Ask for `application/json`, or leave `Accept` out.",
  request_timeout: "Send the body without pauses; a slow line needs a larger `service.request_timeout_seconds`.",
  job_can_not_be_updated: "Nothing is to be done: the job has ended. `evald delete job ID` removes it.",
  job_has_not_ended: "Wait for the job (`evald watch ID`), or cancel it first.",
  benchmark_can_not_be_updated:
    "Nothing is to be done: the benchmark has ended, and its first result stands. An adapter may stop sending.",
  resource_in_use: "Take the provider out of the collections that the message names, then delete it.",
  sample_conflict:
    "Send a sample once, or with the same content: task, id and repeat together name it. `repeat` tells repeats apart.",
  signature_unavailable:
    "Set `signing.key` on the server before the job is submitted, and wait for the job's end; samples are signed with `samples.content: full` only.",
  idempotency_key_reused: "Use a new key for another body; the same key and body give the first answer again.",
  plan_token_invalid:
    "Plan the job again with `dry_run=true&plan_token=true`, and within ten minutes send exactly the body that was planned, as the same caller in the same tenant.",
  precondition_failed: "Read the record again, make the change on what it is now, and send it with its new `ETag`.",
  request_body_too_large: "Send less in one request, or raise `service.max_body_bytes`.",
  unsupported_media_type: "Send `Content-Type: application/json` without `Content-Encoding`.",
  expectation_failed: "Leave `Expect` out, or send `100-continue`.",
  too_many_requests: "Wait as long as `Retry-After` says; who runs the server may raise `rate_limit.per_second`.",
  too_many_streams: "Close watchers that nobody reads, or raise `service.max_streams_per_tenant`.",
  tenant_limit_reached:
    "Wait for running jobs to end, cancel or delete what is not needed, or have `tenants.*` raised; the message has the numbers.",
  request_head_too_large:
    "Send fewer or shorter headers; a token with very many groups may need `service.max_head_bytes`.",
  internal_error: "Tell who runs the server the `trace` of the answer: the failure stands in its log beside it.",
  tracker_request_failed:
    "Look at the tracking server and at its address and token (`tracker.*`); nothing was stored, so send it again.",
  database_unavailable:
    "Try again in a moment. If it lasts: `/api/v1/health/ready` says what is wrong with the database, `database.url` names it.",
  cluster_unavailable:
    "Try again in a moment. If it lasts: `/api/v1/health/ready` says why the cluster's API can not be asked; `evald doctor` looks at the way there.",
  machine_unavailable: "Make room on the server's disk, or raise the limit of the system that the message names.",
  review_unavailable:
    "Try again in a moment. If it lasts, the server can not reach the cluster's API, or lacks the role `auth-reviewer`.",
  too_many_connections:
    "Use connections again instead of opening new ones, add a server, or raise `service.max_connections`."
}
