/**
 * Every message code of an error answer: its status, the header that comes with it, and the sentence that documents it. Endpoints declare which
 * of them they answer (`refusals`), error answers take their status from here. Reference: errors.md, "Error body".
 */
interface Code {
  readonly status: number
  readonly header?: "Allow" | "Retry-After" | "WWW-Authenticate"
  readonly meaning: string
}

/** in the order of their statuses */
export const requestCodes = {
  invalid_value: {
    status: 400,
    meaning: "a field of the request breaks a rule; the message names the field, the value and what is allowed"
  },
  invalid_json_request: { status: 400, meaning: "the body is not one JSON document in UTF-8, or is nested too deeply" },
  missing_tenant_header: { status: 400, meaning: "the X-Tenant header is missing" },
  query_bad_parameter: { status: 400, meaning: "the query has an unknown parameter; the message lists the known ones" },
  query_parameter_invalid: { status: 400, meaning: "a query parameter has the wrong type or lies outside its range" },
  query_parameter_value_invalid: {
    status: 400,
    meaning: "a query parameter with a closed set of values has another value"
  },
  invalid_patch_operation: {
    status: 400,
    meaning: "a patch operation is not add, remove or replace, or its pointer does not resolve"
  },
  unallowed_patch: { status: 400, meaning: "a patch points at a member that can not be changed" },
  resource_does_not_exist: {
    status: 400,
    meaning: "the body names a provider, benchmark or collection that does not exist for this tenant"
  },
  policy_invalid: {
    status: 400,
    meaning:
      "a policy breaks a rule, or names a benchmark or metric that is not there; errors say where and how to mend it"
  },
  early_stop_unsupported: {
    status: 400,
    meaning:
      "the job may not stop early: it has no gate, a gating criterion is not about a mean of items that come in an order of the adapter's own drawing, or the baseline can not be paired with them"
  },
  model_url_required: { status: 400, meaning: "the job has no model.url" },
  collection_empty: { status: 400, meaning: "the named collection has no benchmarks" },
  evaluation_job_empty: { status: 400, meaning: "the job has neither benchmarks nor a collection" },
  tracker_required_for_experiment: {
    status: 400,
    meaning: "the job asks for experiment tracking and no tracking server is configured"
  },
  hardware_profile_not_found: { status: 400, meaning: "the named hardware profile does not exist" },
  hardware_profile_disabled: { status: 400, meaning: "the named hardware profile is disabled" },
  hardware_profile_invalid: { status: 400, meaning: "the named hardware profile can not be used as it is written" },
  read_only_provider: {
    status: 400,
    meaning: "the provider is built in or comes from a file and can not be changed through the API"
  },
  read_only_collection: {
    status: 400,
    meaning: "the collection is built in or comes from a file and can not be changed through the API"
  },
  local_runtime_unavailable: { status: 400, meaning: "the provider can not run as a local process here" },
  benchmark_not_supported: {
    status: 400,
    meaning: "the benchmark can not run against this endpoint or in this installation"
  },
  idempotency_key_invalid: { status: 400, meaning: "the Idempotency-Key is not 1 to 255 visible ASCII characters" },
  unauthorized: { status: 401, header: "WWW-Authenticate", meaning: "the caller's token is missing or not valid" },
  forbidden: { status: 403, meaning: "the caller may not do this in the tenant" },
  resource_not_found: { status: 404, meaning: "there is no such record for this tenant" },
  route_not_found: { status: 404, meaning: "there is no such path" },
  method_not_allowed: { status: 405, header: "Allow", meaning: "the path exists, with other methods" },
  not_acceptable: { status: 406, meaning: "the answer can not be given in the asked media type" },
  request_timeout: { status: 408, meaning: "the request body did not arrive in time" },
  job_can_not_be_updated: { status: 409, meaning: "the job is terminal" },
  job_has_not_ended: { status: 409, meaning: "the job is not terminal yet; only then it is run again" },
  benchmark_can_not_be_updated: {
    status: 409,
    meaning: "the benchmark is terminal, or would have to go back to pending"
  },
  resource_in_use: { status: 409, meaning: "a collection of the tenant names the provider" },
  sample_conflict: {
    status: 409,
    meaning: "a sample differs from the stored one of the same key, which is no error and was not skipped"
  },
  signature_unavailable: {
    status: 409,
    meaning:
      "nothing is signed: no key is configured, the job has not ended, or the record of the sample was not kept as it was sent"
  },
  idempotency_key_reused: { status: 409, meaning: "the Idempotency-Key was used with another body" },
  plan_token_invalid: {
    status: 409,
    meaning: "the Plan-Token has expired, or was made for another caller, tenant or body"
  },
  precondition_failed: { status: 412, meaning: "If-Match named another version of the record" },
  request_body_too_large: { status: 413, meaning: "the request body is larger than service.max_body_bytes" },
  unsupported_media_type: { status: 415, meaning: "the request body is not application/json" },
  expectation_failed: { status: 417, meaning: "the Expect header asks for something else than 100-continue" },
  too_many_requests: {
    status: 429,
    header: "Retry-After",
    meaning: "the caller sends too many requests, or too many invalid tokens arrive from its address or altogether"
  },
  too_many_streams: {
    status: 429,
    header: "Retry-After",
    meaning: "the tenant, or the server, has as many watchers and followers of logs as it may have"
  },
  tenant_limit_reached: {
    status: 429,
    header: "Retry-After",
    meaning:
      "the tenant has as many benchmarks waiting and running, or keeps as many bytes, as it may; the message has the numbers"
  },
  request_head_too_large: {
    status: 431,
    meaning: "the request line and headers are larger than service.max_head_bytes, or have more than 2,000 lines"
  },
  internal_error: { status: 500, meaning: "the server failed; the trace identifies the failure in its log" },
  tracker_request_failed: { status: 502, meaning: "the tracking server refused or failed" },
  database_unavailable: { status: 503, header: "Retry-After", meaning: "the database does not answer now" },
  cluster_unavailable: { status: 503, header: "Retry-After", meaning: "the cluster API does not answer now" },
  machine_unavailable: {
    status: 503,
    header: "Retry-After",
    meaning: "the disk of the server's machine is full or fails, or a limit of its system is reached"
  },
  review_unavailable: { status: 503, header: "Retry-After", meaning: "the authorisation review does not answer now" },
  too_many_connections: {
    status: 503,
    header: "Retry-After",
    meaning: "the server has as many connections as it may have; this one is closed"
  }
} as const satisfies { readonly [code: string]: Code }

export type RequestCode = keyof typeof requestCodes

export const isRequestCode = (code: string): code is RequestCode => Object.hasOwn(requestCodes, code)

/** the header that comes with the code */
export const headerOf = (code: RequestCode): Code["header"] => (requestCodes[code] as Code).header
