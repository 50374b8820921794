/**
 * Every role of an installation, each stated once with the reason for it: those that the specification names, what they lack, what people
 * are given, and the operator's own. Reference: operator.md, "Rights".
 */
import { resourceNames } from "../../../domain/operator/custom-resource.ts"
import { type Platform, rbacGroup } from "../manifests/managed.ts"

export interface PolicyRule {
  readonly apiGroups: ReadonlyArray<string>
  readonly resources: ReadonlyArray<string>
  readonly verbs: ReadonlyArray<string>
  readonly resourceNames?: ReadonlyArray<string>
}

export interface RoleSource {
  /** without prefix */
  readonly name: string
  readonly kind: "ClusterRole" | "Role"
  /** a comment above the role where it is shown by itself */
  readonly reason: string
  readonly rules: ReadonlyArray<PolicyRule>
}

type Groups = Platform["groups"]
export type RolePlatform = Pick<Platform, "groups" | "queueDomain" | "rolePrefix" | "securityProfile">

const rule = (group: string, resources: ReadonlyArray<string>, verbs: ReadonlyArray<string>): PolicyRule => ({
  apiGroups: [group],
  resources,
  verbs
})
const clusterRole = (name: string, reason: string, ...rules: ReadonlyArray<PolicyRule>): RoleSource => ({
  name,
  kind: "ClusterRole",
  reason,
  rules
})

/** exactly what the specification gives them */
const specified = ({ service, tracker }: Groups): ReadonlyArray<RoleSource> => [
  clusterRole(
    "auth-reviewer",
    "Who a caller is and what it may do. Bound to the API service account in the whole cluster: reviews have no namespace.",
    rule("authentication.k8s.io", ["tokenreviews"], ["create"]),
    rule("authorization.k8s.io", ["subjectaccessreviews"], ["create"])
  ),
  clusterRole(
    "jobs-writer",
    "Starts and removes the Jobs of benchmarks. Bound to the API service account in each tenant.",
    rule("batch", ["jobs"], ["create", "delete"])
  ),
  clusterRole(
    "job-config",
    "The configuration of one benchmark. Bound to the API service account in each tenant.",
    rule("", ["configmaps"], ["create", "get", "update", "delete"])
  ),
  clusterRole(
    "providers-access",
    "Reads providers. Bound to the API service account in its own namespace.",
    rule(service, ["providers"], ["get"])
  ),
  clusterRole(
    "collections-access",
    "Reads collections. Bound to the API service account in its own namespace.",
    rule(service, ["collections"], ["get"])
  ),
  clusterRole(
    "tracker-access",
    "Experiments of a tenant's jobs. Bound to the API service account in each tenant.",
    rule(tracker, ["experiments"], ["create", "get", "list", "update", "delete"])
  ),
  clusterRole(
    "tracker-jobs-access",
    "Experiments as a benchmark sees them. Bound to the job service account in each tenant.",
    rule(tracker, ["experiments"], ["create", "get", "list"])
  )
]

/** what the specified ones lack: roles of their own, so that each can be reviewed and removed alone */
const added = ({ groups: { platform, tracker }, queueDomain }: RolePlatform): ReadonlyArray<RoleSource> => [
  clusterRole(
    "job-runtime",
    "Sees what became of a benchmark, keeps its last log lines, shows its progress on the Job, and tells callers which queues there are. Bound to the API service account in each tenant.",
    rule("batch", ["jobs"], ["get", "list", "watch", "patch"]),
    rule("", ["pods"], ["get", "list", "watch"]),
    rule("", ["pods/log"], ["get"]),
    rule("", ["events"], ["create", "patch", "list"]),
    rule(queueDomain, ["workloads", "localqueues"], ["list"])
  ),
  clusterRole(
    "model-secret",
    "Reads which keys a secret has that a job names, and makes the reference secret. Bound to the API service account in each tenant; names are always known, so neither list nor watch.",
    rule("", ["secrets"], ["get", "create", "update", "delete"])
  ),
  clusterRole(
    "hardware-profiles-reader",
    "Looks up the hardware profile that a job names, and tells callers which there are. Bound to the API service account in the namespace of the profiles.",
    rule(platform, ["hardwareprofiles"], ["get", "list"])
  ),
  clusterRole(
    "tracker-jobs-runs",
    "Runs of a benchmark: the tracker asks for `update` when one is written. Bound to the job service account in each tenant.",
    rule(tracker, ["experiments"], ["update"])
  ),
  clusterRole(
    "instance-tls",
    "The serving certificate of an instance in TLS mode Issued. Bound to the operator's service account in the namespace of such an instance.",
    rule("", ["secrets"], ["get", "create", "patch"])
  )
]

/** bound by hand, never by the operator */
const forPeople = ({ service, tracker }: Groups): ReadonlyArray<RoleSource> => [
  clusterRole(
    "tenant-user",
    "For people and service accounts that run evaluations; bound by hand in a tenant. No status events: users can not forge results.",
    rule(service, ["evaluations", "collections", "providers"], ["get", "list", "create", "update", "delete"]),
    rule(tracker, ["experiments"], ["create", "get"])
  ),
  clusterRole(
    "tenant-viewer",
    "For people and service accounts that look at evaluations; bound by hand in a tenant.",
    rule(service, ["evaluations", "collections", "providers"], ["get", "list"]),
    rule(tracker, ["experiments"], ["get", "list"])
  )
]

/** the roles that service accounts and people are bound to */
export const operandRoles = (platform: RolePlatform): ReadonlyArray<RoleSource> => [
  ...specified(platform.groups),
  ...added(platform),
  ...forPeople(platform.groups)
]

/** what job pods may do; the operator makes it in each tenant under a name of the instance */
export const jobAccess = ({ groups }: Pick<RolePlatform, "groups">): RoleSource => ({
  name: "job-access",
  kind: "Role",
  reason: "Status events of benchmarks: all that a job service account may do here. A Role of each tenant.",
  rules: [rule(groups.service, ["status-events"], ["create"])]
})

/** the names that the operator may bind: the roles that it refers to, and no other */
export const boundRoles = (platform: RolePlatform): ReadonlyArray<string> =>
  [...specified(platform.groups), ...added(platform)].map(({ name }) => `${platform.rolePrefix}${name}`)

const six = ["get", "list", "watch", "create", "patch", "delete"] as const
export const operatorName = "evald-operator"
const leaseName = "evald-operator"
const operatorCaSecret = "evald-operator-ca"

/** in the whole cluster; the API server lets it grant nothing beyond this and the roles that it may bind */
export const operatorClusterRole = (platform: RolePlatform): ReadonlyArray<PolicyRule> => [
  rule(platform.groups.service, [resourceNames.plural], ["get", "list", "watch", "patch"]),
  rule(platform.groups.service, [`${resourceNames.plural}/status`], ["patch"]),
  rule(platform.groups.service, [`${resourceNames.plural}/finalizers`], ["update"]),
  rule(platform.groups.service, ["status-events"], ["create"]),
  rule("", ["namespaces"], ["get", "list", "watch"]),
  rule("", ["serviceaccounts", "configmaps", "services", "persistentvolumeclaims"], six),
  rule("", ["pods"], ["list"]),
  rule("", ["events"], ["list", "create", "patch"]),
  rule("apps", ["deployments"], six),
  rule("networking.k8s.io", ["networkpolicies", "ingresses"], six),
  rule("policy", ["poddisruptionbudgets"], six),
  rule(rbacGroup, ["roles", "rolebindings", "clusterrolebindings"], six),
  { ...rule(rbacGroup, ["clusterroles"], ["bind"]), resourceNames: boundRoles(platform) },
  rule("batch", ["jobs"], ["list", "delete"]),
  rule("monitoring.coreos.com", ["servicemonitors"], six),
  ...(platform.securityProfile === "openshift"
    ? [rule("route.openshift.io", ["routes"], six), rule("route.openshift.io", ["routes/custom-host"], ["create"])]
    : [])
]

/** in its own namespace */
export const operatorRole: ReadonlyArray<PolicyRule> = [
  { ...rule("coordination.k8s.io", ["leases"], ["get", "update"]), resourceNames: [leaseName] },
  rule("coordination.k8s.io", ["leases"], ["create"]),
  { ...rule("", ["secrets"], ["get", "create", "patch"]), resourceNames: [operatorCaSecret] }
]
