/**
 * The control plane as tests use it: an administrator that only sets up, namespaces of their own, service accounts with exactly the roles
 * that are shipped, and clients that act as them.
 */
import { Context, Effect, Layer } from "effect"
import { inject } from "vitest"
import * as Client from "../../../infrastructure/kubernetes/client/client.ts"
import { fixedAccess, type KubeConnection } from "../../../infrastructure/kubernetes/client/connection.ts"
import type { KubeError } from "../../../infrastructure/kubernetes/client/kube-error.ts"
import { namespaces, type Resource, serviceAccounts } from "../../../infrastructure/kubernetes/client/resources.ts"
import { isObject } from "../../../values/json.ts"
import { type ControlPlane, kubeconfig, type StaticUser } from "../control-plane/processes.ts"
import { apiRolesInTenant, jobRolesInTenant, type Role, type Rule, rulesOf, shippedRoles } from "./roles.ts"

const provided: ControlPlane | { readonly missing: string } | undefined = inject("controlPlane")
// without this a forgotten set-up would look like a machine without a control plane
if (provided === undefined)
  throw new Error("the project 'cluster' needs its globalSetup test/cluster/control-plane.setup.ts")
const controlPlane = "missing" in provided ? undefined : provided

/** for `describe.skipIf`: set-up has said why */
export const noControlPlane = controlPlane === undefined
/** for `describe.skipIf`: no containers can run here */
export const noPods = inject("noPods") !== undefined

const rbac = (kind: string, plural: string): Resource => ({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  plural,
  kind
})
const roles = rbac("Role", "roles")
const roleBindings = rbac("RoleBinding", "rolebindings")
const clusterRoles = rbac("ClusterRole", "clusterroles")
const clusterRoleBindings = rbac("ClusterRoleBinding", "clusterrolebindings")

export type Subject =
  | { readonly kind: "ServiceAccount"; readonly name: string; readonly namespace: string }
  | { readonly kind: "User" | "Group"; readonly name: string }

export interface Account {
  readonly name: string
  readonly namespace: string
}

const subjectOf = (account: Account): Subject => ({ kind: "ServiceAccount", ...account })
const withGroup = (subject: Subject) =>
  subject.kind === "ServiceAccount" ? subject : { ...subject, apiGroup: "rbac.authorization.k8s.io" }

let serial = 0
/** a name that no other test uses */
const fresh = (prefix: string): string => {
  serial += 1
  return `${prefix}-${process.pid}-${serial}`
}

const connectionAs = (token: string): KubeConnection => ({
  server: controlPlane?.server ?? "",
  access: fixedAccess(controlPlane === undefined ? {} : { ca: controlPlane.ca }, { authorization: `Bearer ${token}` })
})

const compactDatabase = async (etcd: string): Promise<void> => {
  const call = async (path: string, body: unknown): Promise<unknown> => {
    const answer = await fetch(`${etcd}/v3/kv/${path}`, { method: "POST", body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  const { header } = (await call("range", { key: Buffer.from("x").toString("base64") })) as {
    readonly header: { readonly revision: string }
  }
  await call("compaction", { revision: header.revision, physical: true })
}

const already = (error: KubeError): boolean => error.reason === "AlreadyExists"

export class Cluster extends Context.Tag("evald/test/Cluster")<Cluster, Effect.Effect.Success<typeof make>>() {}

const make = Effect.gen(function* () {
  const tokenOfUser = (user: StaticUser): string => controlPlane?.tokens[user] ?? ""
  const clientAs = (token: string) => Client.make({ connection: connectionAs(token), qps: 1000, burst: 1000 })
  const admin = yield* clientAs(tokenOfUser("administrator"))
  const lane = "launch" as const
  const create = (resource: Resource, namespace: string | undefined, object: unknown) =>
    admin.create({ resource, lane, ...(namespace === undefined ? {} : { namespace }) }, object)

  const addNamespace = (prefix: string, labels: { readonly [name: string]: string } = {}) => {
    const name = fresh(prefix)
    return Effect.as(
      create(namespaces, undefined, { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } }),
      name
    )
  }
  const addAccount = (namespace: string, name: string) =>
    Effect.as(create(serviceAccounts, namespace, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name } }), {
      name,
      namespace
    })
  const addRole = (namespace: string, name: string, rules: ReadonlyArray<Rule>) =>
    create(roles, namespace, { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name }, rules })
  /** binds in one namespace, or without one in all of the cluster */
  const bind = (namespace: string | undefined, role: Pick<Role, "kind" | "metadata">, subject: Subject) =>
    create(namespace === undefined ? clusterRoleBindings : roleBindings, namespace, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: namespace === undefined ? "ClusterRoleBinding" : "RoleBinding",
      metadata: { name: fresh(role.metadata.name) },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: role.kind, name: role.metadata.name },
      subjects: [withGroup(subject)]
    })
  const unbind = (namespace: string, binding: string) =>
    admin.remove({ resource: roleBindings, namespace, name: binding, lane }, { propagation: "Background" })

  // shipped once per process; another test file may have been there before
  for (const role of Object.values(shippedRoles).filter(({ kind }) => kind === "ClusterRole"))
    yield* Effect.catchIf(create(clusterRoles, undefined, role), already, () => Effect.void)

  const shipped = (name: string): Role => {
    const role = shippedRoles[name]
    if (role === undefined) throw new Error(`deploy/roles has no ${name}`)
    return role
  }
  /** binds a shipped role as the deployment does; a shipped Role is made in the namespace first */
  const grant = (namespace: string | undefined, name: string, subject: Subject) =>
    Effect.gen(function* () {
      const role = shipped(name)
      if (role.kind === "Role" && namespace !== undefined)
        yield* Effect.catchIf(addRole(namespace, role.metadata.name, rulesOf(name)), already, () => Effect.void)
      return yield* bind(namespace, role, subject)
    })

  /** a token of a service account, bound to a pod when one is given */
  const tokenOf = (
    { name, namespace }: Account,
    options: { readonly pod?: string; readonly audiences?: ReadonlyArray<string> } = {}
  ) =>
    Effect.map(
      admin.send(
        {
          method: "POST",
          path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
          body: {
            apiVersion: "authentication.k8s.io/v1",
            kind: "TokenRequest",
            spec: {
              expirationSeconds: 3600,
              ...(options.audiences === undefined ? {} : { audiences: options.audiences }),
              ...(options.pod === undefined
                ? {}
                : { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: options.pod } })
            }
          }
        },
        lane
      ),
      (answer) => {
        const status = isObject(answer) ? answer["status"] : undefined
        return isObject(status) ? String(status["token"]) : ""
      }
    )

  return {
    admin,
    addNamespace,
    addAccount,
    addRole,
    bind,
    unbind,
    grant,
    tokenOf,
    tokenOfUser,
    /** forgets all versions up to now */
    compact: Effect.promise(() => compactDatabase(controlPlane?.etcd ?? "")),
    kubeconfigOf: (token: string, server = controlPlane?.server ?? "") =>
      kubeconfig(server, controlPlane?.ca ?? "", token),
    /** by which the API server is known, PEM */
    authority: controlPlane?.ca ?? "",
    kubeconfigFor: kubeconfig,
    connectionAs,
    clientAs,
    /** what the API server expects of the HTTPS interface of a node, and who it is to a node */
    nodeServing: { ...(controlPlane?.node ?? { certificate: "", key: "" }), clientAuthority: controlPlane?.ca ?? "" },
    /** the server's account in a namespace of its own, allowed to review */
    addApiAccount: Effect.gen(function* () {
      const account = yield* addAccount(yield* addNamespace("evald-system"), "evald-api")
      yield* grant(undefined, "auth-reviewer", subjectOf(account))
      return account
    }),
    /** a tenant as the operator provisions it: the job account and the roles of both */
    addTenant: (api: Account, labels: { readonly [name: string]: string } = {}) =>
      Effect.gen(function* () {
        const name = yield* addNamespace("team", { "evald.internal/tenant": "", ...labels })
        const job = yield* addAccount(name, "evald-evald-system-job")
        for (const role of apiRolesInTenant) yield* grant(name, role, subjectOf(api))
        for (const role of jobRolesInTenant) yield* grant(name, role, subjectOf(job))
        return { name, job }
      })
  }
})

export const layer: Layer.Layer<Cluster, KubeError> = Layer.scoped(Cluster, make)
