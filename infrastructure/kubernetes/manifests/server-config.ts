/** The configuration that an instance's server reads, and what a user may add to it. Reference: operator.md, "Configuration of the server". */

import { stringify } from "yaml"
import { leaves, settingProblems } from "../../../config/check-settings.ts"
import type { Instance } from "../../../domain/operator/custom-resource.ts"
import { defined } from "../../../values/defined.ts"
import { digestOf } from "../../../values/digest.ts"
import { isObject } from "../../../values/json.ts"
import { outside, type Platform, type TlsMode } from "./managed.ts"

type Value = string | number | boolean | ReadonlyArray<string>

export const paths = {
  config: "/etc/evald/config",
  tenantDefinitions: "/etc/evald/tenant-definitions",
  secrets: "/etc/evald/secrets",
  tls: "/etc/evald/tls",
  ca: "/etc/evald/ca",
  trackerCa: "/etc/evald/tracker-ca",
  tracker: "/var/run/secrets/tracker",
  /** what `spec.mounts` brings */
  mounts: "/etc/evald/mounts",
  data: "/var/lib/evald",
  tmp: "/tmp"
} as const

export const tlsModeOf = ({ spec }: Instance, { defaultTlsMode }: Platform): TlsMode => spec.tls?.mode ?? defaultTlsMode

/** port and scheme of the API */
export const apiPort = (mode: TlsMode) =>
  mode === "Disabled" ? ({ name: "http", port: 8080 } as const) : ({ name: "https", port: 8443 } as const)

/** the API as pods of the cluster reach it */
export const urlOf = (instance: Instance, platform: Platform): string => {
  const { name, port } = apiPort(tlsModeOf(instance, platform))
  return `${name}://${instance.name}.${instance.namespace}.svc:${port}`
}

/** settings that follow from something else, by their first parts, and what decides them: `spec.config` may set none of them */
export const ownedSettings: { readonly [prefix: string]: string } = {
  domain: "the operator's own configuration",
  platform_domain: "the operator's own configuration",
  api_groups: "the operator's own configuration",
  "queue.domain": "the operator's own configuration",
  "service.host": "nothing: pods listen on all addresses",
  "service.port": "spec.tls.mode",
  "service.tls": "spec.tls",
  "service.shutdown_grace_seconds": "spec.timeouts.shutdownSeconds",
  "database.driver": "spec.database.type",
  "database.url": "spec.database.secret",
  "database.pool_size": "spec.database.maxOpenConns",
  secrets: "spec.database.secret; other secrets are variables of spec.env",
  "auth.mode": "nothing: callers are reviewed by the cluster",
  tracker: "spec.tracker",
  metrics: "spec.metrics",
  "telemetry.enabled": "spec.otel",
  "telemetry.endpoint": "spec.otel.exporterEndpoint",
  "telemetry.protocol": "spec.otel.exporterType",
  "telemetry.sampler": "spec.otel.samplingRatio",
  "telemetry.sampler_arg": "spec.otel.samplingRatio",
  timeouts: "spec.timeouts",
  "catalog.shipped": "spec.providers",
  "catalog.tenant_definitions_dir": "spec.tenantDefinitions",
  "hardware_profiles.namespace": "spec.hardwareProfilesNamespace",
  "runtime.k8s.instance_name": "the name of the resource",
  "runtime.k8s.namespace": "the namespace of the resource",
  "runtime.k8s.pod_uid": "the pod",
  "runtime.k8s.callback_url": "the name of the resource and spec.tls.mode",
  "runtime.k8s.service_ca": "spec.tls",
  "runtime.k8s.tracker_ca": "spec.tracker.caBundle",
  "runtime.k8s.image": "spec.jobs.image",
  "runtime.k8s.image_pull_secrets": "spec.jobs.imagePullSecrets"
}

/** what decides a setting instead of `spec.config`; undefined: `spec.config` itself */
const ownerOf = (key: string): string | undefined =>
  Object.entries(ownedSettings).find(([prefix]) => key === prefix || key.startsWith(`${prefix}.`))?.[1]

const trackerSettings = ({ spec: { tracker } }: Instance): { readonly [key: string]: Value } =>
  tracker === undefined
    ? {}
    : {
        "tracker.tracking_uri": tracker.uri,
        "tracker.http_timeout": tracker.httpTimeoutSeconds,
        "tracker.insecure_skip_verify": tracker.insecureSkipVerify,
        ...defined({ "tracker.workspace": tracker.workspace }),
        ...(tracker.caBundle === undefined ? {} : { "tracker.ca_cert_path": `${paths.trackerCa}/ca-bundle.crt` }),
        ...(tracker.auth.type === "None" ? {} : { "tracker.token_path": `${paths.tracker}/token` })
      }

const collectorOf = (endpoint: string, insecure: boolean): string =>
  /^https?:\/\//.test(endpoint) ? endpoint : `${insecure ? "http" : "https"}://${endpoint}`

const telemetrySettings = ({ spec: { otel } }: Instance): { readonly [key: string]: Value } =>
  otel?.exporterEndpoint === undefined
    ? { "telemetry.enabled": false }
    : {
        "telemetry.enabled": true,
        "telemetry.protocol": "http/protobuf",
        "telemetry.endpoint": collectorOf(otel.exporterEndpoint, otel.exporterInsecure),
        "telemetry.sampler": "parentbased_traceidratio",
        "telemetry.sampler_arg": String(otel.samplingRatio)
      }

const databaseSettings = ({ spec: { database } }: Instance): { readonly [key: string]: Value } =>
  database.type === "sqlite"
    ? { "database.driver": "sqlite", "database.url": `file:${paths.data}/evald.db` }
    : {
        "database.driver": "pgx",
        "database.pool_size": database.maxOpenConns,
        "secrets.dir": paths.secrets,
        "secrets.mappings.db-url": "database.url"
      }

/** a pod that is told to end closes its connections and its database after the last request */
const closingSeconds = 5

const serviceSettings = (instance: Instance, platform: Platform): { readonly [key: string]: Value } => {
  const mode = tlsModeOf(instance, platform)
  const { spec } = instance
  return {
    "service.port": apiPort(mode).port,
    "service.shutdown_grace_seconds": spec.timeouts.shutdownSeconds - closingSeconds,
    ...(mode === "Disabled"
      ? {}
      : { "service.tls.cert_path": `${paths.tls}/tls.crt`, "service.tls.key_path": `${paths.tls}/tls.key` }),
    "metrics.enabled": spec.metrics.enabled,
    ...(spec.metrics.enabled ? { "metrics.port": spec.metrics.port } : {}),
    "timeouts.benchmark_seconds": spec.timeouts.benchmarkSeconds,
    "timeouts.pending_seconds": spec.timeouts.pendingSeconds
  }
}

const clusterSettings = (instance: Instance, platform: Platform): { readonly [key: string]: Value } => {
  const { spec } = instance
  return {
    "runtime.k8s.instance_name": instance.name,
    "runtime.k8s.namespace": instance.namespace,
    "runtime.k8s.image": spec.jobs.image ?? spec.image ?? platform.image,
    "runtime.k8s.callback_url": urlOf(instance, platform),
    "runtime.k8s.service_ca": outside(instance, "service-ca"),
    "runtime.k8s.tracker_ca": outside(instance, "tracker-ca"),
    ...(spec.jobs.imagePullSecrets.length === 0 ? {} : { "runtime.k8s.image_pull_secrets": spec.jobs.imagePullSecrets })
  }
}

const settingsOf = (instance: Instance, platform: Platform): { readonly [key: string]: Value } => ({
  domain: platform.domain,
  platform_domain: platform.platformDomain,
  "api_groups.service": platform.groups.service,
  "api_groups.platform": platform.groups.platform,
  "api_groups.tracker": platform.groups.tracker,
  "queue.domain": platform.queueDomain,
  "auth.mode": "cluster",
  "catalog.shipped": false,
  ...(instance.spec.tenantDefinitions ? { "catalog.tenant_definitions_dir": paths.tenantDefinitions } : {}),
  ...serviceSettings(instance, platform),
  ...databaseSettings(instance),
  ...trackerSettings(instance),
  ...telemetrySettings(instance),
  ...clusterSettings(instance, platform)
})

type Tree = { [name: string]: unknown }

const isTree = (value: unknown): value is Tree => isObject(value)

const put = (tree: Tree, path: ReadonlyArray<string>, value: unknown): void => {
  const [first, ...rest] = path
  if (first === undefined) return
  if (rest.length === 0) {
    tree[first] = value
    return
  }
  const inner = Object.hasOwn(tree, first) ? tree[first] : undefined
  const next: Tree = isTree(inner) ? inner : {}
  tree[first] = next
  put(next, rest, value)
}

/** why `spec.config` can not be used, one sentence for each setting; none when it can */
export const configProblems = ({ spec }: Instance): ReadonlyArray<string> =>
  settingProblems(spec.config, ownerOf).map(({ key, message }) => `spec.config: ${key} ${message}`)

/** config.yaml, with sorted members; call it when `configProblems` found nothing */
export const renderConfig = (instance: Instance, platform: Platform): string => {
  // a definition that this server can not use must not keep it from starting
  const tree: Tree = { catalog: { on_error: "skip" } }
  for (const [key, value] of leaves(instance.spec.config)) put(tree, key.split("."), value)
  for (const [key, value] of Object.entries(settingsOf(instance, platform))) {
    // the name of a secret file is one member, whatever it holds
    const mapping = /^secrets\.mappings\.(.+)$/.exec(key)?.[1]
    put(tree, mapping === undefined ? key.split(".") : ["secrets", "mappings", mapping], value)
  }
  return stringify(tree, { sortMapEntries: true, lineWidth: 0, aliasDuplicateObjects: false })
}

/** the packaged table of rules, its short names of groups written out */
export const renderAuthRules = (packaged: string, { groups }: Platform): string =>
  packaged
    .replaceAll(/group: service\b/g, `group: ${groups.service}`)
    .replaceAll(/group: tracker\b/g, `group: ${groups.tracker}`)

export interface HashedConfig {
  readonly config: string
  readonly auth: string
  /** id → content of the system definitions */
  readonly definitions: ReadonlyArray<{ readonly kind: string; readonly id: string; readonly text: string }>
}

/**
 * Rolls the pods when it changes. What the server reads again by itself is not in it: certificates, CA bundles, the tracker's token and
 * tenant definitions.
 */
export const configHash = (
  instance: Instance,
  platform: Platform,
  { config, auth, definitions }: HashedConfig
): string =>
  digestOf({
    config,
    auth,
    definitions: Object.fromEntries(definitions.map(({ kind, id, text }) => [`${kind}/${id}`, digestOf(text)])),
    database: { secret: instance.spec.database.secret, key: instance.spec.database.secretKey },
    tls: { mode: tlsModeOf(instance, platform), secret: instance.spec.tls?.secretName }
  })
