/** What a controller makes is as desired, costs nothing when it is, and never touches what is somebody else's. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { KubeClient } from "../../../../../infrastructure/kubernetes/client/client.ts"
import {
  configMaps,
  type KubeObject,
  type Resource
} from "../../../../../infrastructure/kubernetes/client/resources.ts"
import {
  appliedBy,
  type DesiredObject,
  makeApplier
} from "../../../../../infrastructure/kubernetes/controller/applier.ts"
import { Fake, layer as fake } from "../../../../support/fake-kubernetes/fake-kubernetes.ts"
import { kindOf } from "../../../../support/fake-kubernetes/job-controller.ts"

const manager = "controller"
const roleBindings: Resource = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  plural: "rolebindings",
  kind: "RoleBinding"
}
const deployments: Resource = { group: "apps", version: "v1", plural: "deployments", kind: "Deployment" }

const map = (data: object, labels: { readonly [name: string]: string } = { owner: "us" }): DesiredObject => ({
  resource: configMaps,
  namespace: "n",
  body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", labels, annotations: { mark: "us" } }, data }
})
const binding = (role: string): DesiredObject => ({
  resource: roleBindings,
  namespace: "n",
  body: {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name: "a", labels: { owner: "us" } },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role }
  }
})
const deployment = (replicas: number): DesiredObject => ({
  resource: deployments,
  namespace: "n",
  body: {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "a", labels: { owner: "us" } },
    spec: { replicas }
  }
})

/** `knows`: what caches would show */
const setUp = (knows: (resource: Resource, name: string) => KubeObject | undefined = () => undefined) =>
  Effect.gen(function* () {
    const cluster = yield* Fake
    cluster.addNamespace("n")
    const { apply, remove, applyStatus } = makeApplier({
      client: yield* KubeClient,
      fieldManager: manager,
      ownership: {
        ownerOf: ({ metadata, ...rest }) => {
          const owner = metadata.labels?.["owner"]
          if (owner === "us") return "ours"
          if (owner !== undefined) return "other"
          const isStripped = metadata.annotations?.["mark"] === "us" && appliedBy({ ...rest, metadata }, manager)
          return isStripped ? "ours" : "foreign"
        }
      },
      known: (resource, _, name) => knows(resource, name)
    })
    const writes = () => cluster.requests.filter(({ method }) => method !== "GET").length
    const found = (plural = "configmaps") => cluster.objects(plural, "n")[0]
    return { cluster, apply, remove, applyStatus, writes, found }
  })
const kind = kindOf("configmaps")

describe("the applier of a controller", () => {
  it.scoped("the same object again is not sent; another content is", () =>
    Effect.gen(function* () {
      const { apply, writes, found } = yield* setUp()
      assert.strictEqual((yield* apply(map({ k: "v" })))._tag, "Applied")
      assert.strictEqual((yield* apply(map({ k: "v" })))._tag, "Unchanged")
      assert.strictEqual(writes(), 1)
      assert.strictEqual((yield* apply(map({ k: "w", n: undefined })))._tag, "Applied")
      assert.deepStrictEqual(found()?.["data"], { k: "w" })
    }).pipe(Effect.provide(fake))
  )

  it.scoped("a cache that has not heard of our write yet is no reason to write again", () =>
    Effect.gen(function* () {
      let stale: KubeObject | undefined
      const { apply, writes, found } = yield* setUp(() => stale)
      yield* apply(map({ k: "v" }))
      stale = found()
      yield* apply(map({ k: "w" }))
      assert.strictEqual((yield* apply(map({ k: "w" })))._tag, "Unchanged")
      assert.strictEqual(writes(), 2)
    }).pipe(Effect.provide(fake))
  )

  it.scoped("case 40: what another manager changes or takes away comes back; what it adds stays", () =>
    Effect.gen(function* () {
      const { cluster, apply, found } = yield* setUp()
      yield* apply(map({ k: "v" }))
      cluster.store.update(kind, "n", "a", (object) => ({ ...object, data: { k: "theirs", extra: "e" } }))
      assert.strictEqual((yield* apply(map({ k: "v" })))._tag, "Applied")
      assert.deepStrictEqual(found()?.["data"], { k: "v", extra: "e" })
      cluster.store.update(kind, "n", "a", ({ metadata: { labels: _, ...metadata }, ...object }) => ({
        ...object,
        metadata
      }))
      assert.strictEqual((yield* apply(map({ k: "v" })))._tag, "Applied")
      assert.deepStrictEqual(found()?.metadata.labels, { owner: "us" })
    }).pipe(Effect.provide(fake))
  )

  it.scoped("a status that others write is no reason to apply a Deployment again", () =>
    Effect.gen(function* () {
      const { cluster, apply, writes } = yield* setUp()
      yield* apply(deployment(1))
      cluster.store.update(kindOf("deployments"), "n", "a", (object) => ({ ...object, status: { readyReplicas: 1 } }))
      assert.strictEqual((yield* apply(deployment(1)))._tag, "Unchanged")
      cluster.store.update(kindOf("deployments"), "n", "a", (object) => ({ ...object, spec: { replicas: 5 } }))
      assert.strictEqual((yield* apply(deployment(1)))._tag, "Applied")
      assert.strictEqual(writes(), 2)
    }).pipe(Effect.provide(fake))
  )

  it.scoped("case 29: a foreign object, and one of another owner, are untouched", () =>
    Effect.gen(function* () {
      const { cluster, apply, writes, found } = yield* setUp()
      cluster.store.create(kind, "n", { metadata: { name: "a" }, data: { k: "theirs" } })
      assert.deepStrictEqual(yield* apply(map({ k: "v" })), { _tag: "NotOurs", owner: "foreign" })
      cluster.store.update(kind, "n", "a", ({ metadata, ...object }) => ({
        ...object,
        metadata: { ...metadata, labels: { owner: "them" } }
      }))
      assert.deepStrictEqual(yield* apply(map({ k: "v" })), { _tag: "NotOurs", owner: "other" })
      assert.deepStrictEqual([writes(), found()?.["data"]], [0, { k: "theirs" }])
    }).pipe(Effect.provide(fake))
  )

  for (const [what, data, left] of [
    ["in the way", { k: "theirs" }, { k: "theirs" }],
    ["beside", { other: "theirs" }, { other: "theirs" }]
  ] as const)
    it.scoped(
      `case 41: a foreign object, ${what}, that appears between our look and our first apply keeps its content`,
      () =>
        Effect.gen(function* () {
          const { cluster, apply, found } = yield* setUp()
          cluster.faults.hook((request, moment) => {
            if (request.verb !== "patch" || moment !== "before" || cluster.objects("configmaps").length > 0) return
            cluster.store.create(kind, "n", { metadata: { name: "a" }, data })
          })
          assert.deepStrictEqual(yield* apply(map({ k: "v" })), { _tag: "NotOurs", owner: "foreign" })
          assert.deepStrictEqual(found()?.["data"], left)
          assert.isUndefined(found()?.metadata.labels)
        }).pipe(Effect.provide(fake))
    )

  it.scoped("case 41: an object that was swapped for another between our look and our apply is left alone", () =>
    Effect.gen(function* () {
      const { cluster, apply, found } = yield* setUp()
      yield* apply(map({ k: "v" }))
      cluster.faults.hook((request, moment) => {
        if (request.verb !== "patch" || moment !== "before") return
        cluster.faults.hook(undefined)
        cluster.store.remove(kind, "n", "a")
        cluster.store.create(kind, "n", { metadata: { name: "a" }, data: { k: "theirs" } })
      })
      const error = yield* Effect.flip(apply(map({ k: "w" })))
      assert.strictEqual(error.class, "conflict")
      assert.deepStrictEqual(yield* apply(map({ k: "w" })), { _tag: "NotOurs", owner: "foreign" })
      assert.deepStrictEqual(found()?.["data"], { k: "theirs" })
    }).pipe(Effect.provide(fake))
  )

  it.scoped("a binding to another role is made anew, which is the only way to change it", () =>
    Effect.gen(function* () {
      const { apply, found } = yield* setUp()
      yield* apply(binding("one"))
      const { uid } = found("rolebindings")?.metadata ?? {}
      yield* apply(binding("two"))
      assert.notStrictEqual(found("rolebindings")?.metadata.uid, uid)
      assert.deepStrictEqual(found("rolebindings")?.["roleRef"], binding("two").body["roleRef"])
    }).pipe(Effect.provide(fake))
  )

  it.scoped("an object that is about to go is waited for", () =>
    Effect.gen(function* () {
      const { cluster, apply } = yield* setUp()
      yield* apply(map({ k: "v" }))
      cluster.store.update(kind, "n", "a", ({ metadata, ...object }) => ({
        ...object,
        metadata: { ...metadata, finalizers: ["x/y"] }
      }))
      cluster.store.remove(kind, "n", "a")
      assert.strictEqual((yield* apply(map({ k: "v" })))._tag, "Leaving")
    }).pipe(Effect.provide(fake))
  )

  it.scoped("removing is a success when the object is gone, and spares another of its name", () =>
    Effect.gen(function* () {
      const { cluster, apply, remove, found } = yield* setUp()
      yield* apply(map({ k: "v" }))
      const first = found()
      if (first === undefined) return assert.fail("nothing was made")
      yield* remove(configMaps, first)
      yield* remove(configMaps, first)
      cluster.store.create(kind, "n", { metadata: { name: "a" }, data: {} })
      yield* remove(configMaps, first)
      assert.lengthOf(cluster.objects("configmaps"), 1)
    }).pipe(Effect.provide(fake))
  )

  it.scoped("a status is applied through its own path", () =>
    Effect.gen(function* () {
      const { apply, applyStatus, found } = yield* setUp()
      yield* apply(deployment(1))
      const { resource, namespace, body } = deployment(7)
      const { spec: _, ...bare } = body
      yield* applyStatus({
        resource,
        ...(namespace === undefined ? {} : { namespace }),
        body: { ...bare, metadata: { name: "a" }, status: { readyReplicas: 3 } }
      })
      assert.deepStrictEqual(
        [found("deployments")?.["status"], found("deployments")?.["spec"]],
        [{ readyReplicas: 3 }, { replicas: 1 }]
      )
    }).pipe(Effect.provide(fake))
  )
})
