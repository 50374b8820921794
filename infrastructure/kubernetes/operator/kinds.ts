/** The kinds of the cluster that the operator makes, watches and removes. */
import { defined } from "../../../values/defined.ts"
import { configMaps, type Resource, serviceAccounts } from "../client/resources.ts"
import type { DesiredObject } from "../controller/applier.ts"
import type { ManagedObject } from "../manifests/managed.ts"

const of = (group: string, version: string, plural: string, kind: string): Resource => ({
  group,
  version,
  plural,
  kind
})

export const deployments = of("apps", "v1", "deployments", "Deployment")
export const claims = of("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim")
export const serviceMonitors = of("monitoring.coreos.com", "v1", "servicemonitors", "ServiceMonitor")
export const routes = of("route.openshift.io", "v1", "routes", "Route")
export const ingresses = of("networking.k8s.io", "v1", "ingresses", "Ingress")
const rbac = "rbac.authorization.k8s.io"
export const roleBindings = of(rbac, "v1", "rolebindings", "RoleBinding")
const roles = of(rbac, "v1", "roles", "Role")
const clusterRoleBindings = of(rbac, "v1", "clusterrolebindings", "ClusterRoleBinding")
const networkPolicies = of("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy")

/** kinds that can lie in other namespaces than the instance's, or in none: nothing but the operator removes them */
export const kindsOutside: ReadonlyArray<Resource> = [
  roleBindings,
  roles,
  clusterRoleBindings,
  serviceAccounts,
  configMaps,
  networkPolicies
]

/** everything that is watched by the label of its manager; Secrets are not */
export const managedKinds: ReadonlyArray<Resource> = [
  ...kindsOutside,
  deployments,
  claims,
  of("", "v1", "services", "Service"),
  of("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget"),
  ingresses,
  serviceMonitors,
  routes
]

const kindOf = ({ apiVersion, kind }: ManagedObject): Resource => {
  const found = managedKinds.find(
    (one) => one.kind === kind && (one.group === "" ? one.version : `${one.group}/${one.version}`) === apiVersion
  )
  // every kind of the manifests is in the list above; a test makes all of them
  if (found === undefined) throw new Error(`the operator does not know the kind ${apiVersion} ${kind}`)
  return found
}

export const desired = (body: ManagedObject): DesiredObject => {
  const { namespace } = body.metadata
  return { resource: kindOf(body), ...defined({ namespace }), body }
}
