/** The settings of the cluster runtime as it takes them. docs/reference/configuration.md, "Settings". */

import { Either } from "effect"
import type { Settings } from "../../../config/settings.ts"
import { isDnsLabel } from "../../../domain/dns-name.ts"
import { type Cidr, type EgressPolicy, parseCidr } from "../../../domain/egress.ts"
import { inRegistry } from "../../../domain/image-reference.ts"
import type { ClusterOptions, PodProxy } from "../../../infrastructure/kubernetes/cluster-options.ts"
import type { Graces } from "../../../infrastructure/kubernetes/observe/judge/graces.ts"
import { defined } from "../../../values/defined.ts"

const positive = (seconds: number | undefined): number | undefined =>
  seconds !== undefined && seconds > 0 ? seconds : undefined

const cidrs = (texts: ReadonlyArray<string>): ReadonlyArray<Either.Either<Cidr, string>> => texts.map(parseCidr)

/** what a job may name as its model's address; `apiServer`: nobody's model */
export const egressPolicy = (settings: Settings, apiServer: string | undefined): EgressPolicy => {
  const host =
    apiServer === undefined || !URL.canParse(apiServer) ? [] : [new URL(apiServer).hostname.replace(/^\[(.*)\]$/, "$1")]
  return {
    denied: [...cidrs(settings["egress.deny_cidrs"]), ...cidrs(host)].flatMap((one) =>
      Either.isRight(one) ? [one.right] : []
    ),
    allowed: cidrs(settings["egress.allow_cidrs"]).flatMap((one) => (Either.isRight(one) ? [one.right] : [])),
    hosts: settings["egress.allow_hosts"].map((name) => name.toLowerCase()),
    trustProxy: settings["egress.trust_proxy"]
  }
}

export const clusterGraces = (settings: Settings): Graces => ({
  lost: settings["grace.lost_seconds"],
  evicted: settings["grace.evicted_seconds"],
  deadNode: settings["grace.dead_node_seconds"],
  exit: settings["grace.exit_seconds"],
  start: settings["grace.start_seconds"],
  imageName: settings["grace.image_name_seconds"],
  imagePull: settings["grace.image_pull_seconds"],
  containerConfig: settings["grace.container_config_seconds"],
  creating: settings["grace.creating_seconds"],
  mount: settings["grace.mount_seconds"],
  sidecar: settings["grace.sidecar_seconds"],
  suspended: settings["grace.suspended_seconds"],
  noPod: settings["grace.no_pod_seconds"],
  serviceAccount: settings["grace.service_account_seconds"],
  unschedulable: settings["grace.unschedulable_seconds"]
})

/** what is missing or wrong before any benchmark can run in a cluster, one line each */
export const clusterProblems = (settings: Settings, namespace: string | undefined): ReadonlyArray<string> => {
  const prefix = settings["runtime.k8s.name_prefix"]
  return [
    ...(settings["runtime.k8s.image"] === undefined
      ? ["runtime.k8s.image: is required in a cluster: the image of this server"]
      : []),
    ...(settings["runtime.k8s.callback_url"] === undefined
      ? ["runtime.k8s.callback_url: is required in a cluster: the address of this server for pods"]
      : []),
    ...(namespace === undefined
      ? ["runtime.k8s.namespace: is required when neither a service account nor the kubeconfig names one"]
      : []),
    ...(isDnsLabel(prefix) && /^[a-z].{1,9}$/.test(prefix)
      ? []
      : [
          "runtime.k8s.name_prefix: expected 2 to 10 of a-z, 0-9 and '-', beginning with a letter and not ending with '-'"
        ]),
    ...(["egress.deny_cidrs", "egress.allow_cidrs"] as const).flatMap((key) =>
      cidrs(settings[key]).flatMap((one) => (Either.isLeft(one) ? [`${key}: ${one.left}`] : []))
    )
  ]
}

const containerOptions = (settings: Settings) => ({
  sidecarResources: {
    cpuRequest: settings["runtime.k8s.sidecar.cpu_request"],
    memoryRequest: settings["runtime.k8s.sidecar.memory_request"],
    cpuLimit: settings["runtime.k8s.sidecar.cpu_limit"],
    memoryLimit: settings["runtime.k8s.sidecar.memory_limit"]
  },
  initResources: {
    cpuRequest: settings["runtime.k8s.init.cpu_request"],
    memoryRequest: settings["runtime.k8s.init.memory_request"],
    cpuLimit: settings["runtime.k8s.init.cpu_limit"],
    memoryLimit: settings["runtime.k8s.init.memory_limit"]
  },
  healthPort: settings["runtime.k8s.sidecar.health_port"],
  sidecarMetrics: settings["runtime.k8s.sidecar.metrics"],
  adapterReadOnlyRoot: settings["runtime.k8s.adapter.read_only_root_filesystem"],
  adapterEnv: settings["compat.adapter_env"],
  logLevel: settings["log.level"]
})

const podOptions = (settings: Settings) => ({
  imagePullSecrets: settings["runtime.k8s.image_pull_secrets"],
  pod: {
    ...defined({ runAsUser: settings["runtime.k8s.pod.run_as_user"] }),
    ...defined({ runAsGroup: settings["runtime.k8s.pod.run_as_group"] }),
    ...defined({ fsGroup: settings["runtime.k8s.pod.fs_group"] })
  },
  volumes: {
    dataSize: settings["runtime.k8s.volumes.data_size"],
    testDataSize: settings["runtime.k8s.volumes.test_data_size"]
  },
  tokens: {
    ...defined({ callback: settings["runtime.k8s.tokens.callback_audience"] }),
    ...defined({ model: settings["runtime.k8s.tokens.model_audience"] }),
    ...defined({ tracker: settings["runtime.k8s.tokens.tracker_audience"] })
  },
  terminationGraceSeconds: settings["runtime.k8s.termination_grace_seconds"],
  onDisruption: settings["runtime.k8s.on_disruption"]
})

/** what the gateway in the pod may reach, and as whom */
const gatewayOptions = (settings: Settings) => ({
  clusterDomain: settings["runtime.k8s.cluster_domain"],
  ...defined({
    tracker:
      settings["tracker.tracking_uri"] === undefined
        ? undefined
        : { url: settings["tracker.tracking_uri"], unverified: settings["tracker.insecure_skip_verify"] }
  }),
  model: {
    tokenInjection: settings["model.sa_token_injection"],
    tokenHosts: settings["model.sa_token_hosts"],
    refHeaders: settings["model.ref_headers"],
    ...defined({ prefix: settings["sidecar.model_prefix"] })
  },
  egress: {
    denyCidrs: settings["egress.deny_cidrs"],
    allowCidrs: settings["egress.allow_cidrs"],
    allowHosts: settings["egress.allow_hosts"],
    requireTlsForCredentials: settings["egress.require_tls_for_credentials"],
    trustProxy: settings["egress.trust_proxy"]
  },
  registryPlainHttp: settings["oci.insecure"],
  artifactNames: {
    ...defined({ artifactType: settings["oci.artifact_type"] }),
    ...defined({ annotationPrefix: settings["oci.annotation_prefix"] })
  },
  spool: { maxFiles: 10_000, maxBytes: 67_108_864 },
  testData: {
    maxBytes: settings["test_data.max_bytes"],
    maxObjects: 100_000,
    parallel: 4,
    timeoutSeconds: settings["test_data.timeout_seconds"]
  }
})

const requestLogOptions = (settings: Settings): Pick<ClusterOptions, "requestLog"> => {
  const claim = settings["request_log.volume_claim"]
  return claim === undefined
    ? {}
    : {
        requestLog: {
          claim,
          maxBytes: settings["request_log.max_bytes"],
          retentionDays: settings["request_log.retention_days"],
          ...defined({ keySecret: settings["request_log.key_secret"] })
        }
      }
}

/** `namespace`: of the installation; `sidecarMode`: what `auto` came to; `proxy`: those of pods. Call after `clusterProblems` found nothing. */
export const clusterOptions = (
  settings: Settings,
  namespace: string,
  sidecarMode: "native" | "plain",
  proxy?: PodProxy
): ClusterOptions => {
  const instance = { name: settings["runtime.k8s.instance_name"], namespace }
  const ttl = settings["runtime.k8s.ttl_seconds_after_finished"]
  const benchmarkSeconds = positive(settings["timeouts.benchmark_seconds"])
  return {
    ...containerOptions(settings),
    ...podOptions(settings),
    ...gatewayOptions(settings),
    ...requestLogOptions(settings),
    instance,
    ...defined({ podUid: settings["runtime.k8s.pod_uid"] }),
    domain: settings.domain,
    queueDomain: settings["queue.domain"],
    namePrefix: settings["runtime.k8s.name_prefix"],
    image: inRegistry(settings["runtime.k8s.image"] ?? "", settings["images.registry"]),
    ...defined({ imageRegistry: settings["images.registry"] }),
    callbackUrl: (settings["runtime.k8s.callback_url"] ?? "").replace(/\/+$/, ""),
    document: {
      ...defined({ timeoutSeconds: benchmarkSeconds }),
      samples: {
        write: settings["samples.write"],
        includeText: settings["samples.include_text"],
        upload: settings["samples.upload"]
      },
      legacyJobKeys: settings["compat.legacy_job_keys"]
    },
    timeouts: {
      ...defined({ benchmarkSeconds: benchmarkSeconds }),
      ...defined({ pendingSeconds: positive(settings["timeouts.pending_seconds"]) })
    },
    deadlineSlackSeconds: settings["runtime.k8s.deadline_slack_seconds"],
    ...defined({ ttlSeconds: ttl < 0 ? undefined : ttl }),
    sidecarMode,
    serviceCa: settings["runtime.k8s.service_ca"] ?? `${instance.name}.${namespace}.service-ca`,
    trackerCa: settings["runtime.k8s.tracker_ca"] ?? `${instance.name}.${namespace}.tracker-ca`,
    ...defined({ proxy: proxy }),
    secretLabelRequired: settings["security.secret_label_required"],
    secretGraceSeconds: settings["grace.secret_seconds"],
    launchConcurrency: settings["runtime.k8s.launch_concurrency"],
    lingerSeconds: settings["runtime.k8s.linger_seconds"],
    sweep: settings["runtime.k8s.sweep"]
  }
}
