/**
 * T2: what a change of an instance does to its pods where Deployments really roll out. No node runs here: the test says of each pod that it
 * is ready, a moment after it was made, as a kubelet would.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { describe } from "vitest"
import { type KubeObject, pods } from "../../infrastructure/kubernetes/client/resources.ts"
import { deployments } from "../../infrastructure/kubernetes/operator/kinds.ts"
import { listMember, member } from "../../values/json.ts"
import { Cluster, layer as cluster, noControlPlane } from "../cluster/support/cluster.ts"
import { setUp } from "../cluster/support/operator-process.ts"
import { at } from "../support/http-app.ts"

const live = { excludeTestServices: true, timeout: "120 seconds" } as const
const lane = "launch" as const
const rollMillis = 180_000

const isReady = (pod: KubeObject): boolean =>
  pod.metadata.deletionTimestamp === undefined &&
  listMember(pod["status"], "conditions").some(
    (one) => member(one, "type") === "Ready" && member(one, "status") === "True"
  )

const hashIn = (found: unknown, domain: string): unknown =>
  member(at(found, "spec.template.metadata.annotations"), `${domain}/config-hash`)

describe.skipIf(noControlPlane)("T2: a change of an instance", () => {
  layer(cluster, live)("where Deployments roll out", (it) => {
    it.scoped(
      "case 49: another image and another configuration of two replicas: two are ready at every moment, the hash changes once",
      () =>
        Effect.gen(function* () {
          const operator = yield* setUp
          const { admin, here } = operator
          const { addNamespace } = yield* Cluster
          yield* operator.start
          const home = yield* addNamespace("services")
          yield* operator.addInstance(home, "evald", {
            providers: ["evald"],
            replicas: 2,
            database: { type: "postgresql", secret: "db" },
            metrics: { serviceMonitor: { enabled: false } }
          })
          const all = Effect.map(admin.list({ resource: pods, namespace: home, lane }), ({ items }) => items)
          /** of pods that were there at the last look and are not ready yet */
          let known = new Set<string>()
          const tend = Effect.gen(function* () {
            const found = yield* all
            for (const pod of found)
              if (known.has(pod.metadata.name) && !isReady(pod) && pod.metadata.deletionTimestamp === undefined)
                yield* Effect.ignore(
                  admin.send(
                    {
                      method: "PATCH",
                      path: `/api/v1/namespaces/${home}/pods/${pod.metadata.name}/status`,
                      contentType: "application/strategic-merge-patch+json",
                      body: {
                        status: {
                          phase: "Running",
                          conditions: [{ type: "Ready", status: "True", lastTransitionTime: new Date().toISOString() }]
                        }
                      }
                    },
                    lane
                  )
                )
            known = new Set(found.map(({ metadata }) => metadata.name))
          })
          yield* Effect.forkScoped(Effect.repeat(Effect.ignore(tend), Schedule.spaced("400 millis")))
          yield* operator.when(home, "ready", (found) => at(found, "status.phase") === "Ready")

          const ready: Array<number> = []
          const phases: Array<unknown> = []
          const hashes = new Set<unknown>()
          const sample = Effect.gen(function* () {
            ready.push((yield* all).filter(isReady).length)
            const phase = at(yield* Effect.flatten(operator.resource(home)), "status.phase")
            if (phases.at(-1) !== phase) phases.push(phase)
            hashes.add(
              hashIn(yield* admin.get({ resource: deployments, namespace: home, name: "evald", lane }), here.domain)
            )
          })
          yield* Effect.forkScoped(Effect.repeat(Effect.orDie(sample), Schedule.spaced("50 millis")))
          const rolled = (spec: object) =>
            Effect.gen(function* () {
              const before = new Set((yield* all).map(({ metadata }) => metadata.name))
              const { metadata } = yield* operator.change(home, "evald", spec)
              yield* operator.when(
                home,
                "rolled",
                (found) =>
                  at(found, "status.observedGeneration") === metadata.generation &&
                  at(found, "status.phase") === "Ready"
              )
              const after = (yield* all).filter(isReady).map(({ metadata: { name } }) => name)
              assert.lengthOf(after, 2)
              assert.deepStrictEqual(
                after.filter((name) => before.has(name)),
                []
              )
            })
          yield* rolled({ image: "registry.example/evald:2", config: { log: { level: "debug" } } })
          // the end of the roll is seen by the samples, too
          yield* sample
          assert.strictEqual(hashes.size, 2)
          assert.isAtLeast(ready.length, 10)
          assert.isAtLeast(Math.min(...ready), 2)
          assert.deepStrictEqual(phases, ["Ready", "Progressing", "Ready"])
        }),
      rollMillis
    )
  })
})
