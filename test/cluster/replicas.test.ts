/**
 * T2: three server processes on one PostgreSQL and one real API server, one of which leads; the leader is stopped and killed while a job of
 * many benchmarks is launched. Reference: cluster-objects.md, "Launching", "Observing".
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { configMaps, jobs } from "../../infrastructure/kubernetes/client/resources.ts"
import { at } from "../support/http-app.ts"
import { freshSchema } from "../support/postgres.ts"
import { layer as cluster, noControlPlane } from "./support/cluster.ts"
import { eventually } from "./support/eventually.ts"
import { deployment, runningPod } from "./support/running-server.ts"

const live = { excludeTestServices: true, timeout: "240 seconds" } as const
const count = 40

describe.skipIf(noControlPlane)("T2: replicas", () => {
  layer(cluster, live)("on one database", (it) => {
    it.scoped("case 22: servers paused and killed: each benchmark has one Job, and who is left tells the truth", () =>
      Effect.gen(function* () {
        const url = yield* freshSchema
        const made = yield* deployment({
          settings: { database: { driver: "pgx" }, grace: { lost_seconds: 1, exit_seconds: 1 } },
          env: { DB_URL: url }
        })
        const servers = yield* Effect.all([made.start, made.start, made.start], { concurrency: 3 })
        const [first, second, last] = servers
        const tenant = yield* made.tenant
        const id = yield* tenant.submit(first, count)
        const made_ = tenant.inTenant(jobs)
        // Jobs as they were first seen: one that is made a second time has another uid
        const uids = new Map<string, string>()
        const look = Effect.map(made_, (all) => {
          for (const { metadata } of all) if (!uids.has(metadata.name)) uids.set(metadata.name, metadata.uid ?? "")
          return all.length
        })
        yield* eventually("some Jobs", look, (found) => found > 3)
        process.kill(second.pid, "SIGSTOP")
        yield* eventually("more Jobs", look, (found) => found > 8)
        yield* Effect.promise(() => first.stop("SIGKILL"))
        // whatever the two had claimed comes back when its lease is over
        yield* eventually("all Jobs", look, (found) => found === count)
        process.kill(second.pid, "SIGCONT")
        yield* eventually(
          "all configurations",
          tenant.inTenant(configMaps),
          (all) => all.filter(({ metadata }) => metadata.name.endsWith("-spec")).length === count
        )
        const found = yield* made_
        assert.strictEqual(found.length, count)
        for (const { metadata } of found) assert.strictEqual(metadata.uid, uids.get(metadata.name), metadata.name)
        const pods = yield* eventually("the pods", tenant.pods, ({ length }) => length === count)

        // whoever leads now sees what becomes of the pods
        const [ended, running] = pods.map(({ metadata }) => metadata.name).sort()
        yield* tenant.patchPod(running ?? "", runningPod)
        yield* tenant.patchPod(ended ?? "", {
          phase: "Failed",
          containerStatuses: [
            {
              ...runningPod.containerStatuses[0],
              ready: false,
              state: { terminated: { exitCode: 3, reason: "Error" } }
            }
          ]
        })
        const indexOf = (name: string | undefined) => Number(/-(\d+)-1-[a-z0-9]+$/.exec(name ?? "")?.[1])
        for (const server of [second, last]) {
          const failed = yield* eventually(
            "failed",
            tenant.benchmark(server, id, indexOf(ended)),
            (one) => at(one, "status") === "failed"
          )
          assert.include(String(at(failed, "error_message.message")), "code 3")
          assert.strictEqual(at(yield* tenant.benchmark(server, id, indexOf(running)), "status"), "pending")
        }
      })
    )
  })
})
