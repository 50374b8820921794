/** T3: the server killed at random moments while pods run: case 60. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Random } from "effect"
import { describe } from "vitest"
import { events } from "../../infrastructure/kubernetes/client/resources.ts"
import { at } from "../support/http-app.ts"
import { Cluster, layer as cluster, noPods } from "./support/cluster.ts"
import { finished, install } from "./support/installation.ts"
import { layer as worker } from "./support/worker-node.ts"

const live = { excludeTestServices: true, timeout: "240 seconds" } as const
const lane = "launch" as const
const kills = 10
const benchmarks = 20

describe.skipIf(noPods)("T3: restarts", () => {
  layer(Layer.provideMerge(worker, cluster), live)("of the server while pods run", (it) => {
    it.scoped(
      "case 60: killed at 10 random moments with 20 benchmarks: all terminal and true, each adapter ran once",
      () =>
        Effect.gen(function* () {
          const { admin } = yield* Cluster
          const evald = yield* install({ grace: { exit_seconds: 20 } })
          const tenant = yield* evald.addTenant
          // every fifth one fails by itself
          const isBad = (index: number) => index % 5 === 4
          const id = yield* tenant.submit({
            name: "restarts",
            model: { url: "http://model.models.svc/v1", name: "none" },
            benchmarks: Array.from({ length: benchmarks }, (_, index) => ({
              id: "step",
              provider_id: "scripted",
              parameters: isBad(index) ? { script: "exit", code: 3 } : { script: "steps", steps: 3, pause_ms: 400 }
            }))
          })
          const random = Random.make("case 60")
          for (let kill = 0; kill < kills; kill += 1) {
            yield* Effect.sleep(yield* random.nextIntBetween(0, 900))
            yield* evald.restart("SIGKILL")
          }
          const { status } = yield* finished(tenant, id)
          assert.deepStrictEqual(
            status.benchmarks.map((one) => one.status),
            Array.from({ length: benchmarks }, (_, index) => (isBad(index) ? "failed" : "completed"))
          )
          for (const one of status.benchmarks)
            if (one.status === "failed")
              assert.strictEqual(one.error_message?.message_code, "adapter_exited_without_result")
          // the node has told each start of a container: each adapter ran once, whatever became of its pod
          const { items } = yield* admin.list({
            resource: events,
            namespace: tenant.name,
            lane,
            fieldSelector: "reason=Started"
          })
          const adapters = items
            .filter(({ message }) => message === "Started container adapter")
            .map(({ involvedObject }) => at(involvedObject, "name"))
          // <prefix>-<job>-<index>-<attempt>-<random>
          const indexes = adapters.map((pod) => Number(String(pod).split("-").at(-3)))
          assert.deepStrictEqual(
            indexes.toSorted((a, b) => a - b),
            Array.from({ length: benchmarks }, (_, index) => index)
          )
        })
    )
  })
})
