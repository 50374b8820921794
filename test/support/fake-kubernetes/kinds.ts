/** The kinds that the fake serves. */
export interface Kind {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
  /** its status is written through a path of its own */
  readonly status?: true
  /** counts the changes of everything but metadata and status */
  readonly generation?: true
}

const kind = (group: string, version: string, plural: string, name: string, namespaced = true): Kind => ({
  group,
  version,
  plural,
  kind: name,
  namespaced
})
const spoken = (
  group: string,
  version: string,
  plural: string,
  name: string,
  status: { readonly status?: true } = { status: true }
): Kind => ({ ...kind(group, version, plural, name), ...status, generation: true })

export const namespaceKind = kind("", "v1", "namespaces", "Namespace", false)

/** kinds of which a cluster may have none */
export const serviceMonitors = spoken("monitoring.coreos.com", "v1", "servicemonitors", "ServiceMonitor", {})
export const routes = spoken("route.openshift.io", "v1", "routes", "Route")

export const standardKinds: ReadonlyArray<Kind> = [
  namespaceKind,
  kind("", "v1", "pods", "Pod"),
  kind("", "v1", "configmaps", "ConfigMap"),
  kind("", "v1", "secrets", "Secret"),
  kind("", "v1", "events", "Event"),
  kind("", "v1", "serviceaccounts", "ServiceAccount"),
  kind("batch", "v1", "jobs", "Job"),
  kind("infrastructure.opendatahub.io", "v1", "hardwareprofiles", "HardwareProfile"),
  kind("kueue.x-k8s.io", "v1beta1", "workloads", "Workload"),
  kind("kueue.x-k8s.io", "v1beta1", "localqueues", "LocalQueue"),
  kind("", "v1", "services", "Service"),
  { ...kind("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim"), status: true },
  kind("coordination.k8s.io", "v1", "leases", "Lease"),
  kind("rbac.authorization.k8s.io", "v1", "roles", "Role"),
  kind("rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding"),
  kind("rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", false),
  kind("rbac.authorization.k8s.io", "v1", "clusterrolebindings", "ClusterRoleBinding", false),
  spoken("apps", "v1", "deployments", "Deployment"),
  spoken("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", {}),
  spoken("networking.k8s.io", "v1", "ingresses", "Ingress"),
  spoken("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget"),
  spoken("evald.internal", "v1alpha1", "evaluationservices", "EvaluationService")
]

/** what is created and answered, and never stored */
export const reviewKinds: ReadonlyArray<Kind> = [
  kind("authentication.k8s.io", "v1", "tokenreviews", "TokenReview", false),
  kind("authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", false)
]

export const apiVersionOf = ({ group, version }: Kind): string => (group === "" ? version : `${group}/${version}`)
