/** T1: launching against a fake API: crashes, races, refusals, taken names, secrets (cases 6, 7, 9 to 13). */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Either, Fiber, Layer, Random, Stream, TestClock } from "effect"
import { Runtime, type Unit, type UnitFact } from "../../../../../application/ports/runtime.ts"
import type { Backing } from "../../../../../domain/job/job.ts"
import * as Client from "../../../../../infrastructure/kubernetes/client/client.ts"
import type { ClusterOptions } from "../../../../../infrastructure/kubernetes/cluster-options.ts"
import * as ClusterRuntime from "../../../../../infrastructure/kubernetes/cluster-runtime.ts"
import { backingName } from "../../../../../infrastructure/kubernetes/unit/names.ts"
import { atRest, clusterOptions, clusterUnit, drive } from "../../../../support/cluster-units.ts"
import { type FakeKubernetes, fakeKubernetes } from "../../../../support/fake-kubernetes/fake-kubernetes.ts"
import { answers, dropAfter, verbIs } from "../../../../support/fake-kubernetes/faults.ts"
import { plainObservation } from "../../../../support/plain-observation.ts"
import { sqliteMemory } from "../../../../support/storage.ts"

const runtimeOn = (fake: FakeKubernetes, given: Partial<ClusterOptions> = {}) => {
  const options = clusterOptions(given)
  const client = Client.layer({ connection: fake.connection, qps: 1000, burst: 1000 })
  return ClusterRuntime.layer(options).pipe(
    Layer.provide(plainObservation(options)),
    Layer.provide(client),
    Layer.provide(sqliteMemory)
  )
}

const setUp = (given: Partial<ClusterOptions> = {}) =>
  Effect.gen(function* () {
    const fake = yield* fakeKubernetes
    fake.addNamespace("team-a")
    const { context, facts } = yield* Effect.gen(function* () {
      const made = yield* Layer.build(runtimeOn(fake, given))
      const told: Array<UnitFact> = []
      const runtime = yield* Effect.provide(Runtime, made)
      yield* Effect.forkScoped(Stream.runForEach(runtime.facts, (fact) => Effect.sync(() => told.push(fact))))
      return { context: runtime, facts: told }
    })
    return { fake, runtime: context, facts }
  })

const unit = clusterUnit()
const name = backingName("evald", unit)
const names = (fake: FakeKubernetes) =>
  ["jobs", "configmaps", "secrets"].map((plural) => fake.objects(plural, "team-a").map(({ metadata }) => metadata.name))
const withModel: Unit = clusterUnit({
  request: { model: { url: "https://m.example/v1", name: "m", auth: { secretRef: "model-secret" } } }
})
const waited = <A, E, R>(fake: FakeKubernetes, effect: Effect.Effect<A, E, R>, step?: number) =>
  Effect.gen(function* () {
    const from = yield* Clock.currentTimeMillis
    const result = yield* drive(fake, Effect.either(effect), step)
    return { result, seconds: ((yield* Clock.currentTimeMillis) - from) / 1000 }
  })
const refusalOf = <A, E extends { readonly _tag: string }>(result: Either.Either<A, E>) =>
  Either.match(result, {
    onLeft: (error) => ("code" in error && "message" in error ? [error.code, error.message] : [error._tag]),
    onRight: () => ["launched"]
  })

describe("case 6: launch killed before and after each API call", () => {
  const calls = ["get secrets", "create jobs", "create configmaps", "create secrets"] as const
  for (const call of calls)
    for (const moment of ["before", "after"] as const)
      it.scoped(`${moment} ${call}`, () =>
        Effect.gen(function* () {
          const { fake, runtime } = yield* setUp()
          fake.addSecret("team-a", "model-secret", { "api-key": "real-value" })
          let reached = false
          fake.faults.hook((request, at) => {
            if (reached || at !== moment || `${request.verb} ${request.plural}` !== call) return
            reached = true
            return new Promise<void>(() => {})
          })
          const first = yield* Effect.fork(runtime.launch(withModel))
          while (!reached) yield* Effect.promise(() => new Promise(setImmediate))
          yield* Fiber.interrupt(first)
          fake.faults.hook(undefined)
          const next = yield* setUpOn(fake)
          yield* drive(fake, next.launch(withModel))
          assert.deepStrictEqual(names(fake), [[name], [`${name}-spec`], ["model-secret", `${name}-ref`]])
          const uid = fake.objects("jobs")[0]?.metadata.uid
          for (const object of [...fake.objects("configmaps"), ...fake.objects("secrets").slice(1)])
            assert.strictEqual(object.metadata.ownerReferences?.[0]?.uid, uid)
        })
      )
})

/** another server on the same cluster */
const setUpOn = (fake: FakeKubernetes) =>
  Effect.flatMap(Layer.build(runtimeOn(fake)), (made) => Effect.provide(Runtime, made))

describe("case 7: two workers", () => {
  it.scoped("one creates, the other adopts", () =>
    Effect.gen(function* () {
      const { fake, runtime } = yield* setUp()
      const other = yield* setUpOn(fake)
      yield* drive(fake, Effect.all([runtime.launch(unit), other.launch(unit)], { concurrency: 2 }))
      assert.deepStrictEqual(names(fake), [[name], [`${name}-spec`], []])
    })
  )
})

describe("case 9: a cluster in trouble", () => {
  it.scoped("500 three times", () =>
    Effect.gen(function* () {
      const { fake, runtime } = yield* setUp()
      fake.faults.add({ when: verbIs("create", "jobs"), times: 3, fault: answers(500) })
      yield* Effect.withRandom(drive(fake, runtime.launch(unit)), Random.fixed([1, 1, 1]))
      assert.strictEqual(fake.objects("jobs").length, 1)
    })
  )
  it.scoped("429 with Retry-After 2 is obeyed", () =>
    Effect.gen(function* () {
      const { fake, runtime } = yield* setUp()
      fake.faults.add({ when: verbIs("create", "jobs"), fault: answers(429, { retryAfterSeconds: 2 }) })
      const { result, seconds } = yield* waited(fake, runtime.launch(unit))
      assert.isTrue(Either.isRight(result))
      assert.isAtLeast(seconds, 2)
    })
  )
  it.scoped("an answer that is lost after its effect is no second Job", () =>
    Effect.gen(function* () {
      const { fake, runtime } = yield* setUp()
      fake.faults.add({ when: verbIs("create", "jobs"), fault: dropAfter })
      yield* drive(fake, runtime.launch(unit))
      assert.deepStrictEqual(names(fake), [[name], [`${name}-spec`], []])
      assert.strictEqual(fake.requests.filter(verbIs("create", "jobs")).length, 2)
    })
  )
})

describe("case 10: refusals", () => {
  it.scoped("422 and a missing namespace are final, in the cluster's words", () =>
    Effect.gen(function* () {
      const { fake, runtime } = yield* setUp()
      fake.faults.add({ when: verbIs("create", "jobs"), fault: answers(422, { message: "spec is wrong" }) })
      assert.deepStrictEqual(refusalOf((yield* waited(fake, runtime.launch(unit))).result), [
        "runtime_object_rejected",
        "spec is wrong"
      ])
      const homeless = { ...unit, tenant: "team-b" }
      assert.deepStrictEqual(refusalOf((yield* waited(fake, runtime.launch(homeless))).result), [
        "runtime_object_rejected",
        'namespaces "team-b" not found'
      ])
    })
  )
  it.scoped("a quota is shown and waited for; the slot is free meanwhile", () =>
    Effect.gen(function* () {
      const { fake, runtime, facts } = yield* setUp({ launchConcurrency: 1 })
      fake.faults.add({
        when: verbIs("create", "jobs"),
        times: 2,
        fault: answers(403, { message: "exceeded quota: compute" })
      })
      const launching = yield* Effect.fork(runtime.launch(unit))
      while (facts.length === 0) yield* atRest(fake)
      assert.deepInclude(facts[0], { _tag: "Waiting", code: "unschedulable", message: "exceeded quota: compute" })
      assert.strictEqual(yield* runtime.freeSlots, 1)
      yield* TestClock.adjust("30 seconds")
      yield* atRest(fake)
      yield* TestClock.adjust("30 seconds")
      yield* Fiber.join(launching)
      assert.strictEqual(fake.objects("jobs").length, 1)
    })
  )
  it.scoped("missing rights are waited for ten minutes", () =>
    Effect.gen(function* () {
      const { fake, runtime } = yield* setUp()
      fake.faults.add({
        when: verbIs("create", "jobs"),
        times: 1000,
        fault: answers(403, { message: "cannot create" })
      })
      const { result, seconds } = yield* waited(fake, runtime.launch(unit), 15_000)
      assert.deepStrictEqual(refusalOf(result), [
        "launch_failed",
        "The server may not create what the benchmark needs: cannot create"
      ])
      assert.isAtLeast(seconds, 600)
    })
  )
  it.scoped("a namespace in deletion is final", () =>
    Effect.gen(function* () {
      const { fake, runtime } = yield* setUp()
      fake.faults.add({
        when: verbIs("create", "jobs"),
        fault: answers(403, { message: "being terminated", causes: ["NamespaceTerminating"] })
      })
      assert.deepStrictEqual(refusalOf((yield* waited(fake, runtime.launch(unit))).result), [
        "runtime_object_rejected",
        "being terminated"
      ])
    })
  )
})

describe("case 11: the name is taken", () => {
  it.scoped("by our own: adopted; by one that is being deleted: the next attempt after 60 s", () =>
    Effect.gen(function* () {
      const { fake, runtime } = yield* setUp()
      yield* drive(fake, runtime.launch(unit))
      const uid = fake.objects("jobs")[0]?.metadata.uid
      yield* drive(fake, runtime.launch(unit))
      assert.strictEqual(fake.objects("jobs")[0]?.metadata.uid, uid)
      fake.store.holdPods(true)
      const stopping = yield* Effect.fork(runtime.stop(unit, { discard: false }))
      while (fake.objects("jobs")[0]?.metadata.deletionTimestamp === undefined) yield* atRest(fake)
      yield* Fiber.interrupt(stopping)
      const { result, seconds } = yield* waited(fake, runtime.launch(unit), 1000)
      assert.deepStrictEqual([refusalOf(result), Math.round(seconds / 10)], [["LaunchHeld"], 6])
    })
  )
  for (const [owner, labels] of [
    [
      "another instance",
      {
        "app.kubernetes.io/managed-by": "evald",
        "evald.internal/instance-name": "other",
        "evald.internal/instance-namespace": "evald-system"
      }
    ],
    ["nobody we know", {}]
  ] as const)
    it.scoped(`by ${owner}: refused, and the object is left alone`, () =>
      Effect.gen(function* () {
        const { fake, runtime } = yield* setUp()
        const jobs = fake.kinds.find(({ plural }) => plural === "jobs")
        if (jobs !== undefined)
          fake.store.create(jobs, "team-a", { metadata: { name, labels }, spec: { suspend: true } })
        const { result } = yield* waited(fake, runtime.launch(unit))
        assert.deepStrictEqual(refusalOf(result), [
          "runtime_object_rejected",
          `The name '${name}' is taken by a foreign object.`
        ])
        assert.deepStrictEqual(names(fake), [[name], [], []])
      })
    )
  it.scoped("a ConfigMap of a dead owner is replaced", () =>
    Effect.gen(function* () {
      const { fake, runtime } = yield* setUp()
      yield* drive(fake, runtime.launch(unit))
      const [map] = fake.objects("configmaps")
      yield* drive(fake, runtime.stop(unit, { discard: true }))
      const kind = fake.kinds.find(({ plural }) => plural === "configmaps")
      fake.store.holdCollection(true)
      if (kind !== undefined && map !== undefined) fake.store.create(kind, "team-a", map)
      yield* drive(fake, runtime.launch(unit))
      fake.store.holdCollection(false)
      assert.strictEqual(
        fake.objects("configmaps")[0]?.metadata.ownerReferences?.[0]?.uid,
        fake.objects("jobs")[0]?.metadata.uid
      )
    })
  )
})

describe("what a launch stored", () => {
  const storedUnit = (backing: Backing): Unit => ({ ...unit, benchmark: { ...unit.benchmark, backing } })

  it.scoped("the name stays when the prefix is changed, and the uid of the Job is told", () =>
    Effect.gen(function* () {
      const { fake, runtime } = yield* setUp({ namePrefix: "other" })
      const launched = yield* drive(fake, runtime.launch(storedUnit({ name })))
      assert.deepStrictEqual(names(fake), [[name], [`${name}-spec`], []])
      assert.deepStrictEqual(launched, { name, uid: fake.objects("jobs")[0]?.metadata.uid ?? "none" })
      assert.strictEqual(runtime.backingName(unit), name.replace(/^evald/, "other"))
    })
  )
  it.scoped("a Job that vanished after its launch is lost and not made again", () =>
    Effect.gen(function* () {
      const { fake, runtime } = yield* setUp()
      const launched = yield* drive(fake, runtime.launch(unit))
      yield* drive(fake, runtime.stop(unit, { discard: true }))
      const { result } = yield* waited(fake, runtime.launch(storedUnit(launched ?? { name })))
      assert.deepStrictEqual(refusalOf(result)[0], "runtime_object_lost")
      assert.deepStrictEqual(names(fake), [[], [], []])
    })
  )
  it.scoped("what a living Job lacks is made again", () =>
    Effect.gen(function* () {
      const { fake, runtime } = yield* setUp()
      const launched = yield* drive(fake, runtime.launch(unit))
      const kind = fake.kinds.find(({ plural }) => plural === "configmaps")
      if (kind !== undefined) fake.store.remove(kind, "team-a", `${name}-spec`)
      yield* drive(fake, runtime.launch(storedUnit(launched ?? { name })))
      assert.deepStrictEqual(names(fake), [[name], [`${name}-spec`], []])
    })
  )
})

describe("case 12: secrets", () => {
  it.scoped("one that appears after 10 s is found, one that never does fails at 30 s without a Job", () =>
    Effect.gen(function* () {
      const { fake, runtime } = yield* setUp()
      const { result, seconds } = yield* waited(fake, runtime.launch(withModel))
      assert.deepStrictEqual(refusalOf(result), [
        "secret_not_found",
        "Secret 'model-secret' of model.auth.secret_ref does not exist in namespace 'team-a'."
      ])
      assert.approximately(seconds, 30, 1)
      assert.deepStrictEqual(names(fake), [[], [], []])
      const late = yield* Effect.fork(runtime.launch(withModel))
      yield* atRest(fake)
      yield* TestClock.adjust("10 seconds")
      fake.addSecret("team-a", "model-secret", { "api-key": "v" })
      yield* drive(fake, Fiber.join(late))
      assert.strictEqual(fake.objects("jobs").length, 1)
    })
  )
  it.scoped("tokens of service accounts and secrets without the label may not be used", () =>
    Effect.gen(function* () {
      const { fake, runtime } = yield* setUp({ secretLabelRequired: true })
      fake.addSecret(
        "team-a",
        "model-secret",
        { token: "v" },
        { annotations: { "kubernetes.io/service-account.name": "default" } }
      )
      assert.include(
        String(refusalOf((yield* waited(fake, runtime.launch(withModel))).result)[1]),
        "may not be used: it is the token of a service account"
      )
      const kind = fake.kinds.find(({ plural }) => plural === "secrets")
      if (kind !== undefined) fake.store.remove(kind, "team-a", "model-secret")
      fake.addSecret("team-a", "model-secret", { "api-key": "v" })
      assert.include(
        String(refusalOf((yield* waited(fake, runtime.launch(withModel))).result)[1]),
        "evald.internal/usable-by=evaluations"
      )
    })
  )
})

const base64 = (text: string) => Buffer.from(text).toString("base64")

describe("case 13: what the adapter gets of a model secret", () => {
  const rows: ReadonlyArray<
    readonly [keys: ReadonlyArray<string>, reference: Readonly<Record<string, string>> | undefined]
  > = [
    [["api-key", "hf-token"], { "api-key": "api-key:ref" }],
    [
      ["judge_api-key", "judge_url", "judge_sa_token", "ca_cert"],
      { "judge_api-key": "judge_api-key:ref", judge_url: "http://localhost:8080", judge_sa_token: "judge_sa_token:ref" }
    ],
    [["ca_cert"], undefined],
    [["hf-token"], undefined],
    [["_api-key"], undefined],
    [
      ["api-key", "judge_api-key", "_api-key", "note"],
      { "api-key": "api-key:ref", "judge_api-key": "judge_api-key:ref" }
    ],
    [["note", "judge_url"], { judge_url: "http://localhost:8080" }],
    [["note"], undefined]
  ]
  for (const [keys, reference] of rows)
    it.scoped(keys.join(", "), () =>
      Effect.gen(function* () {
        const { fake, runtime } = yield* setUp()
        fake.addSecret(
          "team-a",
          "model-secret",
          Object.fromEntries(keys.map((key, index) => [key, index === 1 ? "" : "canary-5e1f"]))
        )
        yield* drive(fake, runtime.launch(withModel))
        const made = fake.objects("secrets").find(({ metadata }) => metadata.name === `${name}-ref`)
        const encoded =
          reference === undefined
            ? undefined
            : Object.fromEntries(Object.entries(reference).map(([key, value]) => [key, base64(value)]))
        assert.deepStrictEqual(made?.["data"], encoded)
        const sent = JSON.stringify(fake.requests.map(({ path, body }) => [path, body]))
        assert.notInclude(sent, "canary-5e1f")
        assert.notInclude(sent, base64("canary-5e1f"))
      })
    )
})
