/** Who a caller is once its token was reviewed. Reference: cluster-objects.md, "Reviews". */

/**
 * `username` is `system:serviceaccount:<namespace>:<name>` for a service account, else the plain name of a user. `uid`, `groups`
 * and `extra` are passed on to access reviews unchanged, since role bindings and admission may depend on them.
 */
export interface Identity {
  readonly username: string
  readonly uid?: string
  readonly groups: ReadonlyArray<string>
  readonly extra?: { readonly [key: string]: ReadonlyArray<string> }
}

/** where no authentication happens (local mode) */
export const localIdentity: Identity = { username: "local", groups: [] }

const serviceAccountPrefix = "system:serviceaccount:"

/** namespace and name of a service account; undefined for a user. Both parts are needed by the callback rules. */
export const serviceAccountOf = (
  identity: Identity
): { readonly namespace: string; readonly name: string } | undefined => {
  if (!identity.username.startsWith(serviceAccountPrefix)) return undefined
  const [namespace, name, ...rest] = identity.username.slice(serviceAccountPrefix.length).split(":")
  return namespace && name && rest.length === 0 ? { namespace, name } : undefined
}

/** the pod a projected token is bound to, when the cluster says so */
export const boundPodOf = (identity: Identity): string | undefined => {
  const names = identity.extra?.["authentication.kubernetes.io/pod-name"]
  return names?.length === 1 ? names[0] : undefined
}

/** a service account of the cluster, as its reviewer knows it */
export const accountIdentity = (namespace: string, name: string): Identity => ({
  username: `${serviceAccountPrefix}${namespace}:${name}`,
  groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"]
})
