/**
 * What is said about an instance: conditions, phase and figures, made from what one pass found. No time but that of a condition's change
 * is kept, so that equal findings are an equal status. Reference: operator.md, "Status".
 */
import { Schema } from "effect"
import { defined } from "../../values/defined.ts"
import { listOf, mapBy, optional, required, text } from "./crd-field.ts"

export const phases = ["Pending", "Progressing", "Ready", "Degraded", "Error", "Terminating"] as const
export type Phase = (typeof phases)[number]

const Condition = Schema.Struct({
  type: required(text(316), "what it is about"),
  status: required(Schema.Literal("True", "False", "Unknown"), "whether it holds"),
  observedGeneration: optional(Schema.Number.pipe(Schema.int()), "generation that it was found for"),
  lastTransitionTime: required(text(64), "when its status changed last"),
  reason: required(text(1024), "why, as one word"),
  message: required(text(32_768), "why, for people")
})
export type Condition = typeof Condition.Type

const count = Schema.Number.pipe(Schema.int())

/** as it is stored; what an earlier version left out is absent */
export const StoredStatus = Schema.Struct({
  observedGeneration: optional(count, "generation of the last completed pass"),
  phase: optional(Schema.Literal(...phases), "the conditions in one word"),
  conditions: optional(listOf(Condition, 32, mapBy("type")), "findings of the last pass"),
  replicas: optional(count, "pods of the API"),
  readyReplicas: optional(count, "pods that answer"),
  updatedReplicas: optional(count, "pods of the present configuration"),
  selector: optional(text(1024), "label selector of the pods, for autoscalers"),
  url: optional(text(2048), "address inside the cluster"),
  externalURL: optional(text(2048), "address outside the cluster"),
  activeProviders: optional(listOf(text(128), 200), "providers that are mounted"),
  activeCollections: optional(listOf(text(128), 200), "collections that are mounted"),
  tenants: optional(
    Schema.Struct({
      total: required(count, "labelled namespaces"),
      ready: required(count, "namespaces with everything that jobs need"),
      failed: required(
        listOf(
          Schema.Struct({
            namespace: required(text(63), "the namespace"),
            reason: required(text(128), "why, as one word"),
            message: required(text(256), "why, for people")
          }),
          20
        ),
        "the first twenty that are not ready"
      )
    }),
    "namespaces that are served"
  ),
  tls: optional(
    Schema.Struct({
      mode: required(text(32), "where the certificate comes from"),
      notAfter: optional(text(64), "when it ends; known in mode Issued")
    }),
    "the certificate of the API"
  ),
  configHash: optional(text(64), "hash of the configuration that pods are rolled to"),
  version: optional(text(128), "build of the operator")
})
export type InstanceStatus = typeof StoredStatus.Type

/** what one pass says about one condition; a condition that no finding names is absent */
export interface Finding {
  readonly type: string
  readonly holds: boolean
  readonly reason: string
  readonly message: string
}

/** the Deployment as far as the status needs it */
export interface DeploymentView {
  readonly generation: number
  readonly observedGeneration: number
  readonly wanted: number
  readonly replicas: number
  readonly readyReplicas: number
  readonly updatedReplicas: number
  readonly availableReplicas: number
  readonly unavailableReplicas: number
}

/** everything is as it was asked for, and it answers */
const isRolledOut = (view: DeploymentView | undefined): boolean =>
  view !== undefined &&
  view.observedGeneration >= view.generation &&
  view.updatedReplicas === view.wanted &&
  view.availableReplicas === view.wanted &&
  view.unavailableReplicas === 0

export interface TenantOutcome {
  readonly namespace: string
  /** absent: everything is there */
  readonly failure?: { readonly reason: string; readonly message: string }
}

export interface StatusInput {
  readonly previous: InstanceStatus
  readonly generation: number
  readonly deleting: boolean
  /** conditions besides Ready and Available, which follow from the rest; Configured belongs among them */
  readonly findings: ReadonlyArray<Finding>
  readonly deployment: DeploymentView | undefined
  /** why there is no available replica, when something is known about it */
  readonly cause?: string
  readonly tenants: ReadonlyArray<TenantOutcome>
  readonly selector: string
  readonly url: string
  readonly externalURL?: string
  readonly activeProviders: ReadonlyArray<string>
  readonly activeCollections: ReadonlyArray<string>
  readonly tls: { readonly mode: string; readonly notAfter?: string }
  readonly configHash?: string
  readonly version: string
  /** RFC 3339; used only where a condition changes */
  readonly now: string
}

const longestMessage = 256
const mostFailures = 20

const availableFinding = ({ deployment, cause }: StatusInput): Finding => {
  const ready = deployment?.availableReplicas ?? 0
  return ready > 0
    ? {
        type: "Available",
        holds: true,
        reason: "MinimumReplicas",
        message: `${ready} of ${deployment?.wanted ?? 0} replicas are available`
      }
    : { type: "Available", holds: false, reason: "NoReadyReplicas", message: cause ?? "no replica is available" }
}

/** whether what a condition says is wrong; the label on the own namespace is a remark that is there only while it is true */
const isWrong = ({ holds, type }: Finding): boolean => !holds && type !== "OwnNamespaceLabelled"

/** first match of the rule in operator.md, "Status" */
export const phaseOf = (
  deleting: boolean,
  previous: Phase | undefined,
  findings: ReadonlyArray<Finding>,
  deployment: DeploymentView | undefined
): Phase => {
  const fails = (type: string) => findings.some((one) => one.type === type && !one.holds)
  const available = (deployment?.availableReplicas ?? 0) > 0
  if (deleting) return "Terminating"
  if (fails("Configured")) return "Error"
  if (!available)
    return previous === undefined || previous === "Pending" || previous === "Error" ? "Pending" : "Degraded"
  if (!isRolledOut(deployment)) return "Progressing"
  return findings.some(isWrong) ? "Degraded" : "Ready"
}

const readyFinding = (input: StatusInput, phase: Phase): Finding => {
  const no = (reason: string, message: string): Finding => ({ type: "Ready", holds: false, reason, message })
  const wrong = (type: string) => input.findings.find((one) => one.type === type && !one.holds)
  if (input.deleting) return no("Terminating", "the resource is being deleted")
  const rejected = wrong("Configured")
  if (rejected !== undefined) return no("ConfigRejected", rejected.message)
  if ((input.deployment?.availableReplicas ?? 0) === 0) {
    const message = input.cause ?? "no replica is available"
    if (input.deployment === undefined && phase !== "Pending") return no("ReconcileError", message)
    return no(phase === "Pending" ? "Pending" : "Unavailable", message)
  }
  if (!isRolledOut(input.deployment)) {
    const { updatedReplicas = 0, wanted = 0 } = input.deployment ?? {}
    return no("RolloutInProgress", `${updatedReplicas} of ${wanted} replicas have the present configuration`)
  }
  return { type: "Ready", holds: true, reason: "RolledOut", message: "all replicas are available" }
}

const tenantsOf = (outcomes: ReadonlyArray<TenantOutcome>) => {
  const failed = outcomes
    .flatMap(({ namespace, failure }) =>
      failure === undefined
        ? []
        : [{ namespace, reason: failure.reason, message: failure.message.slice(0, longestMessage) }]
    )
    .sort((a, b) => (a.namespace < b.namespace ? -1 : 1))
  return { total: outcomes.length, ready: outcomes.length - failed.length, failed: failed.slice(0, mostFailures) }
}

/** the condition about tenants, from what became of each */
export const tenantsFinding = (outcomes: ReadonlyArray<TenantOutcome>): Finding => {
  const { total, failed, ready } = tenantsOf(outcomes)
  const type = "TenantsReady"
  if (total === 0) return { type, holds: true, reason: "NoTenants", message: "no namespace carries the tenant label" }
  if (ready === total) return { type, holds: true, reason: "AllReady", message: `${total} tenants are ready` }
  const conflict = failed.every(({ reason }) => reason === "NameConflict")
  return {
    type,
    holds: false,
    reason: conflict ? "NameConflict" : "SomeFailed",
    message: `${total - ready} of ${total} tenants are not ready: ${failed.map((one) => `${one.namespace} (${one.reason})`).join(", ")}`
  }
}

const conditionOf = ({ previous, generation, now }: StatusInput, finding: Finding): Condition => {
  const status = finding.holds ? "True" : "False"
  const before = previous.conditions?.find(({ type }) => type === finding.type)
  return {
    type: finding.type,
    status,
    observedGeneration: generation,
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : now,
    reason: finding.reason,
    message: finding.message.slice(0, 4096)
  }
}

/** the status after one pass; equal findings give an equal status, whatever the time is */
export const nextStatus = (input: StatusInput): InstanceStatus => {
  const { deployment, previous } = input
  const phase = phaseOf(input.deleting, previous.phase, input.findings, deployment)
  const findings = [readyFinding(input, phase), availableFinding(input), ...input.findings]
  return {
    observedGeneration: input.generation,
    phase,
    conditions: findings.map((finding) => conditionOf(input, finding)).sort((a, b) => (a.type < b.type ? -1 : 1)),
    replicas: deployment?.replicas ?? 0,
    readyReplicas: deployment?.readyReplicas ?? 0,
    updatedReplicas: deployment?.updatedReplicas ?? 0,
    selector: input.selector,
    url: input.url,
    ...defined({ externalURL: input.externalURL }),
    activeProviders: [...input.activeProviders].sort(),
    activeCollections: [...input.activeCollections].sort(),
    tenants: tenantsOf(input.tenants),
    tls: input.tls,
    ...defined({ configHash: input.configHash }),
    version: input.version
  }
}
