/**
 * What a controller of evald relies on in server-side apply, finalizers and Leases. The same tests run against the fake and against a real
 * control plane.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { at } from "../../support/http-app.ts"
import { ask, type RawAnswer } from "../../support/raw-kubernetes.ts"
import { ClusterUnderTest } from "./kubernetes-api.suite.ts"

const setUp = Effect.gen(function* () {
  const { connection, addNamespace } = yield* ClusterUnderTest
  const namespace = yield* addNamespace
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  const apply = (path: string, body: unknown, more: { readonly manager?: string; readonly force?: boolean } = {}) =>
    ask(connection, {
      method: "PATCH",
      path: `${path}?fieldManager=${more.manager ?? "first"}&force=${more.force === true}`,
      body,
      contentType: "application/apply-patch+yaml"
    })
  const send = (method: string, path: string, body?: unknown, contentType?: string) =>
    ask(connection, {
      method,
      path,
      ...(body === undefined ? {} : { body }),
      ...(contentType === undefined ? {} : { contentType })
    })
  return { namespace, maps, apply, send }
})

const map = (name: string, data: object, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  data
})
const managersOf = ({ body }: RawAnswer) => {
  const entries = at(body, "metadata.managedFields")
  return Array.isArray(entries)
    ? entries.map((entry: unknown) => `${String(at(entry, "manager"))} ${String(at(entry, "operation"))}`).sort()
    : []
}
const version = ({ body }: RawAnswer) => at(body, "metadata.resourceVersion")

const deployment = (name: string, more: object = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image: "none" }] } },
    ...more
  }
})

export const serverSideApplySuite = (name: string, underTest: Layer.Layer<ClusterUnderTest, unknown>, skip = false) =>
  describe.skipIf(skip)(`server-side apply: ${name}`, () => {
    layer(underTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
      it.scoped("makes what is not there, and changes nothing when asked for the same again", () =>
        Effect.gen(function* () {
          const { maps, apply } = yield* setUp
          const made = yield* apply(`${maps}/a`, map("a", { k: "v" }, { labels: { x: "1" } }))
          assert.strictEqual(made.status, 201)
          assert.deepStrictEqual(managersOf(made), ["first Apply"])
          const again = yield* apply(`${maps}/a`, map("a", { k: "v" }, { labels: { x: "1" } }), { force: true })
          assert.deepStrictEqual([again.status, version(again)], [200, version(made)])
        })
      )

      it.scoped("takes out what a manager no longer wants, and leaves what others put in", () =>
        Effect.gen(function* () {
          const { maps, apply, send } = yield* setUp
          yield* apply(`${maps}/a`, map("a", { k: "v", m: "n" }))
          yield* send("PATCH", `${maps}/a?fieldManager=other`, { data: { o: "p" } }, "application/merge-patch+json")
          const changed = yield* apply(`${maps}/a`, map("a", { k: "w" }))
          assert.deepStrictEqual(at(changed.body, "data"), { k: "w", o: "p" })
          const bare = yield* apply(`${maps}/a`, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } })
          assert.deepStrictEqual(at(bare.body, "data"), { o: "p" })
          assert.notInclude(managersOf(bare), "first Apply")
        })
      )

      it.scoped("a field of somebody else is a conflict, unless it is taken by force", () =>
        Effect.gen(function* () {
          const { maps, apply, send } = yield* setUp
          yield* send("POST", maps, map("a", { k: "theirs", o: "p" }))
          const refused = yield* apply(`${maps}/a`, map("a", { k: "ours" }))
          assert.deepStrictEqual(
            [refused.status, at(refused.body, "reason"), at(refused.body, "details.causes.0.reason")],
            [409, "Conflict", "FieldManagerConflict"]
          )
          const taken = yield* apply(`${maps}/a`, map("a", { k: "ours" }), { force: true })
          assert.deepStrictEqual([taken.status, at(taken.body, "data")], [200, { k: "ours", o: "p" }])
          yield* send("PATCH", `${maps}/a?fieldManager=other`, { data: { k: "back" } }, "application/merge-patch+json")
          assert.strictEqual((yield* apply(`${maps}/a`, map("a", { k: "ours" }))).status, 409)
        })
      )

      it.scoped("merges into an object of somebody else where nothing is in the way, which its managers tell", () =>
        Effect.gen(function* () {
          const { maps, apply, send } = yield* setUp
          yield* send("POST", `${maps}?fieldManager=other`, map("a", { o: "p" }))
          const merged = yield* apply(`${maps}/a`, map("a", { k: "v" }))
          assert.strictEqual(merged.status, 200)
          assert.lengthOf(managersOf(merged), 2)
          const withdrawn = yield* apply(`${maps}/a`, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } })
          assert.deepStrictEqual(at(withdrawn.body, "data"), { o: "p" })
        })
      )

      it.scoped("another uid than the object's is refused, also when there is none", () =>
        Effect.gen(function* () {
          const { maps, apply } = yield* setUp
          const uid = "00000000-0000-0000-0000-00000000dead"
          yield* apply(`${maps}/a`, map("a", { k: "v" }))
          const swapped = yield* apply(`${maps}/a`, map("a", { k: "v" }, { uid }), { force: true })
          assert.include([409, 422], swapped.status)
          const gone = yield* apply(`${maps}/b`, map("b", { k: "v" }, { uid }), { force: true })
          assert.strictEqual(gone.status, 409)
        })
      )

      it.scoped("the status is applied through its own path and counts no generation", () =>
        Effect.gen(function* () {
          const { namespace, apply } = yield* setUp
          const path = `/apis/apps/v1/namespaces/${namespace}/deployments/d`
          const made = yield* apply(path, deployment("d"))
          assert.deepStrictEqual([made.status, at(made.body, "metadata.generation")], [201, 1])
          const told = yield* apply(`${path}/status`, {
            ...deployment("d", { replicas: 5 }),
            status: { replicas: 1, readyReplicas: 1 }
          })
          assert.deepStrictEqual(
            [told.status, at(told.body, "spec.replicas"), at(told.body, "status.readyReplicas")],
            [200, 1, 1]
          )
          assert.strictEqual(at(told.body, "metadata.generation"), 1)
          const scaled = yield* apply(path, deployment("d", { replicas: 2 }))
          assert.deepStrictEqual(
            [at(scaled.body, "metadata.generation"), at(scaled.body, "status.readyReplicas")],
            [2, 1]
          )
        })
      )

      it.scoped("an object with a finalizer goes when the finalizer does", () =>
        Effect.gen(function* () {
          const { maps, apply, send } = yield* setUp
          const merge = "application/merge-patch+json"
          const made = yield* apply(`${maps}/a`, map("a", { k: "v" }))
          const held = yield* send(
            "PATCH",
            `${maps}/a`,
            { metadata: { finalizers: ["example.com/cleanup"], resourceVersion: version(made) } },
            merge
          )
          assert.deepStrictEqual(at(held.body, "metadata.finalizers"), ["example.com/cleanup"])
          yield* send("DELETE", `${maps}/a`)
          const leaving = yield* send("GET", `${maps}/a`)
          assert.isString(at(leaving.body, "metadata.deletionTimestamp"))
          const stale = yield* send(
            "PATCH",
            `${maps}/a`,
            { metadata: { finalizers: [], resourceVersion: version(made) } },
            merge
          )
          assert.strictEqual(stale.status, 409)
          yield* send("PATCH", `${maps}/a`, { metadata: { finalizers: [] } }, merge)
          assert.strictEqual((yield* send("GET", `${maps}/a`)).status, 404)
        })
      )

      it.scoped("of two that take a Lease with what they read, one does", () =>
        Effect.gen(function* () {
          const { namespace, send } = yield* setUp
          const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`
          const lease = (holder: string, resourceVersion?: unknown) => ({
            apiVersion: "coordination.k8s.io/v1",
            kind: "Lease",
            metadata: { name: "l", namespace, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
            spec: { holderIdentity: holder, leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.000000Z" }
          })
          const made = yield* send("POST", leases, lease(""))
          const first = yield* send("PUT", `${leases}/l`, lease("one", version(made)))
          const second = yield* send("PUT", `${leases}/l`, lease("two", version(made)))
          assert.deepStrictEqual([first.status, second.status], [200, 409])
          assert.strictEqual(at((yield* send("GET", `${leases}/l`)).body, "spec.holderIdentity"), "one")
        })
      )
    })
  })
