/** T3: the network of a pod: what it reaches, and that there is no way to anything else, whoever asks and for whatever. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { describe } from "vitest"
import { pods } from "../../infrastructure/kubernetes/client/resources.ts"
import { serve } from "../support/loopback-server.ts"
import { Cluster, layer as cluster, noPods } from "./support/cluster.ts"
import { eventually } from "./support/eventually.ts"
import { beyond, isCutOff, tried } from "./support/way-out.ts"
import { ownImage, WorkerNode, layer as worker } from "./support/worker-node.ts"

const live = { excludeTestServices: true, timeout: "120 seconds" } as const

/** nobody else has this port in a pod */
const neighbourPort = 18_082
const listening = `require("node:http").createServer((_, r) => r.end()).listen(${neighbourPort})`

describe.skipIf(noPods)("T3: the network of a pod", () => {
  layer(Layer.provideMerge(worker, cluster), live)("of the image", (it) => {
    it.scoped(
      "reaches its neighbours and what is published for it: no metadata, no address beyond, no loopback of the machine",
      () =>
        Effect.gen(function* () {
          const { admin, addNamespace } = yield* Cluster
          const { take, podsOf, network } = yield* WorkerNode
          const namespace = yield* addNamespace("pods")
          yield* take(namespace)
          for (const name of ["one", "other"])
            yield* admin.create(
              { resource: pods, namespace, lane: "launch" },
              {
                apiVersion: "v1",
                kind: "Pod",
                metadata: { name },
                spec: { containers: [{ name: "main", image: ownImage, command: ["node", "-e", listening] }] }
              }
            )
          const server = Effect.acquireRelease(
            Effect.promise(() => serve((_, response) => void response.end())),
            ({ close }) => Effect.promise(close)
          )
          const [published, unpublished] = [yield* server, yield* server]
          const { host, port } = yield* network.publish(published.port)
          const processOf = (name: string) =>
            podsOf(namespace)
              .find(({ pod }) => pod.metadata.name === name)
              ?.process("main")
          const running = yield* eventually(
            "both run",
            Effect.sync(() => [processOf("one"), processOf("other")]),
            (all) => all.every((one) => one !== undefined)
          )
          const [one] = running
          const neighbour =
            podsOf(namespace)
              .find(({ pod }) => pod.metadata.name === "other")
              ?.address() ?? ""
          if (one === undefined) return assert.fail("no process")
          const to = (address: string, at: number) => Effect.promise(() => tried(one, address, at))

          yield* eventually("the neighbour answers", to(neighbour, neighbourPort), (answer) => answer === "connected")
          assert.strictEqual(yield* to(host, port), "connected")
          assert.strictEqual(yield* to(host, unpublished.port), "ECONNREFUSED")
          assert.strictEqual(yield* to("127.0.0.1", published.port), "ECONNREFUSED")
          for (const address of beyond) {
            const answer = yield* to(address, 80)
            assert.isTrue(isCutOff(answer), `${address}: ${answer}`)
          }
          // nobody translates names either
          assert.include(["ENOTFOUND", "EAI_AGAIN"], yield* to("metadata.google.internal", 80))
        })
    )
  })
})
