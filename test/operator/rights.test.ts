/** T2: what the operator may, with its real identity: enough for everything it makes, and nothing beyond. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import type { KubeClient } from "../../infrastructure/kubernetes/client/client.ts"
import type { KubeError } from "../../infrastructure/kubernetes/client/kube-error.ts"
import { pathOf, type Resource, secrets } from "../../infrastructure/kubernetes/client/resources.ts"
import { operatorClusterRole, operatorName, operatorRole } from "../../infrastructure/kubernetes/installation/roles.ts"
import { desiredTenant } from "../../infrastructure/kubernetes/manifests/tenant.ts"
import { jobServiceAccount } from "../../infrastructure/kubernetes/unit/names.ts"
import { member } from "../../values/json.ts"
import { Cluster, layer as cluster, noControlPlane } from "../cluster/support/cluster.ts"
import { eventually } from "../cluster/support/eventually.ts"
import { apply, evaluationServices, installDefinition } from "../cluster/support/operator-kinds.ts"
import { desiredOf, instanceOf, objectsOf, platform, sqlite } from "../support/operator-inputs.ts"

const live = { excludeTestServices: true, timeout: "150 seconds" } as const
const lane = "launch" as const
type Client = KubeClient["Type"]

const rbac = "rbac.authorization.k8s.io"
const leases: Resource = { group: "coordination.k8s.io", version: "v1", plural: "leases", kind: "Lease" }

const statusOf = (call: Effect.Effect<unknown, KubeError>): Effect.Effect<number> =>
  Effect.match(call, { onFailure: ({ status }) => status, onSuccess: () => 200 })

/** the operator's account in a namespace of its own, with its roles; `without`: names that it may not bind */
const operatorAccount = (without: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const { admin, addNamespace, addAccount, addRole, bind, tokenOf, clientAs } = yield* Cluster
    yield* installDefinition(admin)
    const account = yield* addAccount(yield* addNamespace("evald-operator"), operatorName)
    const name = `operator-${account.namespace}`
    const rules = operatorClusterRole(platform).map((rule) =>
      rule.resourceNames === undefined
        ? rule
        : { ...rule, resourceNames: rule.resourceNames.filter((one) => !without.includes(one)) }
    )
    yield* apply(admin, { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name }, rules })
    const subject = { kind: "ServiceAccount", ...account } as const
    yield* bind(undefined, { kind: "ClusterRole", metadata: { name } }, subject)
    yield* addRole(account.namespace, operatorName, operatorRole)
    yield* bind(account.namespace, { kind: "Role", metadata: { name: operatorName } }, subject)
    const client = yield* clientAs(yield* tokenOf(account))
    yield* eventually(
      "the bindings of the operator",
      statusOf(client.list({ resource: evaluationServices, lane })),
      (status) => status === 200
    )
    return { account, client }
  })

const instanceIn = (namespace: string, name = "evald") => instanceOf(sqlite, { name, namespace, uid: "unset" })

/** owners are checked by the garbage collector: the resource must exist under its uid */
const stored = (admin: Client, namespace: string) =>
  Effect.map(
    admin.create(
      { resource: evaluationServices, namespace, lane },
      {
        apiVersion: "evald.internal/v1alpha1",
        kind: "EvaluationService",
        metadata: { name: "evald" },
        spec: sqlite
      }
    ),
    ({ metadata }) => instanceOf(sqlite, { name: "evald", namespace, uid: metadata.uid ?? "" })
  )

const binding = (name: string, roleRef: object, account = { name: "x", namespace: "default" }) => ({
  apiVersion: `${rbac}/v1`,
  kind: "RoleBinding",
  metadata: { name },
  roleRef: { apiGroup: rbac, ...roleRef },
  subjects: [{ kind: "ServiceAccount", ...account }]
})

interface Question {
  readonly group: string
  readonly resource: string
  readonly verb: string
  readonly subresource?: string
}

/** what the API server says about a right of somebody else */
const allowed = (admin: Client, user: string, namespace: string, question: Question) =>
  Effect.map(
    admin.send(
      {
        method: "POST",
        path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
        body: {
          apiVersion: "authorization.k8s.io/v1",
          kind: "SubjectAccessReview",
          spec: { user, resourceAttributes: { namespace, ...question } }
        }
      },
      lane
    ),
    (answer) => member(member(answer, "status"), "allowed") === true
  )

const q = (group: string, resource: string, verbs: string, subresource?: string): ReadonlyArray<Question> =>
  verbs.split(" ").map((verb) => ({ group, resource, verb, ...(subresource === undefined ? {} : { subresource }) }))

/** every right that anybody of an installation could have in a namespace, and some that nobody may */
const questions: ReadonlyArray<Question> = [
  ...q("batch", "jobs", "create delete get list watch patch update"),
  ...q("", "configmaps", "create get update delete list watch patch"),
  ...q("", "secrets", "get create update delete list watch patch"),
  ...q("", "pods", "get list watch create delete"),
  ...q("", "pods", "get", "log"),
  ...q("", "pods", "create", "exec"),
  ...q("", "events", "create patch list"),
  ...q("", "serviceaccounts", "create", "token"),
  ...q("kueue.x-k8s.io", "workloads", "list get"),
  ...q("kueue.x-k8s.io", "localqueues", "list get"),
  ...q("evald.internal", "status-events", "create"),
  ...q("evald.internal", "providers", "get list create"),
  ...q("evald.internal", "collections", "get list create"),
  ...q("evald.internal", "evaluations", "get create"),
  ...q("mlflow.kubeflow.org", "experiments", "create get list update delete"),
  ...q("infrastructure.opendatahub.io", "hardwareprofiles", "get list create"),
  ...q(rbac, "rolebindings", "create")
]
const shown = ({ group, resource, verb, subresource }: Question): string =>
  `${verb} ${resource}${subresource === undefined ? "" : `/${subresource}`}${group === "" ? "" : `.${group}`}`
const expand = (...all: ReadonlyArray<ReadonlyArray<Question>>): ReadonlyArray<string> => all.flat().map(shown).sort()

const experiments = (verbs: string) => q("mlflow.kubeflow.org", "experiments", verbs)
const apiInTenant = expand(
  q("batch", "jobs", "create delete get list watch patch"),
  q("", "configmaps", "create get update delete"),
  q("", "secrets", "get create update delete"),
  q("", "pods", "get list watch"),
  q("", "pods", "get", "log"),
  q("", "events", "create patch list"),
  q("kueue.x-k8s.io", "workloads", "list"),
  q("kueue.x-k8s.io", "localqueues", "list"),
  experiments("create get list update delete")
)
const jobInTenant = expand(q("evald.internal", "status-events", "create"), experiments("create get list update"))
const apiInOwn = expand(
  q("evald.internal", "providers", "get"),
  q("evald.internal", "collections", "get"),
  q("infrastructure.opendatahub.io", "hardwareprofiles", "get list")
)

describe.skipIf(noControlPlane)("T2: rights of the operator", () => {
  layer(cluster, live)("with its real identity", (it) => {
    it.scoped(
      "its own rights suffice for every object of an instance and of a tenant (escalation rules included)",
      () =>
        Effect.gen(function* () {
          const { admin, addNamespace } = yield* Cluster
          const { account, client } = yield* operatorAccount()
          const instance = yield* stored(admin, yield* addNamespace("services"))
          const tenant = yield* addNamespace("team", { "evald.internal/tenant": "" })
          const own = { ...platform, namespace: account.namespace }
          const desired = desiredOf(instance, { platform: own })
          const inTenant = desiredTenant({ platform: own, instance, tenant, certificates: {} })
          for (const object of [...objectsOf(desired), ...inTenant.all])
            assert.strictEqual(
              yield* statusOf(apply(client, object)),
              200,
              `${object.kind} ${object.metadata.namespace}/${object.metadata.name}`
            )
          // applied again nothing changes: nobody else owns a member of it
          for (const object of inTenant.all) yield* apply(client, object)
          const ca = {
            apiVersion: "v1",
            kind: "Secret",
            metadata: { name: "evald-operator-ca" },
            stringData: { "ca.crt": "x" }
          }
          assert.strictEqual(yield* statusOf(apply(client, ca, account.namespace)), 200)
          // through the binding that it has just made, in the instance's namespace and nowhere else
          const certificate = { ...ca, metadata: { name: "evald-tls" } }
          yield* eventually(
            "the certificate may be written",
            statusOf(apply(client, certificate, instance.namespace)),
            (status) => status === 200
          )
          assert.strictEqual(yield* statusOf(apply(client, certificate, tenant)), 403)
        })
    )

    it.scoped("case 36: it can not give itself or anybody more, nor read what is not its own", () =>
      Effect.gen(function* () {
        const { admin, addNamespace } = yield* Cluster
        const { account, client } = yield* operatorAccount()
        const tenant = yield* addNamespace("team", { "evald.internal/tenant": "" })
        const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "model-key" }, stringData: { key: "x" } }
        for (const namespace of [tenant, account.namespace]) yield* apply(admin, secret, namespace)
        const other = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "other" }, spec: {} }
        yield* admin.create({ resource: leases, namespace: account.namespace, lane }, other)
        const admins = binding("grab", { kind: "ClusterRole", name: "cluster-admin" }, account)
        const secretsRole = {
          apiVersion: `${rbac}/v1`,
          kind: "Role",
          metadata: { name: "grab" },
          rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }]
        }
        const calls: { readonly [what: string]: Effect.Effect<unknown, KubeError> } = {
          "a ClusterRoleBinding to cluster-admin": apply(client, { ...admins, kind: "ClusterRoleBinding" }, undefined),
          "a RoleBinding to cluster-admin": apply(client, admins, tenant),
          "a RoleBinding to a role of people": apply(
            client,
            binding("grab", { kind: "ClusterRole", name: "evald-tenant-user" }),
            tenant
          ),
          "a Role that reads secrets": apply(client, secretsRole, tenant),
          "a ClusterRole": apply(client, { ...secretsRole, kind: "ClusterRole" }, undefined),
          "a Secret of a tenant": client.get({ resource: secrets, namespace: tenant, name: "model-key", lane }),
          "the Secrets of a tenant": client.list({ resource: secrets, namespace: tenant, lane }),
          "another Secret of its own namespace": client.get({
            resource: secrets,
            namespace: account.namespace,
            name: "model-key",
            lane
          }),
          "another Lease": client.get({ resource: leases, namespace: account.namespace, name: "other", lane }),
          "a token of an account": client.send(
            {
              method: "POST",
              path: `${pathOf({ group: "", version: "v1", plural: "serviceaccounts", kind: "ServiceAccount" }, account.namespace, operatorName)}/token`,
              body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} }
            },
            lane
          )
        }
        for (const [what, call] of Object.entries(calls)) assert.strictEqual(yield* statusOf(call), 403, what)
      })
    )

    it.scoped("case 37: without one name in the list of roles it may bind, that binding is refused and no other", () =>
      Effect.gen(function* () {
        const { addNamespace } = yield* Cluster
        const { client } = yield* operatorAccount(["evald-job-runtime"])
        const tenant = yield* addNamespace("team", { "evald.internal/tenant": "" })
        const { all } = desiredTenant({ platform, instance: instanceIn("services"), tenant, certificates: {} })
        const refused: Array<string> = []
        for (const object of all) {
          const status = yield* statusOf(apply(client, object))
          if (status !== 200) refused.push(`${status} ${object.kind} ${object.metadata.name}`)
        }
        assert.deepStrictEqual(refused, ["403 RoleBinding evald.services.job-runtime"])
      })
    )

    it.scoped("case 38: the accounts of API and jobs have exactly the rights of the tables, where they have them", () =>
      Effect.gen(function* () {
        const { admin, addNamespace } = yield* Cluster
        const { account, client } = yield* operatorAccount()
        const instance = yield* stored(admin, yield* addNamespace("services"))
        const [tenant, other, plain] = [
          yield* addNamespace("team", { "evald.internal/tenant": "" }),
          yield* addNamespace("team", { "evald.internal/tenant": "" }),
          yield* addNamespace("plain")
        ]
        const own = { ...platform, namespace: account.namespace }
        for (const object of desiredOf(instance, { platform: own }).access) yield* apply(client, object)
        for (const object of desiredTenant({ platform: own, instance, tenant, certificates: {} }).all)
          yield* apply(client, object)
        const api = `system:serviceaccount:${instance.namespace}:evald-api`
        const job = `system:serviceaccount:${tenant}:${jobServiceAccount(instance)}`
        const rightsOf = (user: string, namespace: string) =>
          Effect.map(
            Effect.filter(questions, (question) => allowed(admin, user, namespace, question), { concurrency: 8 }),
            (found) => expand(found)
          )
        yield* eventually("the bindings", rightsOf(api, tenant), (found) => found.length >= apiInTenant.length)
        const rows = [
          ["API account in the tenant", api, tenant, apiInTenant],
          ["API account in its own namespace", api, instance.namespace, apiInOwn],
          ["API account in another tenant", api, other, []],
          ["API account in a plain namespace", api, plain, []],
          ["job account in its tenant", job, tenant, jobInTenant],
          ["job account in another tenant", job, other, []],
          ["job account in the instance's namespace", job, instance.namespace, []],
          ["job account in a plain namespace", job, plain, []]
        ] as const
        for (const [what, user, namespace, expected] of rows)
          assert.deepStrictEqual(yield* rightsOf(user, namespace), expected, what)
      })
    )
  })
})
