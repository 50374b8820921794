// biome-ignore-all format: generated from interfaces/http/api.ts by `npm run docs`
/** Every operation as the client needs it: method, path, query parameters, media type of the body, codes of refusals, successes that are not 2xx. */
import type { EndpointName } from "../http/api.ts"

type Row = readonly [method: string, path: string, query: string, mediaType: string, codes: string, successes: ReadonlyArray<number>]

const anywhere = "not_acceptable expectation_failed request_head_too_large internal_error"
const guarded = "missing_tenant_header invalid_value query_bad_parameter not_acceptable expectation_failed request_head_too_large internal_error unauthorized forbidden too_many_requests database_unavailable review_unavailable too_many_connections"

export const operations: { readonly [Name in EndpointName]: Row } = {
  submitJob: ["POST", "/api/v1/evaluations/jobs", "dry_run plan_token", "application/json", `${guarded} invalid_json_request evaluation_job_empty policy_invalid early_stop_unsupported collection_empty model_url_required resource_does_not_exist tracker_required_for_experiment hardware_profile_not_found hardware_profile_disabled hardware_profile_invalid local_runtime_unavailable benchmark_not_supported idempotency_key_invalid query_parameter_invalid tenant_limit_reached cluster_unavailable request_body_too_large unsupported_media_type request_timeout resource_not_found idempotency_key_reused plan_token_invalid tracker_request_failed`, []],
  listJobs: ["GET", "/api/v1/evaluations/jobs", "limit offset cursor fields status name tags created_after created_before model provider_id collection_id experiment_id owner rerun_of watch", "", `${guarded} query_parameter_invalid query_parameter_value_invalid too_many_streams`, [304]],
  getJob: ["GET", "/api/v1/evaluations/jobs/:id", "", "", `${guarded} resource_not_found`, [304]],
  cancelJob: ["DELETE", "/api/v1/evaluations/jobs/:id", "hard_delete", "", `${guarded} query_parameter_invalid resource_not_found job_can_not_be_updated precondition_failed`, []],
  rerunJob: ["POST", "/api/v1/evaluations/jobs/:id/rerun", "", "application/json", `${guarded} invalid_json_request evaluation_job_empty policy_invalid early_stop_unsupported collection_empty model_url_required resource_does_not_exist tracker_required_for_experiment hardware_profile_not_found hardware_profile_disabled hardware_profile_invalid local_runtime_unavailable benchmark_not_supported idempotency_key_invalid tenant_limit_reached cluster_unavailable request_body_too_large unsupported_media_type request_timeout resource_not_found idempotency_key_reused job_has_not_ended tracker_request_failed`, []],
  recordEvent: ["POST", "/api/v1/evaluations/jobs/:id/events", "", "application/json", `${guarded} invalid_json_request request_body_too_large unsupported_media_type request_timeout resource_not_found job_can_not_be_updated benchmark_can_not_be_updated`, []],
  watchJob: ["GET", "/api/v1/evaluations/jobs/:id/watch", "", "", `${guarded} too_many_streams resource_not_found`, []],
  getJobLogs: ["GET", "/api/v1/evaluations/jobs/:id/logs", "tail_lines since_seconds contains timestamps follow", "", `${guarded} query_parameter_invalid too_many_streams cluster_unavailable machine_unavailable resource_not_found`, []],
  getBenchmarkLogs: ["GET", "/api/v1/evaluations/jobs/:id/benchmarks/:index/logs", "tail_lines since_seconds contains timestamps follow", "", `${guarded} query_parameter_invalid too_many_streams cluster_unavailable machine_unavailable resource_not_found`, []],
  explainJob: ["GET", "/api/v1/evaluations/jobs/:id/explain", "", "", `${guarded} resource_not_found`, []],
  getJobPlan: ["GET", "/api/v1/evaluations/jobs/:id/plan", "", "", `${guarded} resource_not_found`, [304]],
  uploadSamples: ["POST", "/api/v1/evaluations/jobs/:id/benchmarks/:index/samples", "", "application/x-ndjson", `${guarded} invalid_json_request request_body_too_large unsupported_media_type request_timeout resource_not_found sample_conflict benchmark_can_not_be_updated`, []],
  listJobSamples: ["GET", "/api/v1/evaluations/jobs/:id/samples", "limit cursor sort verdict flag finish_reason content q", "", `${guarded} query_parameter_invalid query_parameter_value_invalid resource_not_found`, []],
  listBenchmarkSamples: ["GET", "/api/v1/evaluations/jobs/:id/benchmarks/:index/samples", "limit cursor sort verdict flag finish_reason content q digest", "", `${guarded} query_parameter_invalid query_parameter_value_invalid resource_not_found`, []],
  getSample: ["GET", "/api/v1/evaluations/jobs/:id/benchmarks/:index/samples/:sample_id", "task repeat", "", `${guarded} query_parameter_invalid resource_not_found`, []],
  createComparison: ["POST", "/api/v1/evaluations/comparisons", "", "application/json", `${guarded} invalid_json_request resource_does_not_exist request_body_too_large unsupported_media_type request_timeout`, []],
  getComparison: ["GET", "/api/v1/evaluations/comparisons/:id", "", "", `${guarded} resource_not_found`, [304]],
  listJobComparisons: ["GET", "/api/v1/evaluations/jobs/:id/comparisons", "limit offset", "", `${guarded} query_parameter_invalid resource_not_found`, [304]],
  createGate: ["POST", "/api/v1/evaluations/jobs/:id/gates", "", "application/json", `${guarded} invalid_json_request resource_does_not_exist policy_invalid request_body_too_large unsupported_media_type request_timeout resource_not_found`, []],
  getGate: ["GET", "/api/v1/evaluations/jobs/:id/gates/:gate_id", "", "", `${guarded} resource_not_found`, [304]],
  listJobGates: ["GET", "/api/v1/evaluations/jobs/:id/gates", "limit offset", "", `${guarded} query_parameter_invalid resource_not_found`, [304]],
  getUsage: ["GET", "/api/v1/evaluations/usage", "from to model", "", `${guarded} query_parameter_invalid`, []],
  getAttestation: ["GET", "/api/v1/evaluations/jobs/:id/attestation", "", "", `${guarded} resource_not_found signature_unavailable`, []],
  discloseSample: ["GET", "/api/v1/evaluations/jobs/:id/benchmarks/:index/samples/:sample_id/attestation", "task repeat", "", `${guarded} query_parameter_invalid resource_not_found signature_unavailable`, []],
  listJobNotifications: ["GET", "/api/v1/evaluations/jobs/:id/notifications", "", "", `${guarded} resource_not_found`, []],
  testNotification: ["POST", "/api/v1/evaluations/notifications/test", "", "application/json", `${guarded} invalid_json_request request_body_too_large unsupported_media_type request_timeout`, []],
  listProviders: ["GET", "/api/v1/evaluations/providers", "limit offset cursor fields benchmarks name tags scope", "", `${guarded} query_parameter_invalid query_parameter_value_invalid`, [304]],
  createProvider: ["POST", "/api/v1/evaluations/providers", "", "application/json", `${guarded} invalid_json_request idempotency_key_invalid request_body_too_large unsupported_media_type request_timeout idempotency_key_reused`, []],
  getProvider: ["GET", "/api/v1/evaluations/providers/:id", "", "", `${guarded} resource_not_found`, [304]],
  replaceProvider: ["PUT", "/api/v1/evaluations/providers/:id", "", "application/json", `${guarded} invalid_json_request read_only_provider request_body_too_large unsupported_media_type request_timeout resource_not_found precondition_failed`, []],
  patchProvider: ["PATCH", "/api/v1/evaluations/providers/:id", "", "application/json", `${guarded} invalid_json_request read_only_provider invalid_patch_operation unallowed_patch request_body_too_large unsupported_media_type request_timeout resource_not_found precondition_failed`, []],
  removeProvider: ["DELETE", "/api/v1/evaluations/providers/:id", "", "", `${guarded} read_only_provider resource_not_found precondition_failed resource_in_use`, []],
  listBenchmarks: ["GET", "/api/v1/evaluations/benchmarks", "limit offset q provider_id category tags evaluates scope facets", "", `${guarded} query_parameter_invalid query_parameter_value_invalid`, [304]],
  listCollections: ["GET", "/api/v1/evaluations/collections", "limit offset cursor fields name category tags scope", "", `${guarded} query_parameter_invalid query_parameter_value_invalid`, [304]],
  createCollection: ["POST", "/api/v1/evaluations/collections", "", "application/json", `${guarded} invalid_json_request resource_does_not_exist idempotency_key_invalid request_body_too_large unsupported_media_type request_timeout idempotency_key_reused`, []],
  getCollection: ["GET", "/api/v1/evaluations/collections/:id", "", "", `${guarded} resource_not_found`, [304]],
  replaceCollection: ["PUT", "/api/v1/evaluations/collections/:id", "", "application/json", `${guarded} invalid_json_request resource_does_not_exist read_only_collection request_body_too_large unsupported_media_type request_timeout resource_not_found precondition_failed`, []],
  patchCollection: ["PATCH", "/api/v1/evaluations/collections/:id", "", "application/json", `${guarded} invalid_json_request resource_does_not_exist read_only_collection invalid_patch_operation unallowed_patch request_body_too_large unsupported_media_type request_timeout resource_not_found precondition_failed`, []],
  removeCollection: ["DELETE", "/api/v1/evaluations/collections/:id", "", "", `${guarded} read_only_collection resource_not_found precondition_failed`, []],
  cloneCollection: ["POST", "/api/v1/evaluations/collections/:id/clones", "", "application/json", `${guarded} invalid_json_request resource_does_not_exist idempotency_key_invalid request_body_too_large unsupported_media_type request_timeout idempotency_key_reused resource_not_found`, []],
  getCollectionFacets: ["GET", "/api/v1/evaluations/collections/facets", "name category tags scope", "", `${guarded} query_parameter_invalid query_parameter_value_invalid`, [304]],
  getInfo: ["GET", "/api/v1/info", "", "", guarded, []],
  health: ["GET", "/api/v1/health", "", "", anywhere, []],
  healthAlias: ["GET", "/health", "", "", anywhere, []],
  ready: ["GET", "/api/v1/health/ready", "", "", `${anywhere} query_bad_parameter`, [503]],
  openapi: ["GET", "/openapi.yaml", "", "", `${anywhere} query_bad_parameter`, [304]],
  docs: ["GET", "/docs", "", "", `${anywhere} query_bad_parameter`, [304]],
  metrics: ["GET", "/metrics", "", "", `${anywhere} query_bad_parameter route_not_found forbidden`, []]
}
