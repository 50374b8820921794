/** T2: a server process whose pods are evicted through the eviction API. Reference: cluster-objects.md, "Job and pod", "Observing"; case 55. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { at } from "../support/http-app.ts"
import { Cluster, layer as cluster, noControlPlane } from "./support/cluster.ts"
import { eventually } from "./support/eventually.ts"
import { deployment, runningPod, stoppedPod } from "./support/running-server.ts"

const live = { excludeTestServices: true, timeout: "120 seconds" } as const

describe.skipIf(noControlPlane)("T2: eviction", () => {
  layer(cluster, live)("of a running pod", (it) => {
    const evictedUnder = (on_disruption: "fail" | "restart") =>
      Effect.gen(function* () {
        const { admin } = yield* Cluster
        const made = yield* deployment({ k8s: { on_disruption }, settings: { grace: { evicted_seconds: 1 } } })
        const server = yield* made.start
        const tenant = yield* made.tenant
        const id = yield* tenant.submit(server)
        const [pod] = yield* eventually("the pod", tenant.pods, ({ length }) => length === 1)
        const name = pod?.metadata.name ?? ""
        yield* tenant.patchPod(name, runningPod)
        assert.strictEqual((yield* tenant.report(server, id, { status: "running" })).status, 200)
        yield* admin.send(
          {
            method: "POST",
            path: `/api/v1/namespaces/${tenant.name}/pods/${name}/eviction`,
            body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } }
          },
          "launch"
        )
        // as its kubelet would, had it one
        yield* Effect.ignore(tenant.patchPod(name, stoppedPod))
        return { server, tenant, id, name }
      })

    it.scoped("case 55: `fail`: the Job fails by its policy, the benchmark as evicted, and no second pod is made", () =>
      Effect.gen(function* () {
        const { server, tenant, id, name } = yield* evictedUnder("fail")
        const failed = yield* eventually(
          "failed",
          tenant.benchmark(server, id),
          (found) => at(found, "status") === "failed"
        )
        assert.deepInclude(at(failed, "error_message"), { message_code: "evicted", message_origin: "runtime" })
        assert.isEmpty((yield* tenant.pods).filter(({ metadata }) => metadata.name !== name))
        const record = yield* tenant.call(server, "GET", `jobs/${id}`)
        assert.strictEqual(at(record.json, "status.state"), "failed")
      })
    )

    it.scoped("case 55: `restart`: a second pod, and the state stays", () =>
      Effect.gen(function* () {
        const { server, tenant, id, name } = yield* evictedUnder("restart")
        const others = Effect.map(tenant.pods, (all) => all.filter(({ metadata }) => metadata.name !== name))
        const [second] = yield* eventually("a second pod", others, ({ length }) => length === 1)
        assert.strictEqual(at(yield* tenant.benchmark(server, id), "status"), "running")
        yield* tenant.patchPod(second?.metadata.name ?? "", runningPod)
        yield* eventually(
          "no warning",
          tenant.benchmark(server, id),
          (found) => at(found, "warning_message") === undefined
        )
        assert.strictEqual(
          (yield* tenant.report(server, id, { status: "completed", metrics: { accuracy: 1 } })).status,
          200
        )
        assert.strictEqual(at(yield* tenant.benchmark(server, id), "status"), "completed")
        assert.isUndefined(at(yield* tenant.job, "status.failed"))
      })
    )
  })
})
