/** T2: how fast the operator is on the real control plane, with nothing beside it. Figures: docs/figures.md, "The operator". */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { describe } from "vitest"
import { namespaces } from "../../infrastructure/kubernetes/client/resources.ts"
import { layer as cluster, noControlPlane } from "../cluster/support/cluster.ts"
import { labelAll, manyNamespaces } from "../cluster/support/many-tenants.ts"
import { setUp } from "../cluster/support/operator-process.ts"
import { at } from "../support/http-app.ts"

const live = { excludeTestServices: true, timeout: "250 seconds" } as const
const lane = "launch" as const
type Operator = Effect.Effect.Success<typeof setUp>

/** milliseconds from one change of the resource's spec to the status that says that it was followed */
const followed = ({ change, resource }: Operator, home: string, mark: number) =>
  Effect.gen(function* () {
    const start = yield* Clock.currentTimeMillis
    const { metadata } = yield* change(home, "evald", { podAnnotations: { mark: String(mark) } })
    for (;;) {
      const found = yield* Effect.flatten(resource(home))
      if (at(found, "status.observedGeneration") === metadata.generation) break
      yield* Effect.sleep("10 millis")
    }
    return (yield* Clock.currentTimeMillis) - start
  })

describe.skipIf(noControlPlane)("T2: figures", () => {
  layer(cluster, live)("of the operator", (it) => {
    it.scoped(
      "200 labelled namespaces have all they need within 30 s, and 99 of 100 changes are in the status within 2 s",
      () =>
        Effect.gen(function* () {
          const operator = yield* setUp
          const { admin } = operator
          const { home } = yield* operator.oneTenant
          const names = yield* manyNamespaces(200)
          const start = yield* Clock.currentTimeMillis
          yield* labelAll(operator, names)
          yield* operator.when(home, "all of them", (found) => at(found, "status.tenants.ready") === 201)
          const seconds = ((yield* Clock.currentTimeMillis) - start) / 1000
          const took = yield* Effect.forEach(Array.from({ length: 100 }), (_, mark) => followed(operator, home, mark))
          const sorted = took.toSorted((a, b) => a - b)
          const [p50 = 0, p99 = 0] = [sorted[49], sorted[98]]
          console.info(`200 namespaces: ${seconds.toFixed(1)} s; a change in the status: p50 ${p50} ms, p99 ${p99} ms`)
          yield* Effect.forEach(
            names,
            (name) => admin.remove({ resource: namespaces, name, lane }, { propagation: "Background" }),
            { concurrency: 16, discard: true }
          )
          assert.isAtMost(seconds, 30)
          assert.isAtMost(p99, 2000)
        })
    )
  })
})
