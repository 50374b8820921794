/** What the cluster runtime is told by its composition root: plain values from the settings. Reference: cluster-objects.md, "Job and pod", "Launching". */
import type { DocumentOptions } from "../unit/job-document.ts"

export interface Amounts {
  readonly cpuRequest: string
  readonly memoryRequest: string
  readonly cpuLimit: string
  readonly memoryLimit: string
}

export interface Egress {
  readonly denyCidrs: ReadonlyArray<string>
  readonly allowCidrs: ReadonlyArray<string>
  readonly allowHosts: ReadonlyArray<string>
  readonly requireTlsForCredentials: boolean
  readonly trustProxy: boolean
}

/** the proxies of pods: addresses without credentials, hosts as in `NO_PROXY` */
export interface PodProxy {
  readonly http?: string
  readonly https?: string
  readonly exempt: ReadonlyArray<string>
  readonly named: ReadonlyArray<string>
  /** Secret in the tenant's namespace with their credentials and CA */
  readonly secret?: string
}

export interface ClusterOptions {
  /** the evald instance that owns the objects: name and namespace of the server */
  readonly instance: { readonly name: string; readonly namespace: string }
  /** uid of the pod that this server runs in, which runs one at a time; absent: it runs elsewhere */
  readonly podUid?: string
  /** prefix of labels and annotations (`domain`) */
  readonly domain: string
  /** prefix of the queue labels (`queue.domain`) */
  readonly queueDomain: string
  readonly namePrefix: string
  /** image of the sidecar and the init container */
  readonly image: string
  /** where pods pull all images from, instead of the registries that references name */
  readonly imageRegistry?: string
  /** the server as pods reach it, without trailing slash */
  readonly callbackUrl: string
  readonly document: DocumentOptions
  /** seconds; absent = off */
  readonly timeouts: { readonly benchmarkSeconds?: number; readonly pendingSeconds?: number }
  readonly deadlineSlackSeconds: number
  /** absent: finished Jobs stay */
  readonly ttlSeconds?: number
  readonly terminationGraceSeconds: number
  readonly onDisruption: "fail" | "restart"
  readonly imagePullSecrets: ReadonlyArray<string>
  readonly pod: { readonly runAsUser?: number; readonly runAsGroup?: number; readonly fsGroup?: number }
  readonly sidecarMode: "native" | "plain"
  readonly healthPort: number
  readonly sidecarMetrics: boolean
  /** DNS domain of the cluster, such as `cluster.local` */
  readonly clusterDomain: string
  readonly adapterReadOnlyRoot: "auto" | "true" | "false"
  readonly sidecarResources: Amounts
  readonly initResources: Amounts
  readonly volumes: { readonly dataSize: string; readonly testDataSize: string }
  /** audiences; absent = the API server's own */
  readonly tokens: { readonly callback?: string; readonly model?: string; readonly tracker?: string }
  /** names of the ConfigMaps with CA bundles */
  readonly serviceCa: string
  readonly trackerCa: string
  readonly tracker?: { readonly url: string; readonly unverified?: boolean }
  readonly logLevel: "debug" | "info" | "warning" | "error"
  readonly model: {
    readonly tokenInjection: "always" | "in_cluster" | "never"
    readonly tokenHosts: ReadonlyArray<string>
    readonly refHeaders: ReadonlyArray<string>
    /** path below which the sidecar has the model; absent: every path that is not its own */
    readonly prefix?: string
  }
  readonly egress: Egress
  readonly proxy?: PodProxy
  readonly registryPlainHttp: boolean
  /** names on exported results that differ from the adapter's own (`oci.artifact_type`, `oci.annotation_prefix`) */
  readonly artifactNames?: { readonly artifactType?: string; readonly annotationPrefix?: string }
  /** where sidecars keep answers of models for jobs that may be resumed; absent: nowhere */
  readonly requestLog?: {
    /** PersistentVolumeClaim in the tenant's namespace */
    readonly claim: string
    /** Secret in the tenant's namespace, key `key`; absent: answers are not encrypted */
    readonly keySecret?: string
    readonly maxBytes: number
    readonly retentionDays: number
  }
  readonly spool: { readonly maxFiles: number; readonly maxBytes: number }
  readonly testData: {
    readonly maxBytes: number
    readonly maxObjects: number
    readonly parallel: number
    readonly timeoutSeconds: number
  }
  /** also set the vendor names of variables (`compat.adapter_env`) */
  readonly adapterEnv: boolean
  /** secrets must carry the label `<domain>/usable-by: evaluations` */
  readonly secretLabelRequired: boolean
  /** wait for a secret that does not exist yet */
  readonly secretGraceSeconds: number
  readonly launchConcurrency: number
  readonly lingerSeconds: number
  readonly sweep: "delete" | "report" | "off"
}
