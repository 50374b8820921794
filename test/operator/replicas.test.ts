/** T2: two replicas of the operator on the real control plane write everything once. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Stream } from "effect"
import { describe } from "vitest"
import { managedKinds } from "../../infrastructure/kubernetes/operator/kinds.ts"
import { type ApiFront, apiFront } from "../cluster/support/api-front.ts"
import { Cluster, layer as cluster, noControlPlane } from "../cluster/support/cluster.ts"
import { eventually } from "../cluster/support/eventually.ts"
import { labelAll, manyNamespaces } from "../cluster/support/many-tenants.ts"
import { setUp } from "../cluster/support/operator-process.ts"
import { at } from "../support/http-app.ts"

const live = { excludeTestServices: true, timeout: "250 seconds" } as const
const lane = "launch" as const
type Operator = Effect.Effect.Success<typeof setUp>

/** versions that each object of the instances had, from now on */
const audited = ({ admin, group }: Operator) =>
  Effect.gen(function* () {
    const versions = new Map<string, Set<string>>()
    for (const resource of managedKinds.filter(({ plural }) => !["servicemonitors", "routes"].includes(plural))) {
      const selection = { resource, lane, labelSelector: `${group}/instance-name` }
      const { resourceVersion } = yield* admin.list(selection)
      yield* Effect.forkScoped(
        admin.watch(selection, { resourceVersion, timeoutSeconds: 300 }).pipe(
          Stream.runForEach((event) =>
            Effect.sync(() => {
              if (event.type !== "ADDED" && event.type !== "MODIFIED") return
              const { namespace = "", name, resourceVersion: version = "" } = event.object.metadata
              const key = `${resource.kind} ${namespace}/${name}`
              versions.set(key, (versions.get(key) ?? new Set()).add(version))
            })
          )
        )
      )
    }
    return versions
  })

const writesOf = ({ seen }: ApiFront) =>
  seen()
    .filter(({ method, path }) => method !== "GET" && !path.includes("/leases") && !path.includes("/events"))
    .map(({ method, path }) => `${method} ${path.split("?")[0]}`)

describe.skipIf(noControlPlane)("T2: replicas", () => {
  layer(cluster, live)("of the operator", (it) => {
    it.scoped("two replicas write every object once, also when the one that leads is killed at it", () =>
      Effect.gen(function* () {
        const operator = yield* setUp
        const { addNamespace } = yield* Cluster
        const [first, second] = [yield* apiFront, yield* apiFront]
        const versions = yield* audited(operator)
        const leader = yield* operator.startBy(first)
        yield* eventually(
          "it leads",
          Effect.sync(() => first.seen().some(({ path }) => path.includes("/deployments"))),
          Boolean
        )
        yield* operator.startBy(second)
        const home = yield* addNamespace("services")
        yield* operator.addInstance(home)
        const [early, late] = [yield* manyNamespaces(10), yield* manyNamespaces(30)]
        yield* labelAll(operator, early)
        yield* operator.when(home, "ten", (found) => at(found, "status.tenants.ready") === 10)
        assert.deepStrictEqual(writesOf(second), [])
        // in the middle of the next thirty
        const before = writesOf(first).length
        yield* labelAll(operator, late)
        yield* eventually(
          "at it",
          Effect.sync(() => writesOf(first).length),
          (count) => count > before + 60
        )
        const killed = yield* Clock.currentTimeMillis
        yield* Effect.promise(() => leader.stop("SIGKILL"))
        yield* eventually(
          "the other leads",
          Effect.sync(() => writesOf(second).length),
          (count) => count > 0
        )
        const seconds = ((yield* Clock.currentTimeMillis) - killed) / 1000
        yield* operator.when(home, "forty", (found) => at(found, "status.tenants.ready") === 40)
        console.info(`the other replica wrote ${seconds.toFixed(1)} s after the first was killed`)
        assert.isAtMost(seconds, 20)
        yield* Effect.sleep("3 seconds")
        assert.isAtLeast(versions.size, 40 * 12)
        assert.deepStrictEqual(
          [...versions].filter(([, all]) => all.size > 1).map(([name, all]) => `${name}: ${all.size}`),
          []
        )
      })
    )
  })
})
