/** Every metric of the server as data: declared by `metrics.ts`, shown in docs/reference/metrics.md. Labels are closed sets or route patterns, never a caller's text. */
export interface MetricShape {
  readonly name: string
  readonly kind: "counter" | "gauge" | "histogram"
  readonly labels: ReadonlyArray<string>
  readonly help: string
}

const metric = <const Label extends string = never>(
  kind: MetricShape["kind"],
  name: string,
  help: string,
  labels: ReadonlyArray<Label> = []
) => ({
  name,
  kind,
  labels,
  help
})

export const metricTable = {
  requestDuration: metric(
    "histogram",
    "evald_http_request_duration_seconds",
    "time from the request's head to the answer's head",
    ["method", "route", "status"]
  ),
  requestsInFlight: metric(
    "gauge",
    "evald_http_requests_in_flight",
    "requests whose answer is not finished, streams included"
  ),
  watchers: metric("gauge", "evald_watchers", "open change streams"),
  events: metric(
    "counter",
    "evald_status_events_total",
    "status events of adapters by outcome: applied, repeated, refused",
    ["outcome"]
  ),
  jobs: metric("gauge", "evald_jobs", "stored jobs of all tenants by state", ["state"]),
  benchmarks: metric("gauge", "evald_benchmarks", "benchmarks that are not finished, by state", ["state"]),
  benchmarksEnded: metric(
    "counter",
    "evald_benchmarks_ended_total",
    "benchmarks that this server brought to an end, by state",
    ["state"]
  ),
  tasks: metric("gauge", "evald_tasks", "background tasks by kind and state: waiting, leased, buried (given up)", [
    "kind",
    "state"
  ]),
  cleanupPending: metric("gauge", "evald_cleanup_pending", "clean-ups of runtime objects that are not finished"),
  taskLag: metric("gauge", "evald_task_lag_seconds", "age of the oldest task that is due and not taken, by kind", [
    "kind"
  ]),
  clusterCalls: metric(
    "counter",
    "evald_cluster_calls_total",
    "calls to the cluster's API by lane and outcome: ok, or the class of the error",
    ["lane", "outcome"]
  ),
  clusterWaiting: metric(
    "gauge",
    "evald_cluster_calls_waiting",
    "calls to the cluster's API that the limit per second holds back, by lane",
    ["lane"]
  ),
  clusterUnreadable: metric(
    "counter",
    "evald_cluster_unreadable_lines_total",
    "lines of watches that could not be read and were skipped"
  ),
  databaseUp: metric("gauge", "evald_database_up", "1 when the database answered the last look, else 0"),
  databaseConnections: metric("gauge", "evald_database_connections", "connections that database operations share"),
  databaseInFlight: metric(
    "gauge",
    "evald_database_operations_in_flight",
    "database operations under way or waiting for a connection"
  ),
  databaseOperations: metric(
    "counter",
    "evald_database_operations_total",
    "finished database operations by outcome: succeeded, failed",
    ["operation", "outcome"]
  ),
  databaseSeconds: metric(
    "counter",
    "evald_database_operation_seconds_total",
    "time spent in database operations, waiting included",
    ["operation"]
  ),
  catalogDefinitions: metric("gauge", "evald_catalog_definitions", "definitions in use by kind: provider, collection", [
    "kind"
  ]),
  catalogProblems: metric(
    "gauge",
    "evald_catalog_problems",
    "problems that the last look at the definition files found by severity: error, warning, info",
    ["severity"]
  ),
  catalogReloads: metric(
    "counter",
    "evald_catalog_reload_total",
    "changes of definition files by result: applied, refused",
    ["result"]
  ),
  catalogLoadedAt: metric(
    "gauge",
    "evald_catalog_loaded_timestamp_seconds",
    "when the definitions in use were last read without error"
  ),
  spansDropped: metric(
    "counter",
    "evald_telemetry_spans_dropped_total",
    "spans that could not be handed to the collector"
  )
} as const

/** from the process itself, by the client library */
export const processMetrics: ReadonlyArray<readonly [name: string, help: string]> = [
  ["evald_process_*", "CPU seconds, resident memory, open files, start time"],
  ["evald_nodejs_*", "event loop lag, heap, garbage collection, active handles"]
]
