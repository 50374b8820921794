/**
 * Every message code the service itself writes, with the sentence that documents it: one catalogue for the error reference,
 * the tests that each code is produced, and the builders. Codes of other adapters are kept as they were sent.
 * Reference: errors.md, "Error body"; states-and-scores.md, "Never stuck".
 */

/** codes of error answers and of single problems inside them */
export const requestCodes = {
  invalid_value: "a field of the request breaks a rule; the message names the field, the value and what is allowed",
  invalid_json_request: "the body is not one JSON document in UTF-8, or is nested too deeply",
  missing_tenant_header: "the X-Tenant header is missing",
  query_bad_parameter: "the query has an unknown parameter; the message lists the known ones",
  query_parameter_invalid: "a query parameter has the wrong type or lies outside its range",
  query_parameter_value_invalid: "a query parameter with a closed set of values has another value",
  invalid_patch_operation: "a patch operation is not add, remove or replace, or its pointer does not resolve",
  unallowed_patch: "a patch points at a member that can not be changed",
  resource_does_not_exist: "the body names a provider, benchmark or collection that does not exist for this tenant",
  model_url_required: "the job has no model.url",
  collection_empty: "the named collection has no benchmarks",
  evaluation_job_empty: "the job has neither benchmarks nor a collection",
  tracker_required_for_experiment: "the job asks for experiment tracking and no tracking server is configured",
  hardware_profile_not_found: "the named hardware profile does not exist",
  hardware_profile_disabled: "the named hardware profile is disabled",
  hardware_profile_invalid: "the named hardware profile can not be used as it is written",
  read_only_provider: "the provider is built in or comes from a file and can not be changed through the API",
  read_only_collection: "the collection is built in or comes from a file and can not be changed through the API",
  local_runtime_unavailable: "the provider can not run as a local process here",
  benchmark_not_supported: "the benchmark can not run against this endpoint or in this installation",
  idempotency_key_invalid: "the Idempotency-Key is not 1 to 255 visible ASCII characters",
  unauthorized: "the caller's token is missing or not valid",
  forbidden: "the caller may not do this in the tenant",
  resource_not_found: "there is no such record for this tenant",
  route_not_found: "there is no such path",
  method_not_allowed: "the path exists, with other methods",
  not_acceptable: "the answer can not be given in the asked media type",
  request_timeout: "the request body did not arrive in time",
  request_body_too_large: "the request body is larger than service.max_body_bytes",
  unsupported_media_type: "the request body is not application/json",
  expectation_failed: "the Expect header asks for something else than 100-continue",
  request_head_too_large: "the request line and headers are larger than service.max_head_bytes, or have more than 2,000 lines",
  job_can_not_be_updated: "the job is terminal",
  benchmark_can_not_be_updated: "the benchmark is terminal, or would have to go back to pending",
  resource_in_use: "a collection of the tenant names the provider",
  idempotency_key_reused: "the Idempotency-Key was used with another body",
  precondition_failed: "If-Match named another version of the record",
  too_many_requests: "the caller sends too many requests, or too many invalid tokens arrive from its address or altogether",
  internal_error: "the server failed; the trace identifies the failure in its log",
  tracker_request_failed: "the tracking server refused or failed",
  database_unavailable: "the database does not answer now",
  cluster_unavailable: "the cluster API does not answer now",
  machine_unavailable: "the disk of the server's machine is full or fails, or a limit of its system is reached",
  review_unavailable: "the authorisation review does not answer now"
} as const
export type RequestCode = keyof typeof requestCodes

/** codes of `status.message` of a job, and the one that its cancelled benchmarks carry */
export const jobCodes = {
  evaluation_job_created: "the job was created",
  evaluation_job_updated: "something about the job changed after its creation",
  evaluation_job_cancelled: "the benchmark had not ended when its job was cancelled"
} as const

/** codes that the server and its runtimes write about a benchmark; the waiting ones leave it pending */
export const runtimeCodes = {
  adapter_exited_without_result: "the adapter ended and never reported a result",
  adapter_failed_to_start: "the adapter's command could not be started",
  image_pull_failed: "the container image could not be pulled",
  container_config_error: "the container could not be configured",
  secret_not_found: "a named secret does not exist",
  unschedulable: "no node can take the pod yet; the benchmark stays pending",
  queue_inadmissible: "the queue does not admit the work yet; the benchmark stays pending",
  out_of_memory: "the adapter was killed because it used more memory than its limit",
  evicted: "the pod was evicted from its node",
  init_failed: "the preparation step before the adapter failed",
  test_data_not_found: "no object lies under the given test data prefix",
  deadline_exceeded: "the benchmark took longer than the configured limit",
  runtime_object_rejected: "the cluster refused an object of the benchmark",
  runtime_object_lost: "the process or pod of the benchmark disappeared",
  launch_failed: "the benchmark could not be launched",
  machine_unavailable: "the disk of the server's machine is full or fails, or a limit of its system is reached",
  benchmark_failed: "the adapter reported a failure without saying why"
} as const
export type RuntimeCode = keyof typeof runtimeCodes

/** codes with which a pending benchmark says why it does not start yet */
export const waitingCodes = ["unschedulable", "queue_inadmissible", "launch_failed"] as const satisfies ReadonlyArray<RuntimeCode>

/** failures that the project's own adapters report */
export const adapterCodes = {
  adapter_internal_error: "the adapter has a defect",
  benchmark_not_supported: "the endpoint lacks something the benchmark needs",
  invalid_parameter: "a parameter has a value the framework does not take",
  dataset_invalid: "the test data has a malformed line",
  dataset_unavailable: "the data set could not be fetched",
  gated_dataset_auth_required: "the data set needs an access token",
  model_authentication_failed: "the model endpoint refused the credentials",
  model_access_forbidden: "the model endpoint does not allow this caller",
  model_endpoint_not_found: "the model endpoint does not know the route or the model",
  model_endpoint_unreachable: "the model endpoint could not be reached",
  model_request_timeout: "the model endpoint did not answer in time",
  model_rate_limited: "the model endpoint limits the rate of requests",
  model_server_error: "the model endpoint failed",
  framework_missing: "the evaluation framework is not installed",
  framework_failed: "the evaluation framework failed",
  framework_output_unreadable: "the evaluation framework wrote no readable result",
  tokenizer_unavailable: "the tokenizer could not be loaded",
  primary_metric_missing: "the result has no value for the primary metric",
  no_samples_scored: "not a single sample could be scored",
  too_many_errors: "more samples failed than allowed",
  load_generator_saturated: "the load generator could not keep the asked rate"
} as const

/** warnings that the project's own adapters report; the benchmark still completes */
export const warningCodes = {
  artifact_export_failed: "the result files could not be pushed to the registry",
  artifact_subject_not_found: "the subject of the artifact does not exist in the registry",
  tracker_save_failed: "the result could not be saved to the tracking server"
} as const

/** sent by existing adapters when their tracker call failed after a finished evaluation (states-and-scores.md, "Never stuck") */
export const deferrableFailure = "mlflow_save_failed"
