/** What one pass found out about an instance, as the conditions of its status. */
import { Effect } from "effect"
import type { Instance } from "../../../domain/operator/custom-resource.ts"
import { definitionsFinding } from "../../../domain/operator/definitions.ts"
import {
  type DeploymentView,
  type Finding,
  type TenantOutcome,
  tenantsFinding
} from "../../../domain/operator/instance-status.ts"
import { carriesTenantLabel } from "../../../domain/operator/tenancy.ts"
import { isObject, listMember, member, numberMember, textMember } from "../../../values/json.ts"
import { steadyMillis } from "../../../values/steady-millis.ts"
import { configMaps, events, type KubeObject, pods } from "../client/resources.ts"
import { inside, podLabels } from "../manifests/managed.ts"
import { tlsModeOf } from "../manifests/server-config.ts"
import { exposureOf } from "./exposure.ts"
import type { Definitions } from "./instance-inputs.ts"
import type { TlsResult } from "./issued-certificate.ts"
import { claims, deployments } from "./kinds.ts"
import { nameOf, type Operator, type Trouble } from "./operator-context.ts"
import { viewOf } from "./sight.ts"

export interface Found {
  readonly troubles: ReadonlyArray<Trouble>
  readonly definitions: Definitions
  readonly tls: TlsResult | undefined
  readonly tenants: ReadonlyArray<TenantOutcome>
  /** why the configuration is refused; none when it is not */
  readonly rejected: ReadonlyArray<string>
  readonly cause: string | undefined
}

const yes = (type: string, reason: string, message: string): Finding => ({ type, holds: true, reason, message })
const no = (type: string, reason: string, message: string): Finding => ({ type, holds: false, reason, message })

const deploymentView = (object: KubeObject | undefined): DeploymentView | undefined => {
  if (object === undefined) return undefined
  const [spec, status] = [object["spec"], object["status"]]
  const count = (name: string) => numberMember(status, name) ?? 0
  return {
    generation: object.metadata.generation ?? 0,
    observedGeneration: count("observedGeneration"),
    wanted: numberMember(spec, "replicas") ?? 1,
    replicas: count("replicas"),
    readyReplicas: count("readyReplicas"),
    updatedReplicas: count("updatedReplicas"),
    availableReplicas: count("availableReplicas"),
    unavailableReplicas: count("unavailableReplicas")
  }
}

/** as it is seen, and as many generations old as it was last written: its status is about an older one until it is seen */
export const deploymentNow = (operator: Operator, instance: Instance): DeploymentView | undefined => {
  const seen = operator.sight.find(deployments, instance.namespace, instance.name)
  const written = operator.memoryOf(instance).deployment
  const view = deploymentView(seen)
  if (view === undefined || written?.metadata.uid !== seen?.metadata.uid) return view
  return { ...view, generation: Math.max(view.generation, written?.metadata.generation ?? 0) }
}

const storage = (operator: Operator, instance: Instance, { troubles, cause }: Found): Finding => {
  const type = "StorageReady"
  const { database } = instance.spec
  if (database.type === "postgresql")
    return cause !== undefined && database.secret !== undefined && cause.includes(database.secret)
      ? no(type, "SecretUnavailable", cause)
      : yes(type, "SecretReferenced", `the Secret ${database.secret} is mounted by the pods`)
  if (database.persistence?.enabled === false)
    return yes(type, "Ephemeral", "the database goes with its pod: nothing is kept")
  const refused = troubles.find(({ object, error }) => object.kind === claims.kind && error?.class === "invalid")
  if (refused !== undefined) return no(type, "ClaimRejected", refused.error?.message ?? "")
  const existing = database.persistence?.existingClaim
  if (existing !== undefined) return yes(type, "ClaimBound", `the claim ${existing} is used as it is`)
  const name = inside(instance, "data")
  const phase = textMember(operator.sight.find(claims, instance.namespace, name)?.["status"], "phase")
  return phase === "Bound"
    ? yes(type, "ClaimBound", `the claim ${name} is bound`)
    : no(type, "ClaimPending", `the claim ${name} is ${phase ?? "not there yet"}`)
}

const certificate = (operator: Operator, instance: Instance, { tls }: Found): Finding => {
  const type = "TLSReady"
  switch (tlsModeOf(instance, operator.options.platform)) {
    case "Secret":
      return yes(type, "Provided", `the Secret ${instance.spec.tls?.secretName} is mounted by the pods`)
    case "Disabled":
      return yes(type, "Disabled", "tokens of callers travel in clear: only behind a mesh or proxy")
    case "ServiceCA": {
      const found = operator.sight.find(configMaps, instance.namespace, inside(instance, "service-ca"))
      return textMember(found?.["data"], "service-ca.crt") === undefined
        ? no(type, "AwaitingServiceCA", "the platform has not put its CA into the ConfigMap yet")
        : yes(type, "ServiceCA", "the platform issues the certificate")
    }
    case "Issued":
      if (tls?._tag === "Ready") return yes(type, "Issued", `valid until ${tls.notAfter}`)
      return no(
        type,
        "IssueFailed",
        tls?._tag === "Failed"
          ? tls.error.message
          : tls?._tag === "Foreign"
            ? "its Secret belongs to somebody else"
            : "not issued yet"
      )
  }
}

const hardware = ({ troubles }: Found): Finding => {
  const type = "HardwareProfilesReady"
  const error = troubles.find(
    ({ object }) => object.metadata.labels["app.kubernetes.io/component"] === "hardware-profiles"
  )?.error
  if (error === undefined) return yes(type, "Bound", "hardware profiles can be read")
  return no(type, error.class === "not_found" ? "NamespaceMissing" : "Forbidden", error.message)
}

const owned = ({ troubles }: Found): Finding => {
  const type = "ObjectsOwned"
  const foreign = troubles.filter(({ notOurs }) => notOurs !== undefined)
  if (foreign.length === 0) return yes(type, "NoConflict", "no object of somebody else is in the way")
  const isConflict = foreign.every(({ notOurs }) => notOurs === "other")
  return no(type, isConflict ? "NameConflict" : "ForeignObject", foreign.map(({ object }) => nameOf(object)).join(", "))
}

const optionalOnes = (operator: Operator, instance: Instance): ReadonlyArray<Finding> => {
  const { spec } = instance
  const apis = operator.sight.apis()
  const exposed = exposureOf(operator, instance)
  const monitored = spec.metrics.enabled && spec.metrics.serviceMonitor.enabled
  return [
    ...(exposed === undefined ? [] : [exposed.finding]),
    ...(monitored
      ? [
          apis.serviceMonitor
            ? yes("Monitored", "Applied", "the ServiceMonitor is there")
            : no("Monitored", "ApiMissing", "this cluster has no ServiceMonitor: switch metrics.serviceMonitor off")
        ]
      : [])
  ]
}

/** own namespaces that carry the tenant's label */
export const labelledOwn = ({ sight, options }: Operator, { namespace }: Instance): ReadonlyArray<string> =>
  [...new Set([namespace, options.platform.namespace])].filter((name) => {
    const found = sight.namespace(name)
    return found !== undefined && carriesTenantLabel(viewOf(found), options.platform.domain)
  })

export const findingsOf = (operator: Operator, instance: Instance, found: Found): ReadonlyArray<Finding> => {
  const own = labelledOwn(operator, instance)
  return [
    found.rejected.length === 0
      ? yes("Configured", "Valid", "the configuration is one that the server takes")
      : no("Configured", "ConfigRejected", found.rejected.join("; ")),
    storage(operator, instance, found),
    certificate(operator, instance, found),
    definitionsFinding(found.definitions.problems),
    tenantsFinding(found.tenants),
    hardware(found),
    owned(found),
    ...optionalOnes(operator, instance),
    ...(own.length === 0
      ? []
      : [yes("OwnNamespaceLabelled", "LabelIgnored", `${own.join(", ")}: the label has no meaning here`)])
  ]
}

const patienceMillis = 30_000

/** the first thing that a pod of the instance says about why it is not ready, or that an event says */
const causeNow = ({ client }: Operator, instance: Instance) =>
  Effect.gen(function* () {
    const lane = "signal" as const
    const { namespace } = instance
    const selector = Object.entries(podLabels(instance)).map(([name, value]) => `${name}=${value}`)
    const found = yield* client.list({ resource: pods, namespace, lane, labelSelector: selector.join(",") })
    for (const pod of found.items) {
      const waiting = listMember(pod["status"], "containerStatuses")
        .map((one) => member(member(one, "state"), "waiting"))
        .find(isObject)
      const reason = textMember(waiting, "reason")
      if (reason !== undefined && reason !== "ContainerCreating")
        return `${pod.metadata.name}: ${reason}: ${textMember(waiting, "message") ?? ""}`
      const unscheduled = listMember(pod["status"], "conditions").find(
        (one) => textMember(one, "type") === "PodScheduled" && textMember(one, "status") === "False"
      )
      if (unscheduled !== undefined) return `${pod.metadata.name}: ${textMember(unscheduled, "message") ?? ""}`
      const told = yield* client.list({
        resource: events,
        namespace,
        lane,
        fieldSelector: `involvedObject.uid=${pod.metadata.uid},type=Warning`
      })
      const message = textMember(told.items.at(-1), "message")
      if (message !== undefined) return `${pod.metadata.name}: ${message}`
    }
    return undefined
  })

/** asked only when the Deployment has had no available pod for 30 s */
export const unavailableCause = (operator: Operator, instance: Instance): Effect.Effect<string | undefined> =>
  Effect.gen(function* () {
    const memory = operator.memoryOf(instance)
    const view = deploymentView(operator.sight.find(deployments, instance.namespace, instance.name))
    if (view === undefined || view.availableReplicas > 0) {
      memory.unavailableSince = undefined
      return undefined
    }
    const now = yield* steadyMillis
    memory.unavailableSince ??= now
    const left = patienceMillis - (now - memory.unavailableSince)
    if (left > 0) {
      operator.queue.addAfter({ instance }, left)
      return undefined
    }
    return yield* Effect.orElseSucceed(causeNow(operator, instance), () => undefined)
  })
