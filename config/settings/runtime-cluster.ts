/** Benchmarks in a cluster: its client, their Jobs and pods. */
import {
  day,
  duration,
  flag,
  integer,
  list,
  oneOf,
  optionalInteger,
  optionalRegistry,
  optionalText,
  text
} from "./kinds.ts"

export const runtime = {
  "runtime.k8s.client.qps": integer(50, 1, 10_000, "calls to the cluster API per second"),
  "runtime.k8s.client.burst": integer(100, 1, 10_000, "calls to the cluster API at once after a pause"),
  "runtime.k8s.instance_name": text(
    "evald",
    "name of this installation; with its namespace it marks every object it makes"
  ),
  "runtime.k8s.namespace": optionalText(
    "namespace of this installation; default that of the service account or of the kubeconfig's context"
  ),
  "runtime.k8s.pod_uid": optionalText(
    "uid of the pod that the server runs in; a container that restarts there takes over its own roles at once",
    { variable: "EVALD_POD_UID" }
  ),
  "runtime.k8s.name_prefix": text(
    "evald",
    "first part of the names of Jobs: 2 to 10 of a-z, 0-9 and -, beginning with a letter"
  ),
  "runtime.k8s.image": optionalText(
    "image of this server for the sidecar and the init container; required in a cluster"
  ),
  "images.registry": optionalRegistry(
    "registry that pods pull every image from, each under the name that it has in its own; default the registries of the references"
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
  "runtime.k8s.sidecar.metrics": flag(false, "the sidecar serves /metrics on its health port")
} as const
