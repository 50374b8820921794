/** A cache agrees with the cluster in the end, whatever happens to its watch, and does not hammer the cluster on the way. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { KubeClient } from "../../../../../infrastructure/kubernetes/client/client.ts"
import { configMaps, type KubeObject, namespaces } from "../../../../../infrastructure/kubernetes/client/resources.ts"
import { makeCache } from "../../../../../infrastructure/kubernetes/controller/object-cache.ts"
import { Fake, layer as fake } from "../../../../support/fake-kubernetes/fake-kubernetes.ts"
import { answers } from "../../../../support/fake-kubernetes/faults.ts"
import { kindOf } from "../../../../support/fake-kubernetes/job-controller.ts"
import { serviceMonitors } from "../../../../support/fake-kubernetes/kinds.ts"
import { pass, passUntil } from "../../../../support/fake-kubernetes/passing.ts"

const kind = kindOf("configmaps")
const managed = { managed: "yes" }
const selection = { resource: configMaps, lane: "observe", labelSelector: "managed=yes" } as const

const setUp = (resyncMillis?: number) =>
  Effect.gen(function* () {
    const cluster = yield* Fake
    cluster.addNamespace("n")
    const told: Array<string> = []
    const nameOf = (object: KubeObject | undefined) => object?.metadata.name
    const cache = yield* makeCache({
      client: yield* KubeClient,
      selection,
      ...(resyncMillis === undefined ? {} : { resyncMillis }),
      changed: (before, after) =>
        void told.push(
          before === undefined ? `+${nameOf(after)}` : after === undefined ? `-${nameOf(before)}` : `~${nameOf(after)}`
        )
    })
    yield* cache.synced
    const put = (name: string, value: string) =>
      cluster.objects("configmaps").some(({ metadata }) => metadata.name === name)
        ? cluster.store.update(kind, "n", name, (object) => ({ ...object, data: { value } }))
        : cluster.store.create(kind, "n", { metadata: { name, labels: managed }, data: { value } })
    const state = () =>
      cluster
        .objects("configmaps")
        .map(({ metadata, data }) => `${metadata.name} ${JSON.stringify(data)}`)
        .sort()
    const known = () =>
      cache
        .all()
        .map(({ metadata, data }) => `${metadata.name} ${JSON.stringify(data)}`)
        .sort()
    const agrees = passUntil(cluster, "the cache agrees", () => JSON.stringify(known()) === JSON.stringify(state()))
    /** requests about the kind since a moment */
    const asked = () => cluster.requests.filter(({ plural }) => plural === "configmaps").length
    return { cluster, cache, told, put, known, agrees, asked }
  })

describe("the cache of a controller", () => {
  it.scoped("tells what is new, other and gone, once each, and forgets what loses its label", () =>
    Effect.gen(function* () {
      const { cluster, told, put, agrees, known } = yield* setUp()
      put("a", "1")
      put("b", "1")
      yield* agrees
      put("a", "2")
      yield* agrees
      cluster.store.update(kind, "n", "b", ({ metadata: { labels: _, ...metadata }, ...object }) => ({
        ...object,
        metadata
      }))
      cluster.store.remove(kind, "n", "a")
      yield* passUntil(cluster, "told", () => known().length === 0)
      assert.deepStrictEqual(told, ["+a", "+b", "~a", "-b", "-a"])
    }).pipe(Effect.provide(fake))
  )

  const misfortunes: ReadonlyArray<readonly [name: string, strike: (cluster: typeof Fake.Service) => void]> = [
    ["the connection is cut", ({ watches }) => watches.drop()],
    ["the server ends the watch", ({ watches }) => watches.end()],
    ["an ERROR event says 410", ({ watches }) => watches.gone()],
    ["a line is torn", ({ watches }) => watches.write('{"type":"MODIFIED","obj\n')],
    ["the last event comes twice", ({ watches }) => watches.duplicate()],
    [
      "410 as the status of the next watch",
      ({ watches, faults }) => {
        faults.add({ when: ({ verb }) => verb === "watch", fault: answers(410, { reason: "Expired" }) })
        watches.drop()
      }
    ],
    [
      "429 with Retry-After on watch and list",
      ({ watches, faults }) => {
        faults.add({
          when: ({ verb }) => verb === "watch" || verb === "list",
          times: 3,
          fault: answers(429, { retryAfterSeconds: 7 })
        })
        watches.gone()
      }
    ],
    [
      "500 ten times in a row",
      ({ watches, faults }) => {
        faults.add({ when: ({ plural }) => plural === "configmaps", times: 10, fault: answers(500) })
        watches.drop()
      }
    ]
  ]
  for (const [name, strike] of misfortunes)
    it.scoped(`case 22: ${name}: recovered, without a restart more often than once a second`, () =>
      Effect.gen(function* () {
        const { cluster, put, agrees, asked, cache } = yield* setUp()
        put("a", "1")
        put("gone", "1")
        yield* agrees
        const [before, since] = [asked(), yield* TestClock.currentTimeMillis]
        strike(cluster)
        put("a", "2")
        put("b", "1")
        cluster.store.remove(kind, "n", "gone")
        yield* agrees
        const seconds = ((yield* TestClock.currentTimeMillis) - since) / 1000
        // a relist is two requests
        assert.isAtMost(asked() - before, 2 * (seconds + 1))
        assert.isAtMost(cache.restarts(), seconds + 1)
      }).pipe(Effect.provide(fake))
    )

  it.scoped("case 22: half-open: the watchdog cuts a silent connection, and what was missed comes", () =>
    Effect.gen(function* () {
      const { cluster, put, agrees } = yield* setUp()
      put("a", "1")
      yield* agrees
      cluster.watches.freeze(true)
      put("a", "2")
      yield* pass(cluster, 20)
      // what comes later reaches new connections only
      const since = yield* TestClock.currentTimeMillis
      yield* passUntil(
        cluster,
        "a new watch",
        () => cluster.requests.filter(({ verb }) => verb === "watch").length > 1,
        5
      )
      cluster.watches.freeze(false)
      yield* agrees
      assert.isAtMost((yield* TestClock.currentTimeMillis) - since, 340_000)
    }).pipe(Effect.provide(fake))
  )

  it.scoped("case 22: an event that never came is found by the periodic list", () =>
    Effect.gen(function* () {
      const { cluster, cache, put, agrees, known } = yield* setUp(60_000)
      put("a", "1")
      yield* agrees
      cluster.watches.freeze(true)
      put("a", "2")
      put("lost", "1")
      yield* pass(cluster, 1)
      assert.deepStrictEqual(known(), ['a {"value":"1"}'])
      yield* pass(cluster, 70, 5)
      assert.deepStrictEqual(known(), ['a {"value":"2"}', 'lost {"value":"1"}'])
      assert.isUndefined(cache.refusal())
    }).pipe(Effect.provide(fake))
  )

  it.scoped("an object that was replaced by one of the same name is told as gone and new", () =>
    Effect.gen(function* () {
      const { cluster, told, put, agrees } = yield* setUp()
      put("a", "1")
      yield* agrees
      cluster.watches.gone()
      cluster.store.remove(kind, "n", "a")
      put("a", "1")
      yield* passUntil(cluster, "told", () => told.length > 1)
      assert.deepStrictEqual(told, ["+a", "-a", "+a"])
    }).pipe(Effect.provide(fake))
  )

  it.scoped(
    "case 30: a kind that is not installed is told, found when it comes and told when it goes, without a loop of errors",
    () =>
      Effect.gen(function* () {
        const cluster = yield* Fake
        const availability: Array<string | undefined> = []
        const cache = yield* makeCache({
          client: yield* KubeClient,
          selection: { resource: { ...serviceMonitors }, lane: "observe" },
          changed: () => {},
          availability: (refusal) => void availability.push(refusal)
        })
        yield* cache.synced
        yield* pass(cluster, 120, 5)
        assert.isAtMost(cluster.requests.length, 6)
        cluster.kinds.push(serviceMonitors)
        yield* pass(cluster, 60, 5)
        assert.deepStrictEqual(availability, ["not_found", undefined])
        cluster.kinds.splice(cluster.kinds.indexOf(serviceMonitors), 1)
        cluster.watches.drop()
        yield* pass(cluster, 60, 5)
        assert.deepStrictEqual(availability, ["not_found", undefined, "not_found"])
      }).pipe(Effect.provide(fake))
  )

  it.scoped("a cluster-scoped kind is known by its name alone", () =>
    Effect.gen(function* () {
      const cluster = yield* Fake
      cluster.addNamespace("team", { tenant: "" })
      const cache = yield* makeCache({
        client: yield* KubeClient,
        selection: { resource: namespaces, lane: "observe", labelSelector: "tenant", metadataOnly: true },
        changed: () => {}
      })
      yield* cache.synced
      assert.strictEqual(cache.get(undefined, "team")?.metadata.name, "team")
    }).pipe(Effect.provide(fake))
  )
})
