/** T1: servers that are killed, paused or overtaken by a cancel at every step of a launch, over one store and one cluster (cases 6 to 8). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope, TestClock } from "effect"
import { cancelJob } from "../../../../application/jobs/cancel-job.ts"
import { removeJob } from "../../../../application/jobs/remove-job.ts"
import { ChangeFeed } from "../../../../application/ports/change-feed.ts"
import { JobStore } from "../../../../application/ports/stores/job-store.ts"
import { TaskQueue } from "../../../../application/ports/task-queue.ts"
import { launchTask } from "../../../../application/runtime/tasks.ts"
import * as Workers from "../../../../application/runtime/workers.ts"
import * as Identifiers from "../../../../infrastructure/in-process/identifiers.ts"
import * as Client from "../../../../infrastructure/kubernetes/client/client.ts"
import * as ClusterRuntime from "../../../../infrastructure/kubernetes/cluster-runtime.ts"
import { backingName } from "../../../../infrastructure/kubernetes/unit/names.ts"
import { atRest, clusterOptions, inCluster } from "../../../support/cluster-units.ts"
import { Fake } from "../../../support/fake-kubernetes/fake-kubernetes.ts"
import { plainObservation } from "../../../support/plain-observation.ts"
import { sqliteMemory } from "../../../support/storage.ts"
import { report } from "../../../support/store-actions.ts"
import { completedEvent, jobId, makeJob } from "../../../support/stored-jobs.ts"

const options = clusterOptions()
const outside = Layer.merge(sqliteMemory, Fake.Default)
const caller = { tenant: "team-a", owner: "alice" }
const name = backingName("evald", { jobId: jobId(1), index: 0, attempt: 1 })

/** a place where a server stops: for good, or until it is let go on */
const makeGate = () => {
  let arrive: () => void = () => {}
  let release: () => void = () => {}
  const reached = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const opened = new Promise<void>((resolve) => {
    release = resolve
  })
  let used = false
  const pass = (): Promise<void> => {
    if (used) return Promise.resolve()
    used = true
    arrive()
    return opened
  }
  return {
    held: Effect.promise(() => opened),
    reached: Effect.promise(() => reached),
    pass,
    through: Effect.suspend(() => Effect.promise(pass)),
    release: () => release()
  }
}
type Gate = ReturnType<typeof makeGate>

/** steps of a launch: those that are calls to the cluster, the first read (L1), and the transaction that stores the Job (L6) */
const calls = [
  "get secrets model-secret",
  "get secrets s3-secret",
  "get secrets pull",
  "create jobs",
  "create configmaps",
  "create secrets"
] as const
const moments = ["before", "after"] as const

const storeWith = (step: string, gate: Gate) =>
  Layer.effect(
    JobStore,
    Effect.map(JobStore, (store): JobStore["Type"] => ({
      ...store,
      loadBenchmark: (id, index) => {
        const load = store.loadBenchmark(id, index)
        if (step === "before L1") return Effect.zipRight(gate.through, load)
        return step === "after L1" ? Effect.zipLeft(load, gate.through) : load
      },
      changeBenchmark: (target, decide, score) => {
        const change = store.changeBenchmark(target, decide, score)
        if (step === "before L6") return Effect.zipRight(gate.through, change)
        return step === "after L6" ? Effect.zipLeft(change, gate.through) : change
      }
    }))
  )
/** a server that is paused can not renew its leases */
const queueWith = (gate: Gate) =>
  Layer.effect(
    TaskQueue,
    Effect.map(TaskQueue, (queue): TaskQueue["Type"] => ({
      ...queue,
      renew: (task, holder, millis) => Effect.zipRight(gate.held, queue.renew(task, holder, millis))
    }))
  )

const client = Layer.unwrapEffect(
  Effect.map(Fake, ({ connection }) => Client.layer({ connection, qps: 1000, burst: 1000 }))
)
const runtime = ClusterRuntime.layer(options).pipe(Layer.provide(plainObservation(options)), Layer.provide(client))
const server = Workers.layer({ timeouts: {}, deferTrackerFailure: true }).pipe(
  Layer.provide(runtime),
  Layer.provide(Identifiers.layer)
)

/** starts a server; the answer ends it */
const started = <R>(layer: Layer.Layer<never, never, R>) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    yield* Layer.buildWithScope(Layer.fresh(layer), scope)
    return { end: Scope.close(scope, Exit.void) }
  })

const submitted = Effect.gen(function* () {
  const fake = yield* Fake
  fake.addNamespace("team-a")
  fake.addSecret("team-a", "model-secret", { "api-key": "real-value" })
  fake.addSecret("team-a", "s3-secret", { AWS_ACCESS_KEY_ID: "a" })
  fake.addSecret("team-a", "pull", { ".dockerconfigjson": "{}" })
  const job = inCluster(
    makeJob({
      id: jobId(1),
      tenant: "team-a",
      benchmarks: 1,
      createdAt: "1970-01-01T00:00:00.000Z",
      entry: () => ({ testData: { s3: { bucket: "b", key: "k", secretRef: "s3-secret" } } }),
      request: {
        model: { url: "https://m.example/v1", name: "m", auth: { secretRef: "model-secret" } },
        exports: { oci: { coordinates: { host: "registry.example", repository: "team/results" }, connection: "pull" } }
      }
    })
  )
  yield* Effect.orDie(
    (yield* JobStore).insert(
      job,
      job.benchmarks.map((benchmark) => launchTask(job, benchmark))
    )
  )
  return { fake, job }
})

const backing = Effect.map(
  Effect.flatMap(JobStore, (store) => store.loadBenchmark(jobId(1), 0)),
  ({ benchmark }) => benchmark.backing
)
const noTasks = Effect.map(
  Effect.flatMap(TaskQueue, (queue) => queue.stats),
  (stats) => stats.every(({ waiting, leased }) => waiting + leased === 0)
)
const until = <E, R>(fake: Fake, done: Effect.Effect<boolean, E, R>, stepMillis = 500) =>
  Effect.gen(function* () {
    for (;;) {
      yield* atRest(fake)
      if (yield* done) return
      yield* TestClock.adjust(stepMillis)
    }
  })
const madeNames = (fake: Fake) =>
  ["jobs", "configmaps", "secrets"].flatMap((plural) =>
    fake
      .objects(plural, "team-a")
      .map(({ metadata }) => metadata.name)
      .filter((found) => found.startsWith("evald-"))
  )
const hookAt = (fake: Fake, step: string, gate: Gate) =>
  fake.faults.hook((request, moment) => {
    const shown = `${moment} ${request.verb} ${request.plural}`
    return shown === step || `${shown} ${request.name}` === step ? gate.pass() : undefined
  })

const assertLaunchedOnce = (fake: Fake) =>
  Effect.gen(function* () {
    assert.deepStrictEqual(madeNames(fake), [name, `${name}-spec`, `${name}-ref`])
    const uid = fake.objects("jobs")[0]?.metadata.uid ?? ""
    assert.deepStrictEqual(yield* backing, { name, uid })
    const owned = [
      ...fake.objects("configmaps"),
      ...fake.objects("secrets").filter(({ metadata }) => metadata.name.startsWith("evald-"))
    ]
    assert.deepStrictEqual(
      owned.map(({ metadata }) => metadata.ownerReferences?.map((owner) => owner.uid) ?? []),
      [[uid], [uid]]
    )
    assert.lengthOf(fake.objects("pods"), 1)
  })

describe("case 6: a server killed at each point of a launch, and another one after it", () => {
  const points = [...calls, "L6"].flatMap((step) => moments.map((moment) => `${moment} ${step}`))
  it("there are fourteen points", () => assert.lengthOf(points, 14))
  for (const point of points)
    it.effect(`${point}: one Job, one ConfigMap, one reference secret, launched`, () =>
      Effect.gen(function* () {
        const gate = makeGate()
        const { fake } = yield* submitted
        hookAt(fake, point, gate)
        const { end: kill } = yield* started(server.pipe(Layer.provide(storeWith(point, gate))))
        yield* gate.reached
        yield* kill
        fake.faults.hook(undefined)
        const { end } = yield* started(server)
        yield* until(
          fake,
          Effect.map(Effect.zip(noTasks, backing), ([idle, kept]) => idle && kept !== undefined)
        )
        yield* assertLaunchedOnce(fake)
        yield* end
      }).pipe(Effect.provide(outside))
    )
})

describe("case 7: a worker paused past its lease", () => {
  it.effect("the other one adopts what it made; one Job, and nothing that a client would see changes", () =>
    Effect.gen(function* () {
      const gate = makeGate()
      const { fake } = yield* submitted
      const { latest } = yield* ChangeFeed
      const before = yield* latest
      const { end: endFirst } = yield* started(
        server.pipe(Layer.provide(queueWith(gate)), Layer.provide(storeWith("before L6", gate)))
      )
      yield* gate.reached
      yield* TestClock.adjust("31 seconds")
      const { end: endSecond } = yield* started(server)
      yield* until(
        fake,
        Effect.map(backing, (kept) => kept !== undefined)
      )
      gate.release()
      yield* until(fake, noTasks)
      for (let second = 0; second < 5; second += 1) yield* Effect.zipRight(TestClock.adjust("1 second"), atRest(fake))
      yield* assertLaunchedOnce(fake)
      assert.strictEqual((yield* latest) - before, 0)
      yield* Effect.zipRight(endFirst, endSecond)
    }).pipe(Effect.provide(outside))
  )
})

describe("case 8: cancelled, or deleted for good, at each step of a launch", () => {
  const steps = [
    "before L1",
    "after L1",
    "before get secrets model-secret",
    "after get secrets pull",
    "before create jobs",
    "after create jobs",
    "before create configmaps",
    "after create configmaps",
    "before create secrets",
    "after create secrets",
    "before L6",
    "after L6"
  ]
  for (const hard of [false, true])
    for (const step of steps)
      it.effect(
        `${hard ? "deleted" : "cancelled"} ${step}: nothing is left, and a late event brings nothing back`,
        () =>
          Effect.gen(function* () {
            const gate = makeGate()
            const { fake, job } = yield* submitted
            hookAt(fake, step, gate)
            const { end } = yield* started(server.pipe(Layer.provide(storeWith(step, gate))))
            yield* gate.reached
            if (hard) yield* removeJob(caller, job.id)
            else yield* cancelJob(caller, job.id)
            const late = () => Effect.map(Effect.flip(report(job.id, completedEvent(0))), ({ _tag }) => _tag)
            const expected = hard ? "NotFound" : yield* late()
            assert.include(["NotFound", "AlreadyTerminal", "JobTerminal", "Conflict"], expected)
            fake.faults.hook(undefined)
            gate.release()
            yield* until(fake, noTasks)
            assert.strictEqual(yield* late(), expected)
            yield* until(
              fake,
              Effect.sync(() => true)
            )
            assert.deepStrictEqual([madeNames(fake), fake.objects("pods")], [[], []])
            const load = Effect.flatMap(JobStore, (store) => store.load("team-a", job.id))
            if (hard) assert.strictEqual((yield* Effect.flip(load))._tag, "NotFound")
            else assert.strictEqual((yield* load).state, "cancelled")
            yield* end
          }).pipe(Effect.provide(outside))
      )
})
