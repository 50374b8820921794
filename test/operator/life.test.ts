/** T2: the whole life of instances under the operator's own account, and what changes of an instance do to its pods. */
import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { describe } from "vitest"
import { pathOf } from "../../infrastructure/kubernetes/client/resources.ts"
import { deployments, kindsOutside } from "../../infrastructure/kubernetes/operator/kinds.ts"
import { type ApiFront, apiFront } from "../cluster/support/api-front.ts"
import { Cluster, layer as cluster, noControlPlane } from "../cluster/support/cluster.ts"
import { eventually } from "../cluster/support/eventually.ts"
import { conditionStatus, setUp } from "../cluster/support/operator-process.ts"
import { at } from "../support/http-app.ts"

const live = { excludeTestServices: true, timeout: "200 seconds" } as const
const lane = "launch" as const

/** what was refused, but for the first writes of a certificate, whose right was granted a moment before, and for kinds that are not installed */
const refusals = ({ seen }: ApiFront): ReadonlyArray<string> =>
  seen()
    .filter(({ status, path }) => status === 403 && !/\/secrets\/[^/?]+-tls\b|\/(routes|servicemonitors)\b/.test(path))
    .map(({ method, path }) => `${method} ${path}`)

describe.skipIf(noControlPlane)("T2: a whole life", () => {
  layer(cluster, live)("of instances", (it) => {
    it.scoped("case 34: the resource is scaled as an autoscaler does it, and its Deployment follows", () =>
      Effect.gen(function* () {
        const operator = yield* setUp
        const { admin, resources } = operator
        const { addNamespace } = yield* Cluster
        yield* operator.start
        const home = yield* addNamespace("services")
        yield* operator.addInstance(home, "evald", {
          providers: ["evald"],
          database: { type: "postgresql", secret: "db" }
        })
        const replicas = Effect.map(
          Effect.option(admin.get({ resource: deployments, namespace: home, name: "evald", lane })),
          (found) => at(Option.getOrUndefined(found), "spec.replicas")
        )
        yield* eventually("one", replicas, (count) => count === 1)
        const scale = (method: "GET" | "PATCH", body?: object) =>
          admin.send(
            {
              method,
              path: `${pathOf(resources, home, "evald")}/scale`,
              ...(body === undefined ? {} : { contentType: "application/merge-patch+json" as const, body })
            },
            lane
          )
        yield* scale("PATCH", { spec: { replicas: 2 } })
        yield* eventually("two", replicas, (count) => count === 2)
        // what an autoscaler reads
        yield* operator.rolledOut(home, "evald", 2)
        const seen = yield* eventually("told", scale("GET"), (found) => at(found, "status.replicas") === 2)
        assert.include(String(at(seen, "status.selector")), "app.kubernetes.io/instance=evald")
      })
    )

    it.scoped("case 35: two instances and five tenants from the first object to the last: nothing is refused", () =>
      Effect.gen(function* () {
        const front = yield* apiFront
        const operator = yield* setUp
        const { addNamespace } = yield* Cluster
        const running = yield* operator.startBy(front)
        const [one, two] = [yield* addNamespace("services"), yield* addNamespace("services")]
        const tenants = yield* Effect.forEach(Array.from({ length: 5 }), () => addNamespace("team", operator.label))
        yield* operator.addInstance(one, "first", {
          providers: ["evald"],
          replicas: 2,
          database: { type: "postgresql", secret: "db" },
          expose: { type: "Ingress", host: "evald.example" },
          tracker: { uri: "https://tracker.example" }
        })
        yield* operator.addInstance(two, "second", {
          providers: ["evald"],
          database: { type: "sqlite", persistence: { reclaim: "Delete" } },
          hardwareProfilesNamespace: one
        })
        for (const [home, name, replicas] of [
          [one, "first", 2],
          [two, "second", 1]
        ] as const) {
          yield* operator.when(home, "five tenants", (found) => at(found, "status.tenants.ready") === 5, name)
          yield* operator.rolledOut(home, name, replicas)
          yield* operator.when(home, "ready", (found) => conditionStatus(found, "Ready") === "True", name)
        }
        // each change of an instance that makes or removes other objects, and every way that a tenant goes
        const change = (home: string, name: string, spec: object) =>
          Effect.zipRight(
            operator.change(home, name, spec),
            operator.when(
              home,
              "followed",
              (found) => at(found, "status.observedGeneration") === at(found, "metadata.generation"),
              name
            )
          )
        yield* change(one, "first", { expose: { type: "None", host: null }, replicas: 1 })
        yield* change(one, "first", { tls: { mode: "Disabled" }, networkPolicy: { enabled: false } })
        yield* change(two, "second", { hardwareProfilesNamespace: null, metrics: { enabled: false } })
        yield* operator.setLabels(tenants[0] ?? "", { [Object.keys(operator.label)[0] ?? ""]: null })
        for (const [home, name] of [
          [one, "first"],
          [two, "second"]
        ] as const) {
          yield* operator.when(home, "one less", (found) => at(found, "status.tenants.total") === 4, name)
          yield* operator.removeInstance(home, name)
          yield* eventually("gone", operator.resource(home, name), Option.isNone)
          yield* eventually("nothing elsewhere", operator.made(home, name, kindsOutside), (all) =>
            all.every((object) => object.includes(` ${home}/`))
          )
        }
        assert.isAtLeast(front.seen().length, 200)
        assert.deepStrictEqual(refusals(front), [])
        assert.strictEqual(yield* Effect.promise(() => running.stop()), 0)
      })
    )
  })
})
