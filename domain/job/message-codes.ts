/**
 * Every message code of a job or benchmark that the service itself writes, with the sentence that documents it: one catalogue for the error
 * reference, the tests that each code is produced, and the builders. Codes of other adapters are kept as they were sent.
 * Reference: errors.md, "Runtime codes"; states-and-scores.md, "Never stuck".
 */

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
  budget_exhausted: "the benchmark or its job used up what it may use of the model",
  deadline_exceeded: "the benchmark took longer than the configured limit",
  runtime_object_rejected: "the cluster refused an object of the benchmark",
  runtime_object_lost: "the process or pod of the benchmark disappeared",
  launch_failed: "the benchmark could not be launched",
  machine_unavailable: "the disk of the server's machine is full or fails, or a limit of its system is reached",
  benchmark_failed: "the adapter reported a failure without saying why"
} as const
export type RuntimeCode = keyof typeof runtimeCodes

/** codes with which a pending benchmark says why it does not start yet */
export const waitingCodes = [
  "unschedulable",
  "queue_inadmissible",
  "launch_failed"
] as const satisfies ReadonlyArray<RuntimeCode>

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
  model_content_filtered: "a filter of the model endpoint stopped the request or its answer",
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
