/** The client against a fake API over HTTP: time limits, error classes, tokens, pages and watches. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream, TestClock } from "effect"
import { make } from "../../../../../infrastructure/kubernetes/client/client.ts"
import { fixedAccess, tokenFile, withToken } from "../../../../../infrastructure/kubernetes/client/connection.ts"
import type { KubeErrorClass } from "../../../../../infrastructure/kubernetes/client/kube-error.ts"
import { configMaps, jobs, pods, secrets } from "../../../../../infrastructure/kubernetes/client/resources.ts"
import { fakeKubernetes } from "../../../../support/fake-kubernetes/fake-kubernetes.ts"
import { answers, dropAfter, dropBefore, verbIs } from "../../../../support/fake-kubernetes/faults.ts"

const setUp = Effect.gen(function* () {
  const fake = yield* fakeKubernetes
  fake.addNamespace("team-a")
  const client = yield* make({ connection: fake.connection, qps: 1000, burst: 1000 })
  return { fake, client }
})

const inTeam = { namespace: "team-a", lane: "launch" } as const
const map = (name: string, labels = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels },
  data: { a: "1" }
})

describe("client", () => {
  it.scoped("creates, reads, patches and removes with preconditions", () =>
    Effect.gen(function* () {
      const { client } = yield* setUp
      const target = { ...inTeam, resource: configMaps, name: "m" }
      const made = yield* client.create({ ...inTeam, resource: configMaps }, map("m"))
      const patched = yield* client.mergePatch(target, {
        metadata: { uid: made.metadata.uid, labels: { phase: "Running" } }
      })
      assert.deepStrictEqual(patched.metadata.labels, { phase: "Running" })
      const refused = yield* Effect.flip(client.mergePatch(target, { metadata: { uid: "other" } }))
      assert.deepStrictEqual([refused.class, refused.status], ["invalid", 422])
      const wrong = yield* Effect.flip(client.remove(target, { uid: "other", propagation: "Background" }))
      assert.strictEqual(wrong.class, "conflict")
      yield* client.remove(target, { propagation: "Background" })
      assert.strictEqual((yield* Effect.flip(client.get(target))).class, "not_found")
    })
  )

  it.scoped("counts its calls by lane and outcome, and what waits for its turn", () =>
    Effect.gen(function* () {
      const { fake } = yield* setUp
      const client = yield* make({ connection: fake.connection, qps: 1, burst: 2 })
      const get = client.get({ ...inTeam, resource: configMaps, name: "m" })
      yield* client.create({ ...inTeam, resource: configMaps }, map("m"))
      yield* Effect.flip(client.get({ ...inTeam, resource: configMaps, name: "none" }))
      yield* client.send({ method: "GET", path: "/version" }, "review")
      const held = yield* Effect.fork(get)
      yield* Effect.yieldNow()
      const { calls, waiting, unreadableLines } = yield* client.activity
      assert.deepStrictEqual(calls, [
        { lane: "launch", outcome: "ok", count: 1 },
        { lane: "launch", outcome: "not_found", count: 1 },
        { lane: "review", outcome: "ok", count: 1 }
      ])
      assert.deepStrictEqual(waiting, [
        { lane: "launch", count: 1 },
        { lane: "observe", count: 0 },
        { lane: "signal", count: 0 }
      ])
      assert.strictEqual(unreadableLines, 0)
      yield* Fiber.interrupt(held)
    })
  )

  it.scoped("asks for metadata only where the data is none of our business", () =>
    Effect.gen(function* () {
      const { fake, client } = yield* setUp
      fake.addSecret("team-a", "s3", { AWS_SECRET_ACCESS_KEY: "top-secret" })
      const found = yield* client.getMetadata({ ...inTeam, resource: secrets, name: "s3" })
      assert.strictEqual(found.kind, "PartialObjectMetadata")
      assert.isUndefined(found["data"])
    })
  )

  const classes: ReadonlyArray<readonly [status: number, expected: KubeErrorClass]> = [
    [400, "invalid"],
    [403, "forbidden"],
    [404, "not_found"],
    [408, "transient"],
    [409, "conflict"],
    [410, "expired"],
    [413, "invalid"],
    [422, "invalid"],
    [429, "transient"],
    [500, "transient"],
    [503, "transient"],
    [504, "transient"]
  ]
  for (const [status, expected] of classes)
    it.scoped(`status ${status} is ${expected}`, () =>
      Effect.gen(function* () {
        const { fake, client } = yield* setUp
        fake.faults.add({
          when: verbIs("get", "jobs"),
          fault: answers(status, { message: "the cluster's\n text", reason: "R", causes: ["C"], retryAfterSeconds: 7 })
        })
        const error = yield* Effect.flip(client.get({ ...inTeam, resource: jobs, name: "j" }))
        assert.deepStrictEqual(
          [error.class, error.message, error.reason, error.causes, error.retryAfterMillis],
          [expected, "the cluster's text", "R", ["C"], 7000]
        )
      })
    )

  it.scoped("a cut connection and silence are transient", () =>
    Effect.gen(function* () {
      const { fake, client } = yield* setUp
      for (const fault of [dropBefore, dropAfter]) {
        fake.faults.add({ when: verbIs("create", "configmaps"), fault })
        const error = yield* Effect.flip(
          client.create({ ...inTeam, resource: configMaps }, map(`m-${fault.type === "drop" ? fault.moment : ""}`))
        )
        assert.deepStrictEqual([error.class, error.status], ["transient", 0])
      }
      assert.deepStrictEqual(
        fake.objects("configmaps").map(({ metadata }) => metadata.name),
        ["m-after"]
      )
      fake.faults.add({ when: verbIs("get", "pods"), fault: { type: "hang" } })
      const silent = yield* Effect.fork(Effect.flip(client.get({ ...inTeam, resource: pods, name: "p" })))
      while (!fake.requests.some(({ plural }) => plural === "pods"))
        yield* Effect.promise(() => new Promise(setImmediate))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(silent)).message, "no answer within 10 s")
    })
  )

  it.scoped("a refused token is read again once", () =>
    Effect.gen(function* () {
      const { fake } = yield* setUp
      const directory = mkdtempSync(join(tmpdir(), "evald-token-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(directory, { recursive: true })))
      const path = join(directory, "token")
      writeFileSync(path, "old\n")
      const client = yield* make({
        connection: { ...fake.connection, access: withToken(fixedAccess({}), tokenFile(path)) },
        qps: 1000,
        burst: 1000
      })
      fake.accept.tokens = ["new"]
      const refused = yield* Effect.flip(client.list({ ...inTeam, resource: pods }))
      assert.deepStrictEqual([refused.class, fake.requests.length], ["credential", 2])
      writeFileSync(path, "new")
      yield* client.list({ ...inTeam, resource: pods })
      assert.strictEqual(fake.requests.length, 3)
    })
  )

  it.scoped("lists in pages of 500; an expired page begins anew without limit", () =>
    Effect.gen(function* () {
      const { fake, client } = yield* setUp
      for (let number = 0; number < 1001; number += 1)
        yield* Effect.sync(() => fake.addSecret("team-a", `s-${number}`, {}, { labels: { n: String(number % 2) } }))
      const all = yield* client.list({ ...inTeam, resource: secrets, metadataOnly: true })
      assert.deepStrictEqual([all.items.length, fake.requests.length], [1001, 3])
      fake.faults.add({ when: ({ query }) => query.has("continue"), fault: answers(410) })
      const again = yield* client.list({ ...inTeam, resource: secrets, labelSelector: "n in (0)" })
      assert.strictEqual(again.items.length, 501)
      assert.isFalse(fake.requests.at(-1)?.query.has("limit"))
    })
  )

  it.scoped("a watch tells changes and bookmarks, skips what is torn, and ends with the server", () =>
    Effect.gen(function* () {
      const { fake, client } = yield* setUp
      const { resourceVersion } = yield* client.list({ ...inTeam, resource: configMaps, labelSelector: "a=b" })
      const watch = client.watch(
        { ...inTeam, resource: configMaps, labelSelector: "a=b" },
        { resourceVersion, timeoutSeconds: 300 }
      )
      const running = yield* Effect.fork(Stream.runCollect(watch))
      while (fake.watches.count() === 0) yield* Effect.promise(() => new Promise(setImmediate))
      yield* client.create({ ...inTeam, resource: configMaps }, map("m", { a: "b" }))
      yield* client.create({ ...inTeam, resource: configMaps }, map("other"))
      fake.watches.write('{"type":"ADDED","obj\n')
      yield* client.remove({ ...inTeam, resource: configMaps, name: "m" }, { propagation: "Background" })
      fake.watches.end()
      const events = [...(yield* Fiber.join(running))]
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        ["ADDED", "UNREADABLE", "DELETED", "BOOKMARK"]
      )
    })
  )

  it.scoped("a watch that is too old, cut or silent fails with its class", () =>
    Effect.gen(function* () {
      const { fake, client } = yield* setUp
      const watch = (resourceVersion: string) =>
        Stream.runDrain(client.watch({ ...inTeam, resource: pods }, { resourceVersion, timeoutSeconds: 240 }))
      const opened = (effect: Effect.Effect<void, unknown>) =>
        Effect.gen(function* () {
          const running = yield* Effect.fork(Effect.flip(effect))
          while (fake.watches.count() === 0) yield* Effect.promise(() => new Promise(setImmediate))
          return running
        })
      const version = String(fake.store.version())
      fake.store.compact()
      assert.strictEqual((yield* Effect.flip(watch("1"))).class, "expired")
      const cut = yield* opened(watch(version))
      fake.watches.drop()
      assert.include(yield* Fiber.join(cut), { class: "transient" })
      while (fake.watches.count() > 0) yield* Effect.promise(() => new Promise(setImmediate))
      const silent = yield* opened(watch(version))
      fake.watches.freeze(true)
      yield* TestClock.adjust("270 seconds")
      assert.include(yield* Fiber.join(silent), { class: "transient", message: "the watch was silent for 270 s" })
    })
  )

  it.scoped("the rate limit holds, more important lanes first", () =>
    Effect.gen(function* () {
      const { fake } = yield* setUp
      const client = yield* make({ connection: fake.connection, qps: 10, burst: 2 })
      const get = (name: string, lane: "launch" | "observe" | "signal" | "review") =>
        Effect.ignore(client.get({ namespace: "team-a", resource: pods, name, lane }))
      yield* Effect.all([get("burst", "signal"), get("burst", "signal")])
      const waiting = yield* Effect.fork(
        Effect.all(
          [get("signal", "signal"), get("observe", "observe"), get("launch", "launch"), get("review", "review")],
          { concurrency: "unbounded" }
        )
      )
      const names = () => fake.requests.slice(2).map(({ name }) => name)
      while (names().length < 1) yield* Effect.promise(() => new Promise(setImmediate))
      assert.deepStrictEqual(names(), ["review"])
      for (let calls = 2; calls <= 4; calls += 1) {
        yield* TestClock.adjust("100 millis")
        while (names().length < calls) yield* Effect.promise(() => new Promise(setImmediate))
      }
      yield* Fiber.join(waiting)
      assert.deepStrictEqual(names(), ["review", "launch", "observe", "signal"])
    })
  )
})
