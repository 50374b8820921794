/**
 * What evald relies on in a Kubernetes API. The same tests run against the fake of the integration tests and against a real control plane,
 * so that the fake stays honest: a difference between the two is a fault of the fake.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, type Layer } from "effect"
import type { KubeConnection } from "../../../infrastructure/kubernetes/client/connection.ts"
import { isObject } from "../../../values/json.ts"
import { at } from "../../support/http-app.ts"
import { ask, openWatch, type RawAnswer, type RawWatch } from "../../support/raw-kubernetes.ts"

/** a cluster, as somebody who may do everything */
export class ClusterUnderTest extends Context.Tag("evald/test/ClusterUnderTest")<
  ClusterUnderTest,
  {
    readonly connection: KubeConnection
    /** a namespace of its own */
    readonly addNamespace: Effect.Effect<string>
    /** forgets all versions up to now, as a cluster does with old ones */
    readonly compact: Effect.Effect<void>
  }
>() {}

const mergePatch = "application/merge-patch+json"
const partial = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
const partialList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
const otherUid = "00000000-0000-0000-0000-000000000000"

const map = (
  name: string,
  more: {
    readonly labels?: object
    readonly ownerReferences?: ReadonlyArray<object>
    readonly [member: string]: unknown
  } = {}
) => {
  const { labels, ownerReferences, ...rest } = more
  const metadata = {
    name,
    ...(labels === undefined ? {} : { labels }),
    ...(ownerReferences === undefined ? {} : { ownerReferences })
  }
  return { apiVersion: "v1", kind: "ConfigMap", metadata, ...rest }
}
const job = (name: string, spec: object = {}) => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name },
  spec: {
    backoffLimit: 0,
    template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "none" }] } },
    ...spec
  }
})
const deletion = (more: object = {}) => ({
  apiVersion: "v1",
  kind: "DeleteOptions",
  propagationPolicy: "Background",
  ...more
})
const eventAbout = (namespace: string, name: string) => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name },
  involvedObject: { apiVersion: "batch/v1", kind: "Job", name: "j", namespace },
  reason: "BenchmarkLaunched",
  message: "launched",
  type: "Normal"
})

const itemsOf = (answer: RawAnswer): ReadonlyArray<unknown> => {
  const items = at(answer.body, "items")
  return Array.isArray(items) ? items : []
}
const namesOf = (answer: RawAnswer) => itemsOf(answer).map((item) => at(item, "metadata.name"))
/** what a caller may rely on in a refusal */
const refusalOf = ({ status, body }: RawAnswer) => [
  status,
  at(body, "kind"),
  at(body, "status"),
  at(body, "reason"),
  at(body, "code")
]
const refused = (status: number, reason: string) => [status, "Status", "Failure", reason, status]
const causesOf = (answer: RawAnswer) => {
  const causes = at(answer.body, "details.causes")
  return Array.isArray(causes)
    ? causes.map((cause: unknown) => (isObject(cause) ? [cause["reason"], cause["field"]] : []))
    : []
}
const conditionsOf = (answer: RawAnswer) => {
  const conditions = at(answer.body, "status.conditions")
  return Array.isArray(conditions) ? conditions.map((one: unknown) => `${at(one, "type")}=${at(one, "status")}`) : []
}

const patienceMillis = 30_000
/** looks again and again; controllers take their time */
const eventually = <A>(what: string, look: Effect.Effect<A>, holds: (found: A) => boolean) =>
  Effect.gen(function* () {
    const deadline = performance.now() + patienceMillis
    for (;;) {
      const found = yield* look
      if (holds(found)) return found
      if (performance.now() > deadline)
        return yield* Effect.dieMessage(
          `not within ${patienceMillis} ms: ${what}; last: ${JSON.stringify(found).slice(0, 2000)}`
        )
      yield* Effect.sleep(50)
    }
  })

const setUp = Effect.gen(function* () {
  const { connection, addNamespace, compact } = yield* ClusterUnderTest
  const namespace = yield* addNamespace
  const core = (plural: string) => `/api/v1/namespaces/${namespace}/${plural}`
  const maps = core("configmaps")
  const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`
  const get = (path: string, accept?: string) => ask(connection, { path, ...(accept === undefined ? {} : { accept }) })
  const post = (path: string, body: unknown) => ask(connection, { method: "POST", path, body })
  const patch = (path: string, body: unknown, contentType = mergePatch) =>
    ask(connection, { method: "PATCH", path, body, contentType })
  const remove = (path: string, body: unknown = deletion()) => ask(connection, { method: "DELETE", path, body })
  const watch = (path: string) => openWatch(connection, path)
  /** names of maps that a test made */
  const mapNames = Effect.map(get(maps), (answer) => namesOf(answer).filter((name) => name !== "kube-root-ca.crt"))
  const versionNow = Effect.map(get(maps), ({ body }) => String(at(body, "metadata.resourceVersion")))
  return { connection, namespace, core, maps, jobs, get, post, patch, remove, watch, mapNames, versionNow, compact }
})

const told = (watch: RawWatch) =>
  watch.events
    .filter(
      ({ type, object }) =>
        type === "BOOKMARK" || type === "ERROR" || at(object, "metadata.name") !== "kube-root-ca.crt"
    )
    .map(({ type, object }) => [type, at(object, "metadata.name")])
const heard = (watch: RawWatch, count: number) =>
  eventually(
    `${count} events`,
    Effect.sync(() => told(watch)),
    ({ length }) => length >= count
  )

export const kubernetesApiSuite = (name: string, underTest: Layer.Layer<ClusterUnderTest, unknown>, skip = false) =>
  describe.skipIf(skip)(`a Kubernetes API: ${name}`, () => {
    layer(underTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
      it.scoped("creates with uid, version and time, and refuses the name from then on", () =>
        Effect.gen(function* () {
          const { maps, namespace, post, get } = yield* setUp
          const made = yield* post(maps, map("a", { labels: { x: "1" }, data: { k: "v" } }))
          assert.strictEqual(made.status, 201)
          assert.match(String(at(made.body, "metadata.uid")), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
          assert.match(String(at(made.body, "metadata.creationTimestamp")), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
          assert.strictEqual(at(made.body, "metadata.namespace"), namespace)
          const again = yield* post(maps, map("a"))
          assert.deepStrictEqual(refusalOf(again), refused(409, "AlreadyExists"))
          assert.strictEqual(at(again.body, "message"), 'configmaps "a" already exists')
          assert.deepStrictEqual(at(again.body, "details"), { name: "a", kind: "configmaps" })
          const found = yield* get(`${maps}/a`)
          assert.deepStrictEqual(
            [at(found.body, "kind"), at(found.body, "apiVersion"), at(found.body, "data.k")],
            ["ConfigMap", "v1", "v"]
          )
          assert.strictEqual(at(found.body, "metadata.resourceVersion"), at(made.body, "metadata.resourceVersion"))
        })
      )

      it.scoped("what is not there: objects, namespaces, kinds, groups, methods", () =>
        Effect.gen(function* () {
          const { connection, maps, jobs, namespace, get, post, patch, remove } = yield* setUp
          for (const answer of [
            yield* get(`${maps}/absent`),
            yield* patch(`${maps}/absent`, { data: {} }),
            yield* remove(`${maps}/absent`)
          ]) {
            assert.deepStrictEqual(refusalOf(answer), refused(404, "NotFound"))
            assert.strictEqual(at(answer.body, "message"), 'configmaps "absent" not found')
          }
          assert.strictEqual(at((yield* get(`${jobs}/absent`)).body, "message"), 'jobs.batch "absent" not found')
          const homeless = yield* post("/api/v1/namespaces/there-is-none/configmaps", map("a"))
          assert.deepStrictEqual(
            [homeless.status, at(homeless.body, "message")],
            [404, 'namespaces "there-is-none" not found']
          )
          assert.deepStrictEqual(
            refusalOf(yield* get(`/apis/batch/v1/namespaces/${namespace}/things`)),
            refused(404, "NotFound")
          )
          const noGroup = yield* get("/apis/nothing.example")
          assert.deepStrictEqual([noGroup.status, noGroup.body], [404, "404 page not found\n"])
          assert.strictEqual((yield* get(`/apis/nothing.example/v1/namespaces/${namespace}/things`)).status, 404)
          assert.deepStrictEqual(
            refusalOf(yield* ask(connection, { method: "POST", path: `${maps}/a`, body: map("a") })),
            refused(405, "MethodNotAllowed")
          )
        })
      )

      it.scoped("groups tell their versions", () =>
        Effect.gen(function* () {
          const { get } = yield* setUp
          const { status, body } = yield* get("/apis/batch")
          assert.strictEqual(status, 200)
          assert.deepStrictEqual(at(body, "preferredVersion"), { groupVersion: "batch/v1", version: "v1" })
          assert.strictEqual(at((yield* get("/version")).body, "major"), "1")
        })
      )

      it.scoped("what is wrong with an object is said with the field", () =>
        Effect.gen(function* () {
          const { maps, jobs, post, mapNames, get } = yield* setUp
          const invalid: ReadonlyArray<readonly [path: string, object: unknown, reason: string, field: string]> = [
            [maps, map("A_b"), "FieldValueInvalid", "metadata.name"],
            [maps, { apiVersion: "v1", kind: "ConfigMap", metadata: {} }, "FieldValueRequired", "metadata.name"],
            [maps, map("l", { labels: { x: "a b" } }), "FieldValueInvalid", "metadata.labels"],
            [maps, map("l", { labels: { "a/b/c": "x" } }), "FieldValueInvalid", "metadata.labels"],
            [maps, map("big", { data: { k: "v".repeat(1_048_577) } }), "FieldValueTooLong", "[]"],
            [jobs, job("x".repeat(64), { suspend: true }), "FieldValueInvalid", "spec.template.labels"],
            [
              jobs,
              job("j", { template: { spec: { containers: [{ name: "c", image: "none" }] } } }),
              "FieldValueRequired",
              "spec.template.spec.restartPolicy"
            ]
          ]
          for (const [path, object, reason, field] of invalid) {
            const answer = yield* post(path, object)
            assert.deepStrictEqual(refusalOf(answer), refused(422, "Invalid"), field)
            assert.deepStrictEqual(causesOf(answer)[0], [reason, field])
            assert.match(String(at(answer.body, "message")), /^(ConfigMap|Job\.batch) ".*" is invalid: /)
          }
          assert.deepStrictEqual(
            refusalOf(yield* post(maps, { ...map("l"), kind: "Secret" })),
            refused(400, "BadRequest")
          )
          assert.deepStrictEqual(
            refusalOf(yield* post(maps, { ...map("l"), metadata: { name: "l", namespace: "elsewhere" } })),
            refused(400, "BadRequest")
          )
          assert.deepStrictEqual(yield* mapNames, [])
          assert.deepStrictEqual(namesOf(yield* get(jobs)), [])
        })
      )

      it.scoped("patches by merging, under preconditions", () =>
        Effect.gen(function* () {
          const { maps, post, patch } = yield* setUp
          const made = yield* post(maps, map("a", { labels: { x: "1" }, data: { k: "v" } }))
          const { metadata } = made.body as {
            readonly metadata: { readonly uid: string; readonly resourceVersion: string }
          }
          const patched = yield* patch(`${maps}/a`, {
            metadata: { uid: metadata.uid, labels: { x: null, y: "2" } },
            data: { k: null, m: "n" }
          })
          assert.deepStrictEqual(
            [at(patched.body, "metadata.labels"), at(patched.body, "data")],
            [{ y: "2" }, { m: "n" }]
          )
          assert.notStrictEqual(at(patched.body, "metadata.resourceVersion"), metadata.resourceVersion)
          assert.deepStrictEqual(
            refusalOf(yield* patch(`${maps}/a`, { metadata: { uid: otherUid } })),
            refused(422, "Invalid")
          )
          assert.deepStrictEqual(
            refusalOf(yield* patch(`${maps}/a`, { metadata: { resourceVersion: metadata.resourceVersion } })),
            refused(409, "Conflict")
          )
          assert.deepStrictEqual(
            refusalOf(yield* patch(`${maps}/a`, { data: {} }, "application/json")),
            refused(415, "UnsupportedMediaType")
          )
        })
      )

      it.scoped("a patch that changes nothing makes no version", () =>
        Effect.gen(function* () {
          const { maps, post, patch } = yield* setUp
          const made = yield* post(maps, map("a", { labels: { x: "1" } }))
          const same = yield* patch(`${maps}/a`, { metadata: { labels: { x: "1" } } })
          assert.strictEqual(at(same.body, "metadata.resourceVersion"), at(made.body, "metadata.resourceVersion"))
        })
      )

      it.scoped("immutable data, and the template of a Job, stay as they are", () =>
        Effect.gen(function* () {
          const { maps, jobs, post, patch } = yield* setUp
          yield* post(maps, map("a", { data: { k: "v" }, immutable: true }))
          const changed = yield* patch(`${maps}/a`, { data: { k: "w" } })
          assert.deepStrictEqual(
            [refusalOf(changed), causesOf(changed)],
            [refused(422, "Invalid"), [["FieldValueForbidden", "data"]]]
          )
          assert.strictEqual((yield* patch(`${maps}/a`, { metadata: { labels: { x: "1" } } })).status, 200)
          yield* post(jobs, job("j"))
          const template = yield* patch(`${jobs}/j`, { spec: { template: { spec: { restartPolicy: "OnFailure" } } } })
          assert.deepStrictEqual(
            [refusalOf(template), causesOf(template)[0]],
            [refused(422, "Invalid"), ["FieldValueInvalid", "spec.template"]]
          )
        })
      )

      it.scoped("text of a secret is kept as its bytes", () =>
        Effect.gen(function* () {
          const { core, post, get } = yield* setUp
          yield* post(core("secrets"), {
            apiVersion: "v1",
            kind: "Secret",
            metadata: { name: "s" },
            stringData: { a: "b" }
          })
          const { body } = yield* get(`${core("secrets")}/s`)
          assert.deepStrictEqual(
            [at(body, "data"), at(body, "stringData"), at(body, "type")],
            [{ a: "Yg==" }, undefined, "Opaque"]
          )
          const bare = yield* get(`${core("secrets")}/s`, partial)
          assert.deepStrictEqual(
            [at(bare.body, "kind"), at(bare.body, "metadata.name"), at(bare.body, "data")],
            ["PartialObjectMetadata", "s", undefined]
          )
        })
      )

      it.scoped("status is written through its own path only", () =>
        Effect.gen(function* () {
          const { jobs, core, post, patch, get } = yield* setUp
          yield* post(jobs, { ...job("j"), status: { succeeded: 7 } })
          yield* patch(`${jobs}/j`, { status: { succeeded: 7 } })
          assert.isUndefined(at((yield* get(`${jobs}/j`)).body, "status.succeeded"))
          const [name] = yield* eventually(
            "the pod",
            Effect.map(get(core("pods")), namesOf),
            ({ length }) => length === 1
          )
          const pod = `${core("pods")}/${name}`
          yield* patch(pod, { status: { phase: "Running" } })
          assert.strictEqual(at((yield* get(pod)).body, "status.phase"), "Pending")
          const written = yield* patch(`${pod}/status`, {
            spec: { activeDeadlineSeconds: 5 },
            status: { phase: "Running" }
          })
          assert.deepStrictEqual(
            [written.status, at(written.body, "status.phase"), at(written.body, "spec.activeDeadlineSeconds")],
            [200, "Running", undefined]
          )
        })
      )

      it.scoped("lists by labels and fields, whole or as metadata; items have no kind of their own", () =>
        Effect.gen(function* () {
          const { maps, post, get } = yield* setUp
          for (const [name, labels] of [
            ["a", { x: "1", y: "" }],
            ["b", { x: "2" }],
            ["c", { z: "3" }]
          ] as const)
            yield* post(maps, map(name, { labels, data: { k: "v" } }))
          const select = (labelSelector: string, accept?: string) =>
            Effect.map(get(`${maps}?labelSelector=${encodeURIComponent(labelSelector)}`, accept), (answer) => ({
              answer,
              names: namesOf(answer).filter((name) => name !== "kube-root-ca.crt")
            }))
          const selectors: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
            ["x=1", ["a"]],
            ["x==2", ["b"]],
            ["x!=1", ["b", "c"]],
            ["x in (1,2)", ["a", "b"]],
            ["x notin (1, 2)", ["c"]],
            ["x", ["a", "b"]],
            ["!x", ["c"]],
            ["x,!y", ["b"]],
            ["y=", ["a"]],
            ["x in (1),x in (2)", []]
          ]
          for (const [selector, names] of selectors)
            assert.deepStrictEqual((yield* select(selector)).names, [...names], selector)
          assert.deepStrictEqual(refusalOf((yield* select("x in (1")).answer), refused(400, "BadRequest"))
          const { answer } = yield* select("x=1")
          assert.deepStrictEqual([at(answer.body, "kind"), at(answer.body, "apiVersion")], ["ConfigMapList", "v1"])
          assert.deepStrictEqual(
            [at(itemsOf(answer)[0], "kind"), at(itemsOf(answer)[0], "apiVersion")],
            [undefined, undefined]
          )
          const metadata = (yield* select("x=1", partialList)).answer
          assert.strictEqual(at(metadata.body, "kind"), "PartialObjectMetadataList")
          assert.deepStrictEqual(
            [at(itemsOf(metadata)[0], "kind"), at(itemsOf(metadata)[0], "data")],
            ["PartialObjectMetadata", undefined]
          )
          const byName = yield* get(`${maps}?fieldSelector=${encodeURIComponent("metadata.name=b")}`)
          assert.deepStrictEqual(namesOf(byName), ["b"])
          assert.deepStrictEqual(
            refusalOf(yield* get(`${maps}?fieldSelector=${encodeURIComponent("data.k=v")}`)),
            refused(400, "BadRequest")
          )
        })
      )

      it.scoped("lists in pages that all show one version; a token that is none is refused", () =>
        Effect.gen(function* () {
          const { core, namespace, post, get, remove } = yield* setUp
          const events = core("events")
          for (const name of ["e1", "e2", "e3", "e4"]) yield* post(events, eventAbout(namespace, name))
          const first = yield* get(`${events}?limit=2`)
          assert.deepStrictEqual([namesOf(first), at(first.body, "metadata.remainingItemCount")], [["e1", "e2"], 2])
          yield* remove(`${events}/e3`)
          yield* post(events, eventAbout(namespace, "e5"))
          const next = encodeURIComponent(String(at(first.body, "metadata.continue")))
          const second = yield* get(`${events}?limit=2&continue=${next}`)
          assert.deepStrictEqual(namesOf(second), ["e3", "e4"])
          assert.strictEqual(at(second.body, "metadata.resourceVersion"), at(first.body, "metadata.resourceVersion"))
          assert.isUndefined(at(second.body, "metadata.continue"))
          assert.deepStrictEqual(namesOf(yield* get(`${events}?limit=0`)), ["e1", "e2", "e4", "e5"])
          assert.deepStrictEqual(refusalOf(yield* get(`${events}?continue=rubbish`)), refused(400, "BadRequest"))
          assert.deepStrictEqual(refusalOf(yield* get(`${events}?limit=abc`)), refused(400, "BadRequest"))
        })
      )

      it.scoped("versions that were forgotten: 410 for pages, and as the first event of a watch", () =>
        Effect.gen(function* () {
          const { core, namespace, post, get, watch, compact } = yield* setUp
          const events = core("events")
          for (const name of ["e1", "e2", "e3"]) yield* post(events, eventAbout(namespace, name))
          const first = yield* get(`${events}?limit=1`)
          for (const name of ["e4", "e5"]) yield* post(events, eventAbout(namespace, name))
          yield* compact
          const expired = yield* get(
            `${events}?limit=1&continue=${encodeURIComponent(String(at(first.body, "metadata.continue")))}`
          )
          assert.deepStrictEqual(refusalOf(expired), refused(410, "Expired"))
          const late = yield* watch(
            `${events}?watch=true&resourceVersion=${at(first.body, "metadata.resourceVersion")}`
          )
          assert.deepStrictEqual([late.status, yield* heard(late, 1)], [200, [["ERROR", undefined]]])
          assert.deepStrictEqual(
            [at(late.events[0]?.object, "code"), at(late.events[0]?.object, "reason")],
            [410, "Expired"]
          )
          yield* eventually("the end", Effect.sync(late.ended), (ended) => ended)
        })
      )

      it.scoped("watches from a version: every change once, in order, the last state with a deletion", () =>
        Effect.gen(function* () {
          const { maps, post, patch, remove, watch, versionNow } = yield* setUp
          yield* post(maps, map("before"))
          const watching = yield* watch(`${maps}?watch=true&resourceVersion=${yield* versionNow}`)
          yield* post(maps, map("a", { data: { k: "v" } }))
          yield* patch(`${maps}/a`, { data: { k: "w" } })
          yield* remove(`${maps}/a`)
          assert.deepStrictEqual(yield* heard(watching, 3), [
            ["ADDED", "a"],
            ["MODIFIED", "a"],
            ["DELETED", "a"]
          ])
          const versions = watching.events.map(({ object }) => Number(at(object, "metadata.resourceVersion")))
          assert.deepStrictEqual(
            versions,
            [...versions].sort((left, right) => left - right)
          )
          assert.strictEqual(new Set(versions).size, 3)
          const [added, , deleted] = watching.events
          assert.deepStrictEqual([at(added?.object, "kind"), at(deleted?.object, "data.k")], ["ConfigMap", "w"])
        })
      )

      it.scoped("a hundred changes in a row all arrive, once each", () =>
        Effect.gen(function* () {
          const { maps, post, patch, watch, versionNow } = yield* setUp
          yield* post(maps, map("a", { data: { n: "0" } }))
          const watching = yield* watch(`${maps}?watch=true&resourceVersion=${yield* versionNow}`)
          const rounds = Array.from({ length: 100 }, (_, index) => String(index + 1))
          for (const n of rounds) yield* patch(`${maps}/a`, { data: { n } })
          yield* heard(watching, 100)
          assert.deepStrictEqual(
            watching.events.map(({ object }) => at(object, "data.n")),
            rounds
          )
        })
      )

      it.scoped("a watch without a version begins with all there is; one with a limit of time ends by itself", () =>
        Effect.gen(function* () {
          const { maps, post, watch } = yield* setUp
          yield* post(maps, map("a"))
          yield* post(maps, map("b"))
          for (const version of ["", "&resourceVersion=0"]) {
            const watching = yield* watch(`${maps}?watch=true&timeoutSeconds=1${version}`)
            assert.deepStrictEqual(yield* heard(watching, 2), [
              ["ADDED", "a"],
              ["ADDED", "b"]
            ])
            yield* eventually("the end", Effect.sync(watching.ended), (ended) => ended)
          }
        })
      )

      it.scoped("bookmarks, when they are asked for, say how far the watch has come", () =>
        Effect.gen(function* () {
          const { maps, post, watch, versionNow } = yield* setUp
          const version = yield* versionNow
          const [asked, plain] = [
            yield* watch(`${maps}?watch=true&allowWatchBookmarks=true&timeoutSeconds=3&resourceVersion=${version}`),
            yield* watch(`${maps}?watch=true&timeoutSeconds=3&resourceVersion=${version}`)
          ]
          const made = yield* post(maps, map("a"))
          yield* eventually(
            "the end",
            Effect.sync(() => asked.ended() && plain.ended()),
            (ended) => ended
          )
          // a busy server may send more than one
          const [first, ...rest] = asked.events.map(({ type }) => type)
          assert.deepStrictEqual([first, ...new Set(rest)], ["ADDED", "BOOKMARK"])
          assert.isAtLeast(
            Number(at(asked.events.at(-1)?.object, "metadata.resourceVersion")),
            Number(at(made.body, "metadata.resourceVersion"))
          )
          assert.strictEqual(at(asked.events.at(-1)?.object, "kind"), "ConfigMap")
          assert.deepStrictEqual(
            plain.events.map(({ type }) => type),
            ["ADDED"]
          )
        })
      )

      it.scoped("a watch by labels: what comes to fit is added, what no longer fits is deleted", () =>
        Effect.gen(function* () {
          const { maps, post, patch, watch, versionNow } = yield* setUp
          yield* post(maps, map("a", { labels: { x: "1" } }))
          yield* post(maps, map("b"))
          const watching = yield* watch(`${maps}?watch=true&labelSelector=x%3D1&resourceVersion=${yield* versionNow}`)
          yield* patch(`${maps}/b`, { data: { k: "v" } })
          yield* patch(`${maps}/a`, { metadata: { labels: { x: "2" } } })
          yield* patch(`${maps}/b`, { metadata: { labels: { x: "1" } } })
          assert.deepStrictEqual(yield* heard(watching, 2), [
            ["DELETED", "a"],
            ["ADDED", "b"]
          ])
        })
      )

      it.scoped("deletes under preconditions; what is gone at once answers with a success", () =>
        Effect.gen(function* () {
          const { maps, post, remove, mapNames } = yield* setUp
          const made = yield* post(maps, map("a"))
          const uid = at(made.body, "metadata.uid")
          const wrong = yield* remove(`${maps}/a`, deletion({ preconditions: { uid: otherUid } }))
          assert.deepStrictEqual(refusalOf(wrong), refused(409, "Conflict"))
          assert.match(String(at(wrong.body, "message")), /UID in the precondition \(.*\) does not match/)
          assert.deepStrictEqual(
            refusalOf(yield* remove(`${maps}/a`, deletion({ preconditions: { resourceVersion: "1" } }))),
            refused(409, "Conflict")
          )
          assert.deepStrictEqual(
            refusalOf(yield* remove(`${maps}/a`, deletion({ propagationPolicy: "Sideways" }))),
            refused(422, "Invalid")
          )
          assert.deepStrictEqual(yield* mapNames, ["a"])
          const gone = yield* remove(`${maps}/a`, deletion({ preconditions: { uid } }))
          assert.deepStrictEqual(
            [gone.status, at(gone.body, "kind"), at(gone.body, "status"), at(gone.body, "details.uid")],
            [200, "Status", "Success", uid]
          )
          assert.deepStrictEqual(yield* mapNames, [])
        })
      )

      it.scoped("what is owned goes after its owner, also when it comes later; an orphan stays", () =>
        Effect.gen(function* () {
          const { jobs, maps, get, post, remove, mapNames } = yield* setUp
          const owned = (name: string, uid: unknown) =>
            map(name, { ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "j", uid }] })
          const uid = at((yield* post(jobs, job("j", { suspend: true }))).body, "metadata.uid")
          yield* post(maps, owned("owned", uid))
          yield* remove(`${jobs}/j`)
          yield* post(maps, owned("late", uid))
          yield* eventually("all gone", mapNames, (names) => names.length === 0)
          const next = at((yield* post(jobs, job("j", { suspend: true }))).body, "metadata.uid")
          yield* post(maps, owned("kept", next))
          yield* remove(`${jobs}/j`, deletion({ propagationPolicy: "Orphan" }))
          yield* eventually("the owner gone", get(`${jobs}/j`), ({ status }) => status === 404)
          const kept = yield* get(`${maps}/kept`)
          assert.deepStrictEqual([kept.status, at(kept.body, "metadata.ownerReferences")], [200, undefined])
        })
      )

      it.scoped("in the foreground the owner stays, in deletion, until its pods are gone", () =>
        Effect.gen(function* () {
          const { jobs, core, get, post, patch, remove } = yield* setUp
          const pods = core("pods")
          const made = yield* post(jobs, job("j"))
          const [pod] = yield* eventually("the pod", Effect.map(get(pods), namesOf), (names) => names.length === 1)
          yield* patch(`${pods}/${pod}`, { metadata: { finalizers: ["example.com/held"] } })
          const deleting = yield* remove(`${jobs}/j`, deletion({ propagationPolicy: "Foreground" }))
          assert.deepStrictEqual([deleting.status, at(deleting.body, "kind")], [200, "Job"])
          assert.include(at(deleting.body, "metadata.finalizers"), "foregroundDeletion")
          assert.isDefined(at(deleting.body, "metadata.deletionTimestamp"))
          yield* eventually(
            "the pod in deletion",
            get(`${pods}/${pod}`),
            ({ body }) => at(body, "metadata.deletionTimestamp") !== undefined
          )
          const held = yield* get(`${jobs}/j`)
          assert.deepStrictEqual([held.status, at(held.body, "metadata.uid")], [200, at(made.body, "metadata.uid")])
          assert.deepStrictEqual(refusalOf(yield* post(jobs, job("j"))), refused(409, "AlreadyExists"))
          yield* patch(`${pods}/${pod}`, { metadata: { finalizers: null } })
          yield* eventually("the owner gone", get(`${jobs}/j`), ({ status }) => status === 404)
          assert.deepStrictEqual(namesOf(yield* get(pods)), [])
        })
      )

      it.scoped("a Job makes one pod that carries its labels and belongs to it", () =>
        Effect.gen(function* () {
          const { jobs, core, get, post } = yield* setUp
          const template = {
            metadata: { labels: { x: "1" }, annotations: { y: "2" } },
            spec: { restartPolicy: "Never", containers: [{ name: "c", image: "none" }] }
          }
          const made = yield* post(jobs, job("j", { template }))
          const answer = yield* eventually("the pod", get(core("pods")), (found) => itemsOf(found).length === 1)
          const pod = itemsOf(answer)[0] as {
            readonly metadata: { readonly labels: Record<string, string>; readonly name: string }
          }
          assert.match(pod.metadata.name, /^j-[a-z0-9]{5}$/)
          assert.include(pod.metadata.labels, { x: "1", "job-name": "j", "batch.kubernetes.io/job-name": "j" })
          assert.strictEqual(at(pod, "metadata.annotations.y"), "2")
          assert.deepStrictEqual(at(pod, "metadata.ownerReferences"), [
            {
              apiVersion: "batch/v1",
              kind: "Job",
              name: "j",
              uid: at(made.body, "metadata.uid"),
              controller: true,
              blockOwnerDeletion: true
            }
          ])
          assert.strictEqual(at(pod, "status.phase"), "Pending")
          yield* eventually("active", get(`${jobs}/j`), ({ body }) => at(body, "status.active") === 1)
        })
      )

      it.scoped("a suspended Job has no pod; resumed it has one; suspended again it loses it and has not failed", () =>
        Effect.gen(function* () {
          const { jobs, core, get, post, patch } = yield* setUp
          const pods = Effect.map(get(core("pods")), namesOf)
          yield* post(jobs, job("j", { suspend: true }))
          yield* eventually("suspended", get(`${jobs}/j`), (answer) => conditionsOf(answer).includes("Suspended=True"))
          assert.deepStrictEqual(yield* pods, [])
          yield* patch(`${jobs}/j`, { spec: { suspend: false } })
          const [first] = yield* eventually("a pod", pods, ({ length }) => length === 1)
          yield* eventually("resumed", get(`${jobs}/j`), (answer) => conditionsOf(answer).includes("Suspended=False"))
          yield* patch(`${jobs}/j`, { spec: { suspend: true } })
          yield* eventually("no pod", pods, ({ length }) => length === 0)
          const suspended = yield* eventually("suspended", get(`${jobs}/j`), (answer) =>
            conditionsOf(answer).includes("Suspended=True")
          )
          assert.deepStrictEqual(
            [at(suspended.body, "status.failed"), at(suspended.body, "status.active")],
            [undefined, undefined]
          )
          yield* patch(`${jobs}/j`, { spec: { suspend: false } })
          const [second] = yield* eventually("a pod", pods, ({ length }) => length === 1)
          assert.notStrictEqual(second, first)
        })
      )

      it.scoped("a pod that succeeds completes its Job, one that fails or is deleted fails it", () =>
        Effect.gen(function* () {
          const { jobs, core, get, post, patch, remove } = yield* setUp
          const podOf = (name: string) =>
            Effect.map(
              eventually(
                "the pod",
                get(`${core("pods")}?labelSelector=job-name%3D${name}`),
                (found) => itemsOf(found).length === 1
              ),
              (found) => `${core("pods")}/${namesOf(found)[0]}`
            )
          const ended = (name: string, condition: string) =>
            eventually(condition, get(`${jobs}/${name}`), (answer) =>
              conditionsOf(answer).includes(`${condition}=True`)
            )
          for (const name of ["good", "bad", "deleted"]) yield* post(jobs, job(name))
          yield* patch(`${yield* podOf("good")}/status`, { status: { phase: "Succeeded" } })
          yield* patch(`${yield* podOf("bad")}/status`, { status: { phase: "Failed" } })
          yield* remove(yield* podOf("deleted"))
          assert.strictEqual(at((yield* ended("good", "Complete")).body, "status.succeeded"), 1)
          for (const name of ["bad", "deleted"]) {
            const answer = yield* ended(name, "Failed")
            assert.strictEqual(at(answer.body, "status.failed"), 1)
            const conditions = at(answer.body, "status.conditions") as ReadonlyArray<{
              readonly type: string
              readonly reason?: string
            }>
            assert.strictEqual(conditions.find(({ type }) => type === "Failed")?.reason, "BackoffLimitExceeded")
          }
        })
      )

      it.scoped("an Event is made once", () =>
        Effect.gen(function* () {
          const { core, namespace, post } = yield* setUp
          assert.strictEqual((yield* post(core("events"), eventAbout(namespace, "e"))).status, 201)
          assert.deepStrictEqual(
            refusalOf(yield* post(core("events"), eventAbout(namespace, "e"))),
            refused(409, "AlreadyExists")
          )
          const foreign = yield* post(core("events"), { ...eventAbout("elsewhere", "f") })
          assert.deepStrictEqual(
            [refusalOf(foreign), causesOf(foreign)],
            [refused(422, "Invalid"), [["FieldValueInvalid", "involvedObject.namespace"]]]
          )
        })
      )

      it.scoped("logs of a pod that is not there, and of one that no node has taken", () =>
        Effect.gen(function* () {
          const { jobs, core, get, post } = yield* setUp
          assert.deepStrictEqual(
            refusalOf(yield* get(`${core("pods")}/absent/log?container=c`)),
            refused(404, "NotFound")
          )
          yield* post(jobs, job("j"))
          const [pod] = yield* eventually(
            "the pod",
            Effect.map(get(core("pods")), namesOf),
            (names) => names.length === 1
          )
          const answer = yield* get(`${core("pods")}/${pod}/log?container=c`)
          assert.deepStrictEqual([answer.status, answer.body], [204, ""])
          assert.deepStrictEqual(
            refusalOf(yield* get(`${core("pods")}/${pod}/log?container=other`)),
            refused(400, "BadRequest")
          )
        })
      )

      it.scoped("reviews: a token that is nobody's, a user without rights, questions that are none", () =>
        Effect.gen(function* () {
          const { namespace, post } = yield* setUp
          const tokens = "/apis/authentication.k8s.io/v1/tokenreviews"
          const accesses = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
          const tokenReview = (spec: object) =>
            post(tokens, { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec })
          const accessReview = (spec: object) =>
            post(accesses, { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec })
          const nobody = yield* tokenReview({ token: "made-up" })
          assert.deepStrictEqual(
            [nobody.status, at(nobody.body, "kind"), at(nobody.body, "spec.token")],
            [201, "TokenReview", "made-up"]
          )
          assert.deepStrictEqual(
            [at(nobody.body, "status.authenticated"), at(nobody.body, "status.user")],
            [undefined, {}]
          )
          assert.deepStrictEqual(refusalOf(yield* tokenReview({ token: "" })), refused(400, "BadRequest"))
          const resourceAttributes = { namespace, verb: "get", group: "evald.internal", resource: "evaluations" }
          const denied = yield* accessReview({ user: "nobody", resourceAttributes })
          assert.deepStrictEqual(
            [denied.status, at(denied.body, "kind"), at(denied.body, "status")],
            [201, "SubjectAccessReview", { allowed: false }]
          )
          assert.deepStrictEqual(
            refusalOf(yield* accessReview({ user: "", resourceAttributes })),
            refused(422, "Invalid")
          )
          assert.deepStrictEqual(refusalOf(yield* accessReview({ user: "nobody" })), refused(422, "Invalid"))
        })
      )

      it.scoped("a namespace in deletion takes nothing new and ends with all it holds", () =>
        Effect.gen(function* () {
          const { namespace, maps, get, post, remove } = yield* setUp
          yield* post(maps, { ...map("held"), metadata: { name: "held", finalizers: ["example.com/held"] } })
          assert.strictEqual((yield* remove(`/api/v1/namespaces/${namespace}`)).status, 200)
          const late = yield* post(maps, map("late"))
          assert.deepStrictEqual(
            [refusalOf(late), causesOf(late)],
            [refused(403, "Forbidden"), [["NamespaceTerminating", "metadata.namespace"]]]
          )
          assert.strictEqual(at((yield* get(`/api/v1/namespaces/${namespace}`)).body, "status.phase"), "Terminating")
          yield* eventually(
            "in deletion",
            get(`${maps}/held`),
            ({ body }) => at(body, "metadata.deletionTimestamp") !== undefined
          )
        })
      )
    })
  })
