/** The pod of a benchmark: adapter, sidecar, init container, and nothing they do not need. Reference: cluster-objects.md, "Job and pod", "Environment". */
import type {
  V1Container,
  V1EnvVar,
  V1PodSpec,
  V1ResourceRequirements,
  V1SecurityContext
} from "@kubernetes/client-node"
import type { Unit } from "../../../application/ports/runtime.ts"
import type { AdapterSecret } from "../../../domain/credentials/placeholders.ts"
import type { ResolvedResources } from "../../../domain/hardware/resolve-resources.ts"
import { inRegistry } from "../../../domain/image-reference.ts"
import { defined } from "../../../values/defined.ts"
import { gateway } from "../client/documents.ts"
import type { Amounts, ClusterOptions } from "../cluster-options.ts"
import type { Manifest } from "./manifest.ts"
import { jobServiceAccount } from "./names.ts"
import { podVolumes } from "./volumes.ts"

/** what the kubelet must not expand */
const literal = (text: string): string => text.replaceAll("$(", "$$$$(")

type Variable = Manifest<V1EnvVar> & { readonly value: string }

const setVariables = (unit: Unit, { adapterEnv, tracker, artifactNames }: ClusterOptions): ReadonlyArray<Variable> => {
  const noProxy = "localhost,127.0.0.1,::1"
  const workspace = unit.request.trackerWorkspace
  const both = (name: string, vendor: string, value: string): ReadonlyArray<Variable> => [
    { name, value },
    ...(adapterEnv ? [{ name: vendor, value }] : [])
  ]
  return [
    ...both("EVALD_MODE", "EVALHUB_MODE", "k8s"),
    { name: "EVALD_JOB_SPEC_PATH", value: "/meta/job.json" },
    ...(tracker === undefined ? [] : both("TRACKER_TRACKING_URI", "MLFLOW_TRACKING_URI", gateway)),
    ...(tracker === undefined || workspace === undefined
      ? []
      : both("TRACKER_WORKSPACE", "MLFLOW_WORKSPACE", workspace)),
    ...(artifactNames?.artifactType === undefined
      ? []
      : [{ name: "EVALD_OCI_ARTIFACT_TYPE", value: artifactNames.artifactType }]),
    ...(artifactNames?.annotationPrefix === undefined
      ? []
      : [{ name: "EVALD_OCI_ANNOTATION_PREFIX", value: artifactNames.annotationPrefix }]),
    { name: "NO_PROXY", value: noProxy },
    { name: "no_proxy", value: noProxy },
    ...(unit.request.traceparent === undefined ? [] : [{ name: "TRACEPARENT", value: unit.request.traceparent }])
  ]
}

/** set names first and never overridden; of the provider's duplicates the last one wins, at its own place */
const environment = (unit: Unit, options: ClusterOptions): ReadonlyArray<Variable> => {
  const set = setVariables(unit, options)
  const taken = new Set(set.map(({ name }) => name))
  const given = (unit.benchmark.snapshot.runtime.k8s?.env ?? []).filter(({ name }) => !taken.has(name))
  const last = given.filter(({ name }, position) => !given.slice(position + 1).some((later) => later.name === name))
  return [...set, ...last.map(({ name, value = "" }) => ({ name, value }))].map(({ name, value }) => ({
    name,
    value: literal(value)
  }))
}

const fixedResources = ({
  cpuRequest,
  memoryRequest,
  cpuLimit,
  memoryLimit
}: Amounts): Manifest<V1ResourceRequirements> => ({
  requests: { cpu: cpuRequest, memory: memoryRequest },
  limits: { cpu: cpuLimit, memory: memoryLimit }
})

const adapterResources = ({
  cpuRequest,
  memoryRequest,
  cpuLimit,
  memoryLimit,
  extended = [],
  ephemeralStorage
}: ResolvedResources): Manifest<V1ResourceRequirements> => {
  const storage = ephemeralStorage
  return {
    requests: {
      cpu: cpuRequest.value,
      memory: memoryRequest.value,
      ...defined({ "ephemeral-storage": storage?.request }),
      ...Object.fromEntries(extended.map(({ name, request }) => [name, request]))
    },
    limits: {
      cpu: cpuLimit.value,
      memory: memoryLimit.value,
      ...defined({ "ephemeral-storage": storage?.limit }),
      ...Object.fromEntries(extended.map(({ name, limit }) => [name, limit]))
    }
  }
}

const security = (readOnlyRootFilesystem: boolean): Manifest<V1SecurityContext> => ({
  allowPrivilegeEscalation: false,
  privileged: false,
  readOnlyRootFilesystem,
  runAsNonRoot: true,
  capabilities: { drop: ["ALL"] },
  seccompProfile: { type: "RuntimeDefault" }
})

const pullPolicies = { always: "Always", if_not_present: "IfNotPresent" } as const

const secondsOf = ({ timeouts, deadlineSlackSeconds }: ClusterOptions) =>
  timeouts.benchmarkSeconds === undefined
    ? {}
    : { activeDeadlineSeconds: timeouts.benchmarkSeconds + deadlineSlackSeconds }

/** is the root file system of the adapter read-only? Foreign adapters write beside their sources, our own do not. */
const isReadOnlyRoot = (image: string, { adapterReadOnlyRoot, image: own }: ClusterOptions): boolean =>
  adapterReadOnlyRoot === "auto" ? image === own : adapterReadOnlyRoot === "true"

export const podSpec = (
  unit: Unit,
  backing: string,
  options: ClusterOptions,
  modelSecret: AdapterSecret | undefined
): Manifest<V1PodSpec> => {
  const { runtime, resources } = unit.benchmark.snapshot
  const { image: named = options.image, entrypoint, imagePullPolicy } = runtime.k8s ?? {}
  const image = inRegistry(named, options.imageRegistry)
  const readOnlyRoot = isReadOnlyRoot(image, options)
  const { volumes, mounts } = podVolumes({ unit, backing, readOnlyRoot, ...defined({ modelSecret }) }, options)
  const native = options.sidecarMode === "native"

  const adapter: Manifest<V1Container> = {
    name: "adapter",
    image,
    ...(imagePullPolicy === undefined ? {} : { imagePullPolicy: pullPolicies[imagePullPolicy] }),
    ...defined({ command: entrypoint?.map(literal) }),
    env: environment(unit, options),
    resources: adapterResources(resources),
    securityContext: security(readOnlyRoot),
    terminationMessagePolicy: "FallbackToLogsOnError",
    volumeMounts: mounts("adapter")
  }
  const own = (name: "sidecar" | "init", amounts: Amounts): Manifest<V1Container> => ({
    name,
    image: options.image,
    command: ["evald", name, "--config", `/meta/${name}.json`],
    resources: fixedResources(amounts),
    securityContext: security(true),
    terminationMessagePolicy: "File",
    volumeMounts: mounts(name)
  })
  const sidecar: Manifest<V1Container> = {
    ...own("sidecar", options.sidecarResources),
    ...(native
      ? { restartPolicy: "Always" }
      : { lifecycle: { postStart: { exec: { command: ["evald", "sidecar", "--wait", "60"] } } } }),
    startupProbe: {
      httpGet: { path: "/health", port: options.healthPort },
      periodSeconds: 1,
      timeoutSeconds: 5,
      failureThreshold: 60
    }
  }
  const initContainers = [
    ...(unit.benchmark.entry.testData === undefined ? [] : [own("init", options.initResources)]),
    ...(native ? [sidecar] : [])
  ]
  const { runAsUser, runAsGroup, fsGroup } = options.pod
  return {
    restartPolicy: "Never",
    serviceAccountName: jobServiceAccount(options.instance),
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    shareProcessNamespace: false,
    hostNetwork: false,
    hostPID: false,
    hostIPC: false,
    terminationGracePeriodSeconds: options.terminationGraceSeconds,
    ...secondsOf(options),
    ...(options.imagePullSecrets.length === 0
      ? {}
      : { imagePullSecrets: options.imagePullSecrets.map((name) => ({ name })) }),
    ...defined({ nodeSelector: resources.nodeSelector, tolerations: resources.tolerations }),
    securityContext: {
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
      ...defined({ runAsUser, runAsGroup, fsGroup })
    },
    ...(initContainers.length === 0 ? {} : { initContainers }),
    containers: native ? [adapter] : [sidecar, adapter],
    volumes
  }
}
