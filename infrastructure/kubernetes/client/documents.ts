/** The files of a pod: job.json, sidecar.json and init.json, as the data of its ConfigMap. None holds a secret value. Reference: cluster-objects.md, "Environment". */
import type { Unit } from "../../../application/ports/runtime.ts"
import type { AdapterSecret } from "../../../domain/credentials/placeholders.ts"
import type { InitConfig } from "../../../providers/contract/init-config.ts"
import { renderJobSpec } from "../../../providers/contract/job-spec.ts"
import type { SidecarConfig } from "../../../providers/contract/sidecar-config.ts"
import { defined } from "../../../values/defined.ts"
import { jobDocument } from "../../unit/job-document.ts"
import type { ClusterOptions, Egress } from "../cluster-options.ts"
import { caFiles, requestLogFolder, secretPaths } from "../unit/volumes.ts"

const sidecarPort = 8080
/** the sidecar as the adapter reaches it */
export const gateway = `http://localhost:${sidecarPort}`
/** the address below which the adapter has the model */
export const modelGatewayOf = ({ model }: Pick<ClusterOptions, "model">): string => gateway + (model.prefix ?? "")

const egressOf = ({ denyCidrs, allowCidrs, allowHosts, requireTlsForCredentials, trustProxy }: Egress) => ({
  deny_cidrs: denyCidrs,
  allow_cidrs: allowCidrs,
  allow_hosts: allowHosts,
  require_tls_for_credentials: requireTlsForCredentials,
  ...(trustProxy ? { trust_proxy: true } : {})
})

const proxyOf = ({ proxy }: ClusterOptions) => {
  if (proxy === undefined) return {}
  const { secret, ...told } = proxy
  return { proxy: { ...told, ...(secret === undefined ? {} : { secret_dir: secretPaths.proxy }) } }
}

const requestLogOf = ({ jobId, index, request, benchmark }: Unit, { requestLog }: ClusterOptions) => {
  if (request.resume !== true || requestLog === undefined) return {}
  const first = benchmark.resumes ?? { job: jobId, index }
  const { keySecret, maxBytes, retentionDays } = requestLog
  return {
    request_log: {
      dir: requestLogFolder,
      job_id: first.job,
      benchmark_index: first.index,
      max_bytes: maxBytes,
      retention_days: retentionDays,
      ...(keySecret === undefined ? {} : { key_path: `${secretPaths.requestLog}/key` })
    }
  }
}

const sidecarDocument = (
  unit: Unit,
  options: ClusterOptions,
  modelSecret: AdapterSecret | undefined
): SidecarConfig => {
  const oci = unit.request.exports?.oci
  const { tracker, model } = options
  return {
    version: 1,
    mode: options.sidecarMode,
    listen: { port: sidecarPort, health_port: options.healthPort },
    grace_seconds: options.terminationGraceSeconds,
    log_level: options.logLevel,
    identity: {
      job_id: unit.jobId,
      benchmark_index: unit.index,
      attempt: unit.attempt,
      provider_id: unit.benchmark.entry.providerId,
      benchmark_id: unit.benchmark.entry.id,
      tenant: unit.tenant
    },
    server: {
      base_url: options.callbackUrl,
      token_path: `${secretPaths.callbackToken}/token`,
      ca_path: caFiles.service
    },
    model: {
      url: unit.request.model.url,
      ...(modelSecret === undefined || modelSecret.gateway.length === 0 ? {} : { secret_dir: secretPaths.model }),
      sa_token_path: `${secretPaths.modelToken}/token`,
      sa_token_injection: model.tokenInjection,
      sa_token_hosts: model.tokenHosts,
      ref_headers: model.refHeaders,
      ...(options.clusterDomain === "cluster.local" ? {} : { cluster_domain: options.clusterDomain }),
      ...defined({ prefix: model.prefix })
    },
    ...(tracker === undefined
      ? {}
      : {
          tracker: {
            url: tracker.url,
            token_path: `${secretPaths.tracker}/token`,
            ca_path: caFiles.tracker,
            ...(tracker.unverified === true ? { insecure_skip_verify: true } : {}),
            ...defined({ workspace: unit.request.trackerWorkspace })
          }
        }),
    ...(oci === undefined
      ? {}
      : {
          registry: {
            host: oci.coordinates.host,
            repository: oci.coordinates.repository,
            plain_http: options.registryPlainHttp,
            config_path: `${secretPaths.registry}/config.json`
          }
        }),
    egress: egressOf(options.egress),
    ...proxyOf(options),
    ...requestLogOf(unit, options),
    ...defined({ budget: unit.benchmark.snapshot.budget, price: unit.benchmark.snapshot.price }),
    timeouts: { connect_ms: 10_000, idle_ms: 900_000, event_wait_ms: 5000 },
    ...(options.sidecarMetrics ? { metrics: true } : {}),
    results_dir: resultsFolder,
    spool: { dir: "/data/.evald/spool", max_files: options.spool.maxFiles, max_bytes: options.spool.maxBytes }
  }
}

/** what adapter and sidecar call the folder of the results alike */
const resultsFolder = "/data/results"

const initDocument = (s3: { readonly bucket: string; readonly key: string }, options: ClusterOptions): InitConfig => ({
  version: 1,
  s3: { bucket: s3.bucket, key: s3.key },
  secret_dir: secretPaths.testData,
  target: "/test_data",
  max_bytes: options.testData.maxBytes,
  max_objects: options.testData.maxObjects,
  parallel: options.testData.parallel,
  timeout_seconds: options.testData.timeoutSeconds,
  egress: egressOf(options.egress),
  ...proxyOf(options)
})

export type PodDocuments = {
  readonly "job.json": string
  readonly "sidecar.json": string
  readonly "init.json"?: string
}

export const podDocuments = (
  unit: Unit,
  options: ClusterOptions,
  modelSecret: AdapterSecret | undefined
): PodDocuments => {
  const s3 = unit.benchmark.entry.testData?.s3
  const job = jobDocument(
    unit,
    {
      callbackUrl: gateway,
      modelGateway: modelGatewayOf(options),
      outputDir: resultsFolder,
      ...(s3 === undefined ? {} : { testDataDir: "/test_data" }),
      secretRef: (name) => name,
      moveTestData: false,
      push: { host: `localhost:${sidecarPort}` }
    },
    options.document
  )
  return {
    "job.json": renderJobSpec(job),
    "sidecar.json": JSON.stringify(sidecarDocument(unit, options, modelSecret)),
    ...(s3 === undefined ? {} : { "init.json": JSON.stringify(initDocument(s3, options)) })
  }
}
