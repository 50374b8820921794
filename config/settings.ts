/**
 * Every setting of the server as data: key in `config/config.yaml`, environment variable, kind, default and meaning. The typed
 * `Settings`, the loader, the problems it reports and the table of the reference all come from here. Reference: configuration.md, "Settings".
 */
import { Either, Redacted } from "effect"

/** how one setting is read from text; `Left` is the reason shown to the operator */
export interface Setting<A> {
  readonly meaning: string
  readonly variable: string | undefined
  readonly initial: A
  /** shown instead of the default in tables and messages */
  readonly secret: boolean
  readonly read: (text: string) => Either.Either<A, string>
}

interface Extra {
  readonly variable?: string
}

const make = <A>(
  initial: A,
  read: Setting<A>["read"],
  meaning: string,
  extra: Extra = {},
  secret = false
): Setting<A> => ({
  meaning,
  initial,
  read,
  secret,
  variable: extra.variable
})

const optionalText = (meaning: string, extra?: Extra) =>
  make<string | undefined>(undefined, (text) => Either.right(text), meaning, extra)
const text = (initial: string, meaning: string, extra?: Extra) =>
  make<string>(initial, (value) => Either.right(value), meaning, extra)
const secret = (meaning: string, extra?: Extra) =>
  make<Redacted.Redacted | undefined>(undefined, (value) => Either.right(Redacted.make(value)), meaning, extra, true)

const chosen = <A extends string>(choices: ReadonlyArray<A>, value: string): Either.Either<A, string> => {
  const found = choices.find((choice) => choice === value)
  return found === undefined ? Either.left(`expected one of ${choices.join(", ")}`) : Either.right(found)
}
const oneOf = <const A extends string>(
  choices: ReadonlyArray<A>,
  initial: NoInfer<A>,
  meaning: string,
  extra?: Extra
) => make<A>(initial, (value) => chosen(choices, value), meaning, extra)

const optionalOneOf = <const A extends string>(choices: ReadonlyArray<A>, meaning: string, extra?: Extra) =>
  make<A | undefined>(undefined, (value) => chosen(choices, value), meaning, extra)

const flag = (initial: boolean, meaning: string, extra?: Extra) =>
  make<boolean>(
    initial,
    (value) => {
      const low = value.trim().toLowerCase()
      if (low === "true" || low === "1" || low === "yes" || low === "on") return Either.right(true)
      if (low === "false" || low === "0" || low === "no" || low === "off") return Either.right(false)
      return Either.left("expected true or false")
    },
    meaning,
    extra
  )

const readInteger =
  (minimum: number, maximum: number) =>
  (value: string): Either.Either<number, string> => {
    const number = /^-?\d+$/.test(value.trim()) ? Number(value) : Number.NaN
    return Number.isSafeInteger(number) && number >= minimum && number <= maximum
      ? Either.right(number)
      : Either.left(`expected a whole number from ${minimum} to ${maximum}`)
  }
const integer = (initial: number, minimum: number, maximum: number, meaning: string, extra?: Extra) =>
  make<number>(initial, readInteger(minimum, maximum), meaning, extra)
const share = (initial: number, meaning: string, extra?: Extra) =>
  make<number>(
    initial,
    (value) =>
      /^(0|1|0?\.\d+|1\.0+)$/.test(value.trim())
        ? Either.right(Number(value))
        : Either.left("expected a share from 0 to 1, such as 0.05"),
    meaning,
    extra
  )
const optionalInteger = (minimum: number, maximum: number, meaning: string, extra?: Extra) =>
  make<number | undefined>(undefined, readInteger(minimum, maximum), meaning, extra)

const secondsIn: { readonly [unit: string]: number } = { "": 1, s: 1, m: 60, h: 3600 }

/** whole seconds, or a whole number with its unit; -1 is for what can be switched off that way */
const readSeconds =
  (minimum: number, maximum: number) =>
  (value: string): Either.Either<number, string> => {
    const [, count, unit = ""] = /^(-?\d+) *([smh]?)$/.exec(value.trim().toLowerCase()) ?? []
    const seconds = Number(count ?? Number.NaN) * (secondsIn[unit] ?? Number.NaN)
    return Number.isSafeInteger(seconds) && seconds >= minimum && seconds <= maximum
      ? Either.right(seconds)
      : Either.left(`expected a duration from ${minimum} to ${maximum} seconds, such as 30, 30s or 2m`)
  }
const duration = (initial: number, minimum: number, maximum: number, meaning: string, extra?: Extra) =>
  make<number>(initial, readSeconds(minimum, maximum), meaning, extra)
const optionalDuration = (minimum: number, maximum: number, meaning: string, extra?: Extra) =>
  make<number | undefined>(undefined, readSeconds(minimum, maximum), meaning, extra)

const list = (initial: ReadonlyArray<string>, meaning: string, extra?: Extra) =>
  make<ReadonlyArray<string>>(
    initial,
    (value) =>
      Either.right(
        value
          .split(",")
          .map((part) => part.trim())
          .filter((part) => part !== "")
      ),
    meaning,
    extra
  )

const day = 86_400

export const settings = {
  "service.port": integer(8080, 0, 65_535, "port of the API; 0 takes a free one", { variable: "PORT" }),
  "service.host": optionalText("address the API listens on; default all addresses, in local mode 127.0.0.1", {
    variable: "EVALD_HOST"
  }),
  "service.max_body_bytes": integer(10_485_760, 1024, 1_073_741_824, "largest request body; above it 413"),
  "service.max_head_bytes": integer(32_768, 4096, 1_048_576, "largest request head; above it 431"),
  "service.max_connections": integer(
    5000,
    16,
    1_000_000,
    "connections at once; above it 503, but for health and what adapters report"
  ),
  "service.max_streams": integer(2000, 1, 1_000_000, "watchers and followers of logs at once; above it 429"),
  "service.max_streams_per_tenant": integer(1500, 1, 1_000_000, "the same of one tenant"),
  "service.request_timeout_seconds": duration(30, 1, 3600, "a body that stalls this long gets 408"),
  "service.shutdown_grace_seconds": duration(10, 0, 3600, "time that requests in flight get at shutdown"),
  "service.tls.cert_path": optionalText(
    "PEM certificate with its chain: serve HTTPS; read again when it changes; not in local mode"
  ),
  "service.tls.key_path": optionalText("PEM key of the certificate"),
  "rate_limit.per_second": optionalInteger(
    1,
    1_000_000,
    "requests of one tenant per second; default no limit; status events are not counted"
  ),
  "rate_limit.burst": optionalInteger(
    1,
    1_000_000,
    "requests of one tenant at once after a pause; default twice rate_limit.per_second"
  ),
  "log.level": oneOf(["debug", "info", "warning", "error"], "info", "lowest level that is logged", {
    variable: "EVALD_LOG_LEVEL"
  }),
  "log.format": oneOf(["auto", "json", "text"], "auto", "auto: text on a terminal, JSON otherwise", {
    variable: "EVALD_LOG_FORMAT"
  }),
  "database.driver": oneOf(["sqlite", "pgx"], "sqlite", "sqlite, or pgx for PostgreSQL"),
  "database.url": secret("connection string; default an in-memory SQLite database", { variable: "DB_URL" }),
  "database.pool_size": integer(10, 1, 500, "connections to PostgreSQL"),
  "database.statement_timeout_seconds": duration(10, 1, 600, "longest time of one statement on PostgreSQL"),
  "tracker.tracking_uri": optionalText("tracking server; required for experiments", {
    variable: "TRACKER_TRACKING_URI"
  }),
  "tracker.http_timeout": optionalDuration(1, 600, "time limit of one tracker call in seconds"),
  "tracker.ca_cert_path": optionalText("CA bundle for TLS to the tracking server", {
    variable: "TRACKER_CA_CERT_PATH"
  }),
  "tracker.insecure_skip_verify": flag(false, "skip TLS verification of the tracking server", {
    variable: "TRACKER_INSECURE_SKIP_VERIFY"
  }),
  "tracker.token": secret("static bearer token for the tracking server"),
  "tracker.token_path": optionalText("file with the bearer token for the tracking server, read again when it changes", {
    variable: "TRACKER_TOKEN_PATH"
  }),
  "tracker.workspace": optionalText(
    "one workspace for all tenants where the tracking server has workspaces; default the tenant's name",
    {
      variable: "TRACKER_WORKSPACE"
    }
  ),
  "metrics.enabled": flag(true, "serve GET /metrics"),
  "metrics.port": optionalInteger(1, 65_535, "serve /metrics on this port as well, always plain HTTP"),
  "telemetry.enabled": flag(false, "distributed tracing over OTLP/HTTP"),
  "telemetry.endpoint": text("http://127.0.0.1:4318", "OTLP/HTTP endpoint for traces; /v1/traces is added", {
    variable: "OTEL_EXPORTER_OTLP_ENDPOINT"
  }),
  "telemetry.protocol": text(
    "http/json",
    "how traces are sent: http/json, which otlp-http also stands for, or http/protobuf; grpc and otlp-grpc are refused",
    {
      variable: "OTEL_EXPORTER_OTLP_PROTOCOL"
    }
  ),
  "telemetry.headers": secret(
    "headers for the collector, name=value pairs separated by commas, values percent-encoded",
    {
      variable: "OTEL_EXPORTER_OTLP_HEADERS"
    }
  ),
  "telemetry.timeout_ms": integer(10_000, 1, 600_000, "time limit of one call of the collector in milliseconds", {
    variable: "OTEL_EXPORTER_OTLP_TIMEOUT"
  }),
  "telemetry.sampler": text(
    "parentbased_always_on",
    "always_on, always_off, traceidratio, or one of them after parentbased_, which does as the caller did",
    {
      variable: "OTEL_TRACES_SAMPLER"
    }
  ),
  "telemetry.sampler_arg": text("1", "share of traces that traceidratio records, from 0 to 1", {
    variable: "OTEL_TRACES_SAMPLER_ARG"
  }),
  "retention.jobs_days": integer(
    0,
    0,
    36_500,
    "finished jobs that have not changed for so many days are removed with all they left; 0 keeps them"
  ),
  "auth.mode": optionalOneOf(
    ["cluster", "none", "trusted_headers"],
    "who says who the caller is: cluster, none or trusted_headers; default cluster, with -local none, which takes no other"
  ),
  "auth.cache.allow_seconds": duration(60, 0, 3600, "how long an allowed review is remembered"),
  "auth.audiences": list(
    [],
    "a caller's token must be meant for one of these audiences; default that of the API server"
  ),
  "auth.callbacks.pod_binding": oneOf(
    ["when_present", "required", "off"],
    "when_present",
    "an event must come from the pod of its benchmark: when the token names its pod, always, or not looked at"
  ),
  "auth.trusted_proxies": list(
    [],
    "addresses of proxies whose X-User is believed when the server listens beyond loopback, and whose X-Forwarded-For says where a caller is"
  ),
  "auth.refused_tokens.per_source": integer(
    20,
    1,
    1_000_000,
    "invalid tokens of one source that are reviewed within a minute; unknown ones beyond it get 429"
  ),
  "auth.refused_tokens.total": integer(
    1000,
    10,
    1_000_000,
    "the same of all sources together; half of it is kept for sources that sent none or few"
  ),
  domain: text("evald.internal", "prefix of labels and annotations; the tenant label is <domain>/tenant"),
  "api_groups.service": text("evald.internal", "API group of the virtual access-control resources"),
  "api_groups.platform": text("infrastructure.opendatahub.io", "API group of HardwareProfile"),
  "api_groups.tracker": text("mlflow.kubeflow.org", "API group of the tracker's resource `experiments`"),
  platform_domain: text("opendatahub.io", "prefix of the annotation that disables a hardware profile"),
  "queue.domain": text("kueue.x-k8s.io", "prefix of the queue labels"),
  "hardware_profiles.namespace": optionalText("namespace of hardware profiles", {
    variable: "SERVICE_HARDWARE_PROFILES_NAMESPACE"
  }),
  "runtime.k8s.client.qps": integer(50, 1, 10_000, "calls to the cluster API per second"),
  "runtime.k8s.client.burst": integer(100, 1, 10_000, "calls to the cluster API at once after a pause"),
  "runtime.k8s.instance_name": text(
    "evald",
    "name of this installation; with its namespace it marks every object it makes"
  ),
  "runtime.k8s.namespace": optionalText(
    "namespace of this installation; default that of the service account or of the kubeconfig's context"
  ),
  "runtime.k8s.name_prefix": text(
    "evald",
    "first part of the names of Jobs: 2 to 10 of a-z, 0-9 and -, beginning with a letter"
  ),
  "runtime.k8s.image": optionalText(
    "image of this server for the sidecar and the init container; required in a cluster"
  ),
  "runtime.k8s.callback_url": optionalText("address of this server as pods reach it; required in a cluster"),
  "runtime.k8s.service_ca": optionalText(
    "ConfigMap with the CA bundle of this server, key service-ca.crt; default <name>.<namespace>.service-ca"
  ),
  "runtime.k8s.tracker_ca": optionalText(
    "ConfigMap with the CA bundle of the tracker, key ca-bundle.crt; default <name>.<namespace>.tracker-ca"
  ),
  "runtime.k8s.proxy_secret": optionalText(
    "Secret in tenant namespaces for the proxies of pods: keys credentials (user:password) and ca.crt; the server's own credentials stay with it"
  ),
  "runtime.k8s.ttl_seconds_after_finished": duration(
    3600,
    -1,
    604_800,
    "time until a finished Job is removed; -1 keeps it"
  ),
  "runtime.k8s.deadline_slack_seconds": duration(
    1800,
    0,
    day,
    "added to the deadlines of Jobs and pods for image pull and test data"
  ),
  "runtime.k8s.termination_grace_seconds": duration(120, 1, 3600, "time that a pod gets to end"),
  "runtime.k8s.on_disruption": oneOf(
    ["fail", "restart"],
    "fail",
    "an evicted pod fails its benchmark, or is replaced and evaluates from the start"
  ),
  "runtime.k8s.image_pull_secrets": list([], "secrets for pulling images in tenant namespaces"),
  "runtime.k8s.pod.run_as_user": optionalInteger(
    1,
    2_147_483_647,
    "user id of pods; default that of the image or platform"
  ),
  "runtime.k8s.pod.run_as_group": optionalInteger(1, 2_147_483_647, "group id of pods"),
  "runtime.k8s.pod.fs_group": optionalInteger(1, 2_147_483_647, "group id of the volumes of pods"),
  "runtime.k8s.sidecar_mode": oneOf(
    ["auto", "native", "plain"],
    "auto",
    "auto: a native sidecar where the cluster is 1.29 or later"
  ),
  "runtime.k8s.sidecar.health_port": integer(18_081, 1024, 65_535, "port of the sidecar's probes and metrics"),
  "runtime.k8s.sidecar.cpu_request": text("100m", "CPU request of the sidecar"),
  "runtime.k8s.sidecar.memory_request": text("128Mi", "memory request of the sidecar"),
  "runtime.k8s.sidecar.cpu_limit": text("1", "CPU limit of the sidecar"),
  "runtime.k8s.sidecar.memory_limit": text("256Mi", "memory limit of the sidecar"),
  "runtime.k8s.init.cpu_request": text("100m", "CPU request of the init container"),
  "runtime.k8s.init.memory_request": text("128Mi", "memory request of the init container"),
  "runtime.k8s.init.cpu_limit": text("1", "CPU limit of the init container"),
  "runtime.k8s.init.memory_limit": text("512Mi", "memory limit of the init container"),
  "runtime.k8s.adapter.read_only_root_filesystem": oneOf(
    ["auto", "true", "false"],
    "auto",
    "auto: read-only for adapters that run in runtime.k8s.image"
  ),
  "runtime.k8s.volumes.data_size": text("20Gi", "size limit of the working volume"),
  "runtime.k8s.volumes.test_data_size": text("12Gi", "size limit of the test data volume"),
  "runtime.k8s.tokens.callback_audience": optionalText(
    "audience of the token for status events; default the API server's"
  ),
  "runtime.k8s.tokens.model_audience": optionalText("audience of the token for models; default the API server's"),
  "runtime.k8s.tokens.tracker_audience": optionalText(
    "audience of the token for the tracker; default the API server's"
  ),
  "runtime.k8s.launch_concurrency": integer(16, 1, 1000, "launches at once"),
  "runtime.k8s.linger_seconds": duration(300, 0, day, "time that a pod may go on after its terminal event"),
  "runtime.k8s.sweep": oneOf(
    ["delete", "report", "off"],
    "delete",
    "what happens to Jobs of this installation that no benchmark answers for"
  ),
  "runtime.k8s.watch_scope": oneOf(
    ["namespaces", "cluster"],
    "namespaces",
    "one watch per namespace in use, or one for all, which needs cluster-wide rights"
  ),
  "runtime.k8s.resync_seconds": duration(600, 10, day, "time between two full lists of Jobs and pods"),
  "runtime.k8s.cluster_domain": text(
    "cluster.local",
    "DNS domain of the cluster: hosts that end in .svc or .svc.<domain> count as in_cluster"
  ),
  "runtime.k8s.sidecar.metrics": flag(false, "the sidecar serves /metrics on its health port"),
  "grace.secret_seconds": duration(30, 0, 3600, "wait for a named secret that does not exist yet"),
  "grace.lost_seconds": duration(10, 0, 3600, "a Job or pod that is gone fails its benchmark after this time"),
  "grace.evicted_seconds": duration(10, 0, 3600, "an evicted pod fails its benchmark after this time"),
  "grace.dead_node_seconds": duration(60, 0, 3600, "the same for a pod whose node does not answer"),
  "grace.exit_seconds": duration(10, 1, 3600, "wait for a late terminal event after the adapter ended"),
  "grace.start_seconds": duration(10, 0, 3600, "a command that can not be started fails its benchmark after this time"),
  "grace.image_name_seconds": duration(
    10,
    0,
    3600,
    "an image name that can not be used fails the benchmark after this time"
  ),
  "grace.image_pull_seconds": duration(
    300,
    0,
    day,
    "an image that can not be pulled fails the benchmark after this time"
  ),
  "grace.container_config_seconds": duration(
    60,
    0,
    3600,
    "a container that can not be created fails the benchmark after this time"
  ),
  "grace.creating_seconds": duration(
    60,
    0,
    3600,
    "a container that is still being created is asked about after this time"
  ),
  "grace.mount_seconds": duration(
    120,
    0,
    3600,
    "a secret that can not be mounted fails the benchmark after this further time"
  ),
  "grace.sidecar_seconds": duration(60, 0, 3600, "a sidecar that does not start fails the benchmark after this time"),
  "grace.suspended_seconds": duration(
    30,
    0,
    3600,
    "a Job that its queue holds back is shown as waiting after this time"
  ),
  "grace.no_pod_seconds": duration(
    30,
    0,
    3600,
    "a Job without a pod is shown as waiting, or fails when the cluster refuses the pod, after this time"
  ),
  "grace.service_account_seconds": duration(
    120,
    0,
    3600,
    "a missing service account fails the benchmark after this time"
  ),
  "grace.unschedulable_seconds": duration(30, 0, 3600, "a pod without a node is shown as waiting after this time"),
  "security.secret_label_required": flag(
    false,
    "secrets named by jobs must carry the label <domain>/usable-by: evaluations"
  ),
  "model.sa_token_injection": oneOf(
    ["always", "in_cluster", "never"],
    "always",
    "to which models the service-account token is sent when no key applies"
  ),
  "model.sa_token_hosts": list([], "further hosts that count as in_cluster"),
  "model.ref_headers": list([], "further headers in which <key>:ref is replaced"),
  "egress.deny_cidrs": list(
    [],
    "address ranges that models, registries and storage must not lie in, besides the built-in ones"
  ),
  "egress.allow_cidrs": list([], "address ranges that are allowed although a rule denies them"),
  "egress.allow_hosts": list([], "when given, only these hosts may be reached"),
  "egress.trust_proxy": flag(
    false,
    "names that a proxy resolves may be asked, although the outbound policy can not judge their addresses"
  ),
  "egress.proxied_hosts": list(
    [],
    "hosts, written as in NO_PROXY, that are asked through a proxy although they are loopback, this server or the cluster's API"
  ),
  "egress.proxy_ca_path": optionalText("CA bundle for TLS to a proxy, beside the system's roots"),
  "egress.require_tls_for_credentials": flag(
    false,
    "refuse to send credentials over plain http to hosts outside the cluster"
  ),
  "secrets.dir": optionalText("directory of mounted secret files; see secrets.mappings", {
    variable: "EVALD_SECRETS_DIR"
  }),
  "timeouts.benchmark_seconds": duration(0, 0, 30 * day, "deadline of a running benchmark; 0 is off"),
  "timeouts.pending_seconds": optionalDuration(
    0,
    30 * day,
    "time until the first event after the start; 0 is off; default off in a cluster, 600 locally"
  ),
  "samples.write": flag(true, "adapters write per-sample records"),
  "samples.include_text": flag(true, "sample records hold prompts and answers"),
  "samples.upload": flag(true, "adapters send their sample records to the server while they run"),
  "samples.max_per_job": integer(
    1_000_000,
    1,
    100_000_000,
    "samples that the server keeps of one job; a call beyond it is refused"
  ),
  "samples.content": oneOf(
    ["full", "hash"],
    "full",
    "hash: the server keeps no prompts and no answers of samples, only their hashes, verdicts and figures"
  ),
  "samples.retention_days": integer(
    0,
    0,
    36_500,
    "samples of a benchmark that got none for so many days are removed; 0 keeps them as long as their job"
  ),
  "validity.empty_responses": share(0.01, "share of questions with an empty answer beyond which a result is invalid"),
  "validity.truncated": share(0.05, "share of answers cut off at the limit of tokens beyond which a result is invalid"),
  "validity.content_filtered": share(
    0.05,
    "share of questions stopped by a filter of the endpoint beyond which a result is invalid"
  ),
  "validity.error_share": share(
    0.05,
    "share of answers that are errors with status 200 beyond which a result is invalid"
  ),
  "validity.response_echoes_prompt": share(
    0.2,
    "share of answers that repeat the whole question beyond which a result is invalid"
  ),
  "validity.identical_responses": share(
    0.2,
    "share of different questions with the same whole answer beyond which a result is invalid"
  ),
  "validity.constant_answer": share(
    0.95,
    "share of closed questions with the same choice beyond which a result is suspect"
  ),
  "validity.usage_impossible": share(
    0.01,
    "share of answers with an impossible number of tokens beyond which a measurement is invalid"
  ),
  "validity.cache_suspected": share(0.05, "share of answers that look replayed beyond which a result is suspect"),
  "validity.nondeterministic": share(0.02, "share of repeats at temperature 0 with another answer that is remarked on"),
  "validity.judge_unparsed": share(0.02, "share of unreadable replies of the judge beyond which a result is suspect"),
  "validity.few_items": integer(30, 0, 1_000_000, "fewer scored items are remarked on"),
  "test_data.max_bytes": integer(10_737_418_240, 1, 1_099_511_627_776, "largest test data of one benchmark"),
  "test_data.timeout_seconds": duration(600, 1, day, "time limit for fetching the test data of one benchmark"),
  "oci.artifact_type": optionalText("artifact type of exported results; default application/vnd.eval-hub.github.io"),
  "oci.annotation_prefix": optionalText("prefix of our annotations on exported results; default io.github.eval-hub"),
  "oci.insecure": flag(false, "push to registries over plain http; loopback registries always are"),
  "catalog.shipped": flag(
    true,
    "the definitions that came with the program are there; files of the configuration directory with the same id replace them"
  ),
  "catalog.on_error": oneOf(
    ["refuse", "skip"],
    "refuse",
    "refuse: a bad definition file stops the start; skip: it is left out and shown in readiness"
  ),
  "local.token": secret("bearer token required in local mode; allows another bind address than loopback", {
    variable: "EVALD_LOCAL_TOKEN"
  }),
  "local.workers": integer(5, 1, 5, "benchmarks running at once in local mode"),
  "local.nice": integer(
    10,
    0,
    19,
    "how far below the server's the priority of local benchmarks is (`nice`), so that they do not hold up its answers"
  ),
  "local.base_dir": optionalText(
    "where local units keep their files; default evald-<uid> below the temporary directory"
  ),
  "local.secrets_dir": optionalText(
    "local secrets, <dir>/<secret_ref>/<key>; default secrets/ below the config directory"
  ),
  "local.test_data_dir": optionalText(
    "local test data: a folder <dir>/<bucket> is used in place of the S3 bucket of that name, without its secret"
  ),
  "local.retain_seconds": duration(7 * day, 0, 3650 * day, "how long files of a finished local benchmark are kept"),
  "local.linger_seconds": duration(
    30,
    0,
    day,
    "time that the process of a local benchmark may go on after its terminal event"
  ),
  "local.log_max_bytes": integer(67_108_864, 65_536, 1_099_511_627_776, "size limit of one captured log"),
  "local.env_allow": list([], "further environment variables (NAME or PREFIX_*) that local adapters may see"),
  "local.require_callback_secret": flag(false, "refuse events on the plain path in local mode"),
  "local.model_proxy": oneOf(
    ["always", "auto"],
    "always",
    "auto: model traffic goes through the gateway only when model.auth is given, and nobody looks at the rest"
  ),
  "local.adopt": flag(
    false,
    "running local benchmarks go on when the server ends and are taken over by the next one; needs a database file and the same port"
  ),
  "local.process_namespace": oneOf(
    ["auto", "off"],
    "auto",
    "auto: each local benchmark has a process namespace where the system grants one, so that nothing it starts outlives it"
  ),
  "local.limits.processes": optionalInteger(1, 1_000_000, "ulimit for local benchmarks: processes"),
  "local.limits.open_files": optionalInteger(16, 1_000_000, "ulimit for local benchmarks: open files"),
  "local.limits.file_size_bytes": optionalInteger(
    1024,
    1_099_511_627_776,
    "ulimit for local benchmarks: size of one file"
  ),
  "local.limits.address_space_bytes": optionalInteger(
    1_048_576,
    1_099_511_627_776,
    "ulimit for local benchmarks: address space"
  ),
  "compat.vendor_aliases": flag(true, "also emit mlflow_run_id, mlflow_experiment_id and mlflow_experiment_url"),
  "compat.adapter_env": flag(true, "also set the EVALHUB_* and MLFLOW_* names of adapter variables"),
  "compat.legacy_job_keys": flag(false, "also write job_id and benchmark_config into job.json"),
  "compat.lenient_unknown_fields": flag(false, "ignore unknown members everywhere, with a Warning header"),
  "compat.defer_tracker_failure": flag(true, "hold a reported tracker failure until the adapter's next event or exit")
} as const satisfies { readonly [key: string]: Setting<unknown> }

export type SettingKey = keyof typeof settings

/** map settings: everything below these keys, with free names */
export const settingMaps = {
  "secrets.mappings": "file name below secrets.dir -> setting it fills",
  "providers.images": "provider id -> container image that replaces the one in its file",
  frameworks: "provider id -> {command}: executable or virtual environment of a local framework"
} as const

export type Settings = { readonly [K in SettingKey]: (typeof settings)[K] extends Setting<infer A> ? A : never } & {
  readonly "providers.images": { readonly [providerId: string]: string }
  readonly frameworks: { readonly [providerId: string]: { readonly command: string } }
}
