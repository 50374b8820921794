/** T2: the accounts of a deployment hold exactly the rights of the shipped roles, and each right is needed by one kind of call. Case 36. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import type { KubeClient } from "../../infrastructure/kubernetes/client/client.ts"
import type { KubeError } from "../../infrastructure/kubernetes/client/kube-error.ts"
import {
  configMaps,
  events,
  jobs,
  pods,
  type Resource,
  secrets
} from "../../infrastructure/kubernetes/client/resources.ts"
import { type Account, Cluster, layer as cluster, noControlPlane } from "./support/cluster.ts"
import { eventually } from "./support/eventually.ts"
import {
  apiRolesInTenant,
  nameOfRight,
  type Right,
  type Rule,
  rightsIn,
  rulesOf,
  rulesWithout
} from "./support/roles.ts"

const live = { excludeTestServices: true, timeout: "60 seconds" } as const
const lane = "launch" as const
type Client = KubeClient["Type"]

const job = (name: string) => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name },
  spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "adapter", image: "none" }] } } }
})
const object = (kind: string, name: string) => ({ apiVersion: "v1", kind, metadata: { name } })
const event = (namespace: string, name: string) => ({
  ...object("Event", name),
  involvedObject: { apiVersion: "batch/v1", kind: "Job", name: "there", namespace },
  reason: "BenchmarkLaunched",
  message: "launched",
  type: "Normal"
})

const at = (resource: Resource, namespace: string, name: string) => ({ resource, namespace, name, lane })
const background = { propagation: "Background" } as const

/** the call that needs a right, made so that nothing but the right decides between 403 and another answer */
const callOf = (
  { resource, verb }: Right,
  namespace: string,
  client: Client,
  run: string
): Effect.Effect<unknown, KubeError> | undefined => {
  const calls: { readonly [right: string]: Effect.Effect<unknown, KubeError> } = {
    "create jobs": client.create({ resource: jobs, namespace, lane }, job(`made-${run}`)),
    "delete jobs": client.remove(at(jobs, namespace, "absent"), background),
    "get jobs": client.get(at(jobs, namespace, "absent")),
    "list jobs": client.list({ resource: jobs, namespace, lane }),
    "watch jobs": client.send(
      { method: "GET", path: `/apis/batch/v1/namespaces/${namespace}/jobs?watch=1&timeoutSeconds=1` },
      lane
    ),
    "patch jobs": client.mergePatch(at(jobs, namespace, "absent"), { metadata: { labels: { phase: "Running" } } }),
    "create configmaps": client.create({ resource: configMaps, namespace, lane }, object("ConfigMap", `made-${run}`)),
    "get configmaps": client.get(at(configMaps, namespace, "absent")),
    "delete configmaps": client.remove(at(configMaps, namespace, "absent"), background),
    "create secrets": client.create({ resource: secrets, namespace, lane }, object("Secret", `made-${run}`)),
    "get secrets": client.getMetadata(at(secrets, namespace, "absent")),
    "delete secrets": client.remove(at(secrets, namespace, "absent"), background),
    "get pods": client.get(at(pods, namespace, "absent")),
    "list pods": client.list({ resource: pods, namespace, lane }),
    "watch pods": client.send(
      { method: "GET", path: `/api/v1/namespaces/${namespace}/pods?watch=1&timeoutSeconds=1` },
      lane
    ),
    "get pods/log": client.logs(
      { namespace, pod: "absent", lane },
      { container: "adapter", timestamps: true, follow: false }
    ),
    "create events": client.create({ resource: events, namespace, lane }, event(namespace, `made-${run}`)),
    "list events": client.list({ resource: events, namespace, lane }),
    "list workloads": client.list({
      resource: { group: "kueue.x-k8s.io", version: "v1beta1", plural: "workloads", kind: "Workload" },
      namespace,
      lane
    }),
    "list localqueues": client.list({
      resource: { group: "kueue.x-k8s.io", version: "v1beta1", plural: "localqueues", kind: "LocalQueue" },
      namespace,
      lane
    })
  }
  return calls[`${verb} ${resource}`]
}

const isForbidden = (call: Effect.Effect<unknown, KubeError>) =>
  Effect.match(call, { onFailure: (error) => error.class === "forbidden", onSuccess: () => false })

/** held and never used: specified, or checked by the tracker rather than the cluster */
const unused = (right: Right): boolean =>
  right.resource === "experiments" || right.verb === "update" || nameOfRight(right) === "patch events"

describe.skipIf(noControlPlane)("T2: rights", () => {
  layer(cluster, live)("of the accounts of a deployment", (it) => {
    const inTenant = apiRolesInTenant.flatMap((name) => rulesOf(name))
    const used = rightsIn(inTenant).filter((right) => !unused(right))

    it.scoped("case 36: each right of the API account, taken away, refuses its own call and no other", () =>
      Effect.gen(function* () {
        const { addNamespace, addAccount, addRole, bind, tokenOf, clientAs } = yield* Cluster
        const system = yield* addNamespace("evald-system")
        const variant = (run: string, rules: ReadonlyArray<Rule>) =>
          Effect.gen(function* () {
            const namespace = yield* addNamespace("team")
            const account = yield* addAccount(system, run)
            yield* addRole(namespace, "api", rules)
            yield* bind(namespace, { kind: "Role", metadata: { name: "api" } }, { ...account, kind: "ServiceAccount" })
            return { namespace, client: yield* clientAs(yield* tokenOf(account)) }
          })
        const refusedCalls = (
          { namespace, client }: { readonly namespace: string; readonly client: Client },
          run: string
        ) =>
          Effect.map(
            Effect.forEach(used, (right) => {
              const call = callOf(right, namespace, client, run)
              return call === undefined
                ? Effect.dieMessage(`no call for ${nameOfRight(right)}`)
                : Effect.map(isForbidden(call), (no) => (no ? nameOfRight(right) : ""))
            }),
            (names) => names.filter((name) => name !== "")
          )
        /** bindings take effect a moment after they are made */
        const settled = (look: Effect.Effect<ReadonlyArray<string>, KubeError>, count: number) =>
          eventually("the bindings", look, (names) => names.length <= count)
        const check = (taken: Right | undefined, position: number) =>
          Effect.gen(function* () {
            const run = `api-${position}`
            const made = yield* variant(run, taken === undefined ? inTenant : rulesWithout(inTenant, taken))
            yield* settled(refusedCalls(made, run), taken === undefined ? 0 : 1)
            assert.deepStrictEqual(
              yield* refusedCalls(made, `${run}-again`),
              taken === undefined ? [] : [nameOfRight(taken)]
            )
          })
        yield* check(undefined, used.length)
        yield* Effect.forEach(used, check, { concurrency: 4 })
      })
    )

    it.scoped("case 36: without the right to review nobody can be identified or let in", () =>
      Effect.gen(function* () {
        const { addNamespace, addAccount, addApiAccount, tokenOf, clientAs } = yield* Cluster
        const plain = yield* addAccount(yield* addNamespace("evald-system"), "evald-api")
        const review = (client: Client, group: string, kind: string) =>
          client.send(
            {
              method: "POST",
              path: `/apis/${group}/v1/${kind.toLowerCase()}s`,
              body: {
                apiVersion: `${group}/v1`,
                kind,
                spec: { token: "t", user: "u", resourceAttributes: { verb: "get", resource: "pods" } }
              }
            },
            lane
          )
        for (const [account, expected] of [
          [plain, true],
          [yield* addApiAccount, false]
        ] as const) {
          const client = yield* clientAs(yield* tokenOf(account))
          for (const [group, kind] of [
            ["authentication.k8s.io", "TokenReview"],
            ["authorization.k8s.io", "SubjectAccessReview"]
          ] as const) {
            yield* eventually("the binding", isForbidden(review(client, group, kind)), (no) => no === expected)
            assert.strictEqual(
              yield* isForbidden(review(client, group, kind)),
              expected,
              `${kind} as ${account.namespace}`
            )
          }
        }
      })
    )

    it.scoped(
      "case 36: the job account may touch nothing of its tenant, and neither account anything elsewhere or more than its rights",
      () =>
        Effect.gen(function* () {
          const { addApiAccount, addTenant, addNamespace, tokenOf, clientAs } = yield* Cluster
          const api = yield* addApiAccount
          const tenant = yield* addTenant(api)
          const elsewhere = yield* addNamespace("team")
          const as = (account: Account) => Effect.flatMap(tokenOf(account), clientAs)
          const [server, runner] = [yield* as(api), yield* as(tenant.job)]
          yield* eventually(
            "the bindings",
            isForbidden(server.list({ resource: jobs, namespace: tenant.name, lane })),
            (no) => !no
          )
          for (const right of used) {
            const [own, foreign] = [
              callOf(right, tenant.name, runner, "job"),
              callOf(right, elsewhere, server, "elsewhere")
            ]
            if (own !== undefined) assert.isTrue(yield* isForbidden(own), `job account: ${nameOfRight(right)}`)
            if (foreign !== undefined)
              assert.isTrue(yield* isForbidden(foreign), `API account elsewhere: ${nameOfRight(right)}`)
          }
          const never: ReadonlyArray<Effect.Effect<unknown, KubeError>> = [
            server.create(
              { resource: pods, namespace: tenant.name, lane },
              { ...object("Pod", "p"), spec: { containers: [{ name: "c", image: "none" }] } }
            ),
            server.remove(at(pods, tenant.name, "absent"), background),
            server.send(
              { method: "POST", path: `/api/v1/namespaces/${tenant.name}/pods/absent/exec?command=sh` },
              lane
            ),
            server.list({ resource: secrets, namespace: tenant.name, lane }),
            server.send(
              { method: "GET", path: `/api/v1/namespaces/${tenant.name}/secrets?watch=1&timeoutSeconds=1` },
              lane
            ),
            server.send(
              { method: "PUT", path: `/apis/batch/v1/namespaces/${tenant.name}/jobs/absent`, body: job("absent") },
              lane
            ),
            server.list({ resource: jobs, lane }),
            server.get(
              at(
                {
                  group: "infrastructure.opendatahub.io",
                  version: "v1",
                  plural: "hardwareprofiles",
                  kind: "HardwareProfile"
                },
                tenant.name,
                "p"
              )
            )
          ]
          for (const [position, call] of never.entries())
            assert.isTrue(yield* isForbidden(call), `call ${position} of what nobody may`)
        })
    )
  })
})
