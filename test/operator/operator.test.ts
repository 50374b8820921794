/**
 * T2: `evald operator` as a process under its own service account, with nothing but its installed rights, in an API group of its own so
 * that other tests' resources are not its business. Pods do not run here; the status of Deployments is written by the test.
 */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Option } from "effect"
import { describe } from "vitest"
import type { KubeError } from "../../infrastructure/kubernetes/client/kube-error.ts"
import { jobs, pathOf } from "../../infrastructure/kubernetes/client/resources.ts"
import { apiAccount } from "../../infrastructure/kubernetes/manifests/managed.ts"
import { deployments, kindsOutside, roleBindings } from "../../infrastructure/kubernetes/operator/kinds.ts"
import { listMember, member } from "../../values/json.ts"
import { Cluster, layer as cluster, noControlPlane } from "../cluster/support/cluster.ts"
import { eventually } from "../cluster/support/eventually.ts"
import { conditionStatus, setUp } from "../cluster/support/operator-process.ts"
import { deployment } from "../cluster/support/running-server.ts"
import type { Running } from "../support/evald-process.ts"
import { at } from "../support/http-app.ts"

const live = { excludeTestServices: true, timeout: "200 seconds" } as const
const lane = "launch" as const
/** what somebody else changed is as it was within this time */
const repairMillis = 5000

/** what the operator was refused, besides the first write of a certificate */
const refusals = ({ output }: Running): ReadonlyArray<string> =>
  output()
    .split("\n")
    .filter((line) => /forbidden/i.test(line) && !/"DEBUG"|routes|servicemonitors/.test(line))

describe.skipIf(noControlPlane)("T2: the operator", () => {
  layer(cluster, live)("under its own service account", (it) => {
    it.scoped(
      "first slice: a definition, an instance on sqlite, a tenant, a job by a server with what it was given, and all of it gone",
      () =>
        Effect.gen(function* () {
          const { admin, here, label, oneTenant, removeInstance, resource, made, setLabels, names } = yield* setUp
          const { addNamespace, addAccount, bind, tokenOf } = yield* Cluster
          const { running, home, tenant, ready } = yield* oneTenant
          for (const type of [
            "Configured",
            "TLSReady",
            "StorageReady",
            "DefinitionsReady",
            "TenantsReady",
            "HardwareProfilesReady",
            "ObjectsOwned"
          ])
            assert.strictEqual(conditionStatus(ready, type), "True", type)
          assert.deepStrictEqual(refusals(running), [])

          // a server with the account that the operator made, and no other rights
          const api = { name: apiAccount({ name: "evald", namespace: home }), namespace: home }
          const server = yield* deployment({
            account: api,
            settings: { domain: names.domain, api_groups: names.api_groups },
            k8s: { namespace: home, instance_name: "evald", service_ca: `evald.${home}.service-ca` }
          })
          const process_ = yield* server.start
          const user = yield* addAccount(yield* addNamespace("people"), "user")
          yield* bind(
            tenant,
            { kind: "ClusterRole", metadata: { name: `${here.rolePrefix}tenant-user` } },
            { kind: "ServiceAccount", ...user }
          )
          const asUser = { token: yield* tokenOf(user), tenant }
          const submitted = yield* eventually(
            "accepted",
            server.call(process_, "POST", "jobs", asUser, {
              name: "t2",
              model: { url: "https://m.example/v1", name: "m" },
              benchmarks: [{ id: "arith_basic", provider_id: "evald" }]
            }),
            ({ status }) => status !== 403 && status !== 503
          )
          assert.strictEqual(submitted.status, 202, JSON.stringify(submitted.json))
          yield* eventually(
            "its Job",
            admin.list({ resource: jobs, namespace: tenant, lane }),
            ({ items }) => items.length === 1
          )

          // the label goes: what ran is stopped, and nothing of the instance stays
          yield* setLabels(tenant, { [Object.keys(label)[0] ?? ""]: null })
          yield* eventually(
            "no Job",
            admin.list({ resource: jobs, namespace: tenant, lane }),
            ({ items }) => items.length === 0
          )
          yield* eventually("nothing in the tenant", made(home), (all) =>
            all.every((name) => !name.includes(` ${tenant}/`))
          )
          yield* setLabels(tenant, label)
          yield* eventually(
            "back",
            made(home),
            (all) => all.filter((name) => name.includes(` ${tenant}/`)).length === 12
          )

          yield* removeInstance(home)
          yield* eventually("gone", resource(home), Option.isNone)
          assert.deepStrictEqual(
            (yield* made(home, "evald", kindsOutside)).filter((name) => !name.includes(` ${home}/`)),
            []
          )
          yield* eventually("nothing left", made(home), (all) => all.length === 0)
          assert.strictEqual(yield* Effect.promise(() => running.stop()), 0)
        })
    )

    it.scoped(
      "case 40: another manager changes replicas, an env value and a label, deletes a binding, strips our labels, swaps a role: each back within 5 s; a restart and what is theirs stays",
      () =>
        Effect.gen(function* () {
          const { admin, group, oneTenant, made } = yield* setUp
          const { home, tenant } = yield* oneTenant
          const target = { resource: roleBindings, namespace: tenant, name: `evald.${home}.jobs-writer`, lane }
          const dep = { resource: deployments, namespace: home, name: "evald", lane }
          const theirs = { "kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z" }
          /** what somebody does, and that it is undone in time */
          const undone = <A, E>(
            what: string,
            act: Effect.Effect<unknown, KubeError>,
            look: Effect.Effect<A, E>,
            holds: (found: A) => boolean
          ) =>
            Effect.gen(function* () {
              yield* act
              const since = yield* Clock.currentTimeMillis
              yield* eventually(what, look, holds)
              assert.isAtMost((yield* Clock.currentTimeMillis) - since, repairMillis, what)
            })
          const variable = (found: unknown, name: string) =>
            member(
              listMember(at(found, "spec.template.spec.containers.0"), "env").find(
                (one) => member(one, "name") === name
              ),
              "value"
            )
          yield* undone(
            "the Deployment is as it was",
            admin.send(
              {
                method: "PATCH",
                path: pathOf(deployments, home, "evald"),
                contentType: "application/strategic-merge-patch+json",
                body: {
                  metadata: { labels: { "app.kubernetes.io/part-of": "theirs", "example.com/team": "theirs" } },
                  spec: {
                    replicas: 3,
                    template: {
                      metadata: { annotations: theirs },
                      spec: { containers: [{ name: "evald", env: [{ name: "EVALD_INSTANCE_NAME", value: "theirs" }] }] }
                    }
                  }
                }
              },
              lane
            ),
            admin.get(dep),
            (found) =>
              at(found, "spec.replicas") === 1 &&
              found.metadata.labels?.["app.kubernetes.io/part-of"] === "evald" &&
              variable(found, "EVALD_INSTANCE_NAME") === "evald"
          )
          const left = yield* admin.get(dep)
          assert.strictEqual(left.metadata.labels?.["example.com/team"], "theirs")
          assert.include(at(left, "spec.template.metadata.annotations"), theirs)
          const swapped = yield* admin.get(target)
          const gone = admin.remove(target, { propagation: "Background" })
          yield* undone("the binding is back", gone, Effect.option(admin.get(target)), Option.isSome)
          yield* undone(
            "its labels are back",
            admin.mergePatch(target, {
              metadata: { labels: { [`${group}/instance-name`]: null, "app.kubernetes.io/managed-by": null } }
            }),
            admin.get(target),
            ({ metadata }) => metadata.labels?.["app.kubernetes.io/managed-by"] === "evald-operator"
          )
          const { labels, annotations } = swapped.metadata
          const other = {
            apiVersion: "rbac.authorization.k8s.io/v1",
            kind: "RoleBinding",
            metadata: { name: target.name, labels, annotations },
            roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
            subjects: []
          }
          yield* undone(
            "its role is back",
            // the operator may have been faster
            Effect.zipRight(
              gone,
              Effect.ignore(admin.create({ resource: target.resource, namespace: tenant, lane }, other))
            ),
            Effect.option(admin.get(target)),
            (found) => String(at(Option.getOrUndefined(found), "roleRef.name")).endsWith("jobs-writer")
          )
          assert.lengthOf(
            (yield* made(home)).filter((name) => name.includes(` ${tenant}/`)),
            12
          )
        })
    )

    it.scoped(
      "case 47: a label that is removed while the operator is down is swept after its start; so is an instance whose finalizer went by force",
      () =>
        Effect.gen(function* () {
          const {
            admin,
            group,
            label,
            start,
            addInstance,
            removeInstance,
            resource,
            rolledOut,
            when,
            setLabels,
            made
          } = yield* setUp
          const { addNamespace } = yield* Cluster
          const first = yield* start
          const home = yield* addNamespace("services")
          const [one, two] = [yield* addNamespace("team", label), yield* addNamespace("team", label)]
          yield* addInstance(home)
          yield* rolledOut(home)
          yield* when(home, "two tenants", (found) => at(found, "status.tenants.ready") === 2)
          assert.strictEqual(yield* Effect.promise(() => first.stop()), 0)
          yield* setLabels(one, { [`${group}/tenant`]: null })
          const second = yield* start
          yield* eventually("swept", made(home), (all) => all.every((name) => !name.includes(` ${one}/`)))
          yield* Effect.promise(() => second.stop())
          yield* admin.mergePatch(
            {
              resource: { group, version: "v1alpha1", plural: "evaluationservices", kind: "EvaluationService" },
              namespace: home,
              name: "evald",
              lane
            },
            { metadata: { finalizers: [] } }
          )
          yield* removeInstance(home)
          yield* eventually("gone", resource(home), Option.isNone)
          assert.isNotEmpty((yield* made(home)).filter((name) => name.includes(` ${two}/`)))
          yield* start
          yield* eventually("all swept", made(home, "evald", kindsOutside), (all) => all.length === 0)
        })
    )
  })
})
