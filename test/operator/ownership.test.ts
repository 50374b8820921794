/** T2: what server-side apply of the real API server makes of an object that somebody else put there at the very moment. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import type { KubeClient } from "../../infrastructure/kubernetes/client/client.ts"
import { configMaps, type KubeObject } from "../../infrastructure/kubernetes/client/resources.ts"
import { type DesiredObject, makeApplier } from "../../infrastructure/kubernetes/controller/applier.ts"
import { core, fieldManager, managed, type Platform } from "../../infrastructure/kubernetes/manifests/managed.ts"
import { desired } from "../../infrastructure/kubernetes/operator/kinds.ts"
import { ownership } from "../../infrastructure/kubernetes/operator/operator-context.ts"
import { Cluster, layer as cluster, noControlPlane } from "../cluster/support/cluster.ts"
import { platform } from "../support/operator-inputs.ts"

const live = { excludeTestServices: true, timeout: "150 seconds" } as const
const lane = "launch" as const
type Client = KubeClient["Type"]
const here: Platform = platform

const wanted = (namespace: string, data: object): DesiredObject =>
  desired(
    managed(
      { platform: here, id: { name: "evald", namespace }, uid: "" },
      core("ConfigMap"),
      { name: "evald.config", namespace, component: "config" },
      { data }
    )
  )

/** somebody puts something there between the last look of the one who applies and the write that follows it */
const meanwhile = (client: Client, act: Effect.Effect<unknown>): Client => {
  let isDone = false
  return {
    ...client,
    send: (exchange, where) =>
      Effect.suspend(() => {
        if (isDone || exchange.method !== "PATCH") return client.send(exchange, where)
        isDone = true
        return Effect.zipRight(act, client.send(exchange, where))
      })
  }
}

const applierOf = (client: Client, known: () => KubeObject | undefined = () => undefined) =>
  makeApplier({ client, fieldManager, ownership: ownership(here.domain), known })

const setUp = Effect.gen(function* () {
  const { admin, addNamespace } = yield* Cluster
  const namespace = yield* addNamespace("services")
  const target = { resource: configMaps, namespace, name: "evald.config", lane } as const
  const theirs = (data: object) =>
    Effect.orDie(
      admin.create(
        { resource: configMaps, namespace, lane },
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: target.name }, data }
      )
    )
  return { admin, namespace, target, theirs, found: admin.get(target) }
})

describe.skipIf(noControlPlane)("T2: an object of somebody else", () => {
  layer(cluster, live)("under the operator's hands", (it) => {
    it.scoped.each([
      { what: "that conflicts", data: { k: "theirs" } },
      { what: "that does not", data: { other: "theirs" } }
    ])(
      "case 41: made between the read and the first apply, $what: keeps its content, and nothing of ours stays",
      ({ data }) =>
        Effect.gen(function* () {
          const { admin, namespace, theirs, found } = yield* setUp
          const { apply } = applierOf(meanwhile(admin, theirs(data)))
          assert.deepStrictEqual(yield* apply(wanted(namespace, { k: "ours" })), { _tag: "NotOurs", owner: "foreign" })
          const left = yield* found
          assert.deepStrictEqual(left["data"], data)
          assert.isUndefined(left.metadata.labels)
          assert.isUndefined(left.metadata.annotations)
        })
    )

    it.scoped("case 41: ours, deleted and made anew by somebody: refused by its uid, then left alone", () =>
      Effect.gen(function* () {
        const { admin, namespace, target, theirs, found } = yield* setUp
        const first = yield* applierOf(admin).apply(wanted(namespace, { k: "ours" }))
        const seen = first._tag === "Applied" ? first.object : undefined
        assert.isDefined(seen)
        const swap = Effect.zipRight(
          Effect.orDie(admin.remove(target, { propagation: "Background" })),
          theirs({ k: "theirs" })
        )
        const { apply } = applierOf(meanwhile(admin, swap), () => seen)
        const error = yield* Effect.flip(apply(wanted(namespace, { k: "other" })))
        assert.strictEqual(error.class, "conflict")
        assert.deepStrictEqual(yield* applierOf(admin).apply(wanted(namespace, { k: "other" })), {
          _tag: "NotOurs",
          owner: "foreign"
        })
        assert.deepStrictEqual((yield* found)["data"], { k: "theirs" })
      })
    )
  })
})
