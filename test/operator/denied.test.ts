/** T2: a right that is taken from the operator while it works: what lacks it is named, everything else goes on, and nobody has to restart it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import type { Resource } from "../../infrastructure/kubernetes/client/resources.ts"
import { operatorClusterRole, operatorName } from "../../infrastructure/kubernetes/installation/roles.ts"
import { listMember, member } from "../../values/json.ts"
import { Cluster, layer as cluster, noControlPlane } from "../cluster/support/cluster.ts"
import { eventually } from "../cluster/support/eventually.ts"
import { apply } from "../cluster/support/operator-kinds.ts"
import { conditionStatus, setUp } from "../cluster/support/operator-process.ts"
import { at } from "../support/http-app.ts"
import { platform } from "../support/operator-inputs.ts"

const live = { excludeTestServices: true, timeout: "200 seconds" } as const
const rbac = "rbac.authorization.k8s.io"
const clusterRoles: Resource = { group: rbac, version: "v1", plural: "clusterroles", kind: "ClusterRole" }

describe.skipIf(noControlPlane)("T2: the operator, denied something", () => {
  layer(cluster, live)("that it had", (it) => {
    it.scoped(
      "case 37: one role that it may bind no more: that object alone fails and is named; given back, the tenant is ready without a restart",
      () =>
        Effect.gen(function* () {
          const operator = yield* setUp
          const { admin, here } = operator
          const { addNamespace } = yield* Cluster
          const { home } = yield* operator.oneTenant
          const name = `${here.rolePrefix}job-runtime`
          const rules = operatorClusterRole(here)
          const give = (given: typeof rules) =>
            apply(admin, {
              apiVersion: `${rbac}/v1`,
              kind: clusterRoles.kind,
              metadata: { name: operatorName },
              rules: given
            })
          const review = {
            apiVersion: "authorization.k8s.io/v1",
            kind: "SubjectAccessReview",
            spec: {
              user: `system:serviceaccount:${here.namespace}:${platform.serviceAccount}`,
              resourceAttributes: { group: rbac, resource: clusterRoles.plural, verb: "bind", name }
            }
          }
          const mayBind = Effect.map(
            admin.send(
              { method: "POST", path: "/apis/authorization.k8s.io/v1/subjectaccessreviews", body: review },
              "launch"
            ),
            (answer) => at(answer, "status.allowed") === true
          )
          assert.isTrue(yield* mayBind)
          yield* give(
            rules.map((rule) =>
              rule.resourceNames === undefined
                ? rule
                : { ...rule, resourceNames: rule.resourceNames.filter((one) => one !== name) }
            )
          )
          yield* eventually("the right is gone", mayBind, (may) => !may)

          const late = yield* addNamespace("team", operator.label)
          const named = yield* operator.when(
            home,
            "named",
            (found) =>
              at(found, "status.tenants.total") === 2 && listMember(at(found, "status.tenants"), "failed").length === 1
          )
          const [failed] = listMember(at(named, "status.tenants"), "failed")
          assert.deepStrictEqual([member(failed, "namespace"), member(failed, "reason")], [late, "Forbidden"])
          assert.include(String(member(failed, "message")), `evald.${home}.job-runtime`)
          const condition = listMember(at(named, "status"), "conditions").find(
            (one) => member(one, "type") === "TenantsReady"
          )
          assert.deepStrictEqual([member(condition, "status"), member(condition, "reason")], ["False", "SomeFailed"])
          assert.deepStrictEqual([at(named, "status.tenants.ready"), conditionStatus(named, "Ready")], [1, "True"])
          const inLate = Effect.map(operator.made(home), (all) => all.filter((object) => object.includes(` ${late}/`)))
          const there = yield* inLate
          assert.lengthOf(there, 11)
          assert.isFalse(there.some((object) => object.endsWith(".job-runtime")))

          yield* give(rules)
          yield* operator.when(home, "ready", (found) => at(found, "status.tenants.ready") === 2)
          assert.lengthOf(yield* inLate, 12)
        })
    )
  })
})
