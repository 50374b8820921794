/** T1: jobs from the store to the cluster and away again: cancel, delete, a cluster that is away, the sweep (cases 8, 14 to 17). */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, TestClock } from "effect"
import { cancelJob } from "../../../../application/jobs/cancel-job.ts"
import { removeJob } from "../../../../application/jobs/remove-job.ts"
import { JobStore } from "../../../../application/ports/stores/job-store.ts"
import { TaskQueue } from "../../../../application/ports/task-queue.ts"
import { launchTask } from "../../../../application/runtime/tasks.ts"
import * as Workers from "../../../../application/runtime/workers.ts"
import type { Job } from "../../../../domain/job/job.ts"
import * as Identifiers from "../../../../infrastructure/in-process/identifiers.ts"
import * as Client from "../../../../infrastructure/kubernetes/client/client.ts"
import { KubeClient } from "../../../../infrastructure/kubernetes/client/client.ts"
import * as ClusterRuntime from "../../../../infrastructure/kubernetes/cluster-runtime.ts"
import { sweep } from "../../../../infrastructure/kubernetes/unit/remove.ts"
import { isWanted } from "../../../../infrastructure/kubernetes/unit/sweeper.ts"
import { atRest, clusterOptions, inCluster } from "../../../support/cluster-units.ts"
import { Fake } from "../../../support/fake-kubernetes/fake-kubernetes.ts"
import { answers, type FakeRequest } from "../../../support/fake-kubernetes/faults.ts"
import { plainObservation } from "../../../support/plain-observation.ts"
import { sqliteMemory } from "../../../support/storage.ts"
import { jobId, makeJob } from "../../../support/stored-jobs.ts"

const options = clusterOptions()
const client = Layer.unwrapEffect(
  Effect.map(Fake, ({ connection }) => Client.layer({ connection, qps: 50, burst: 100 }))
)
const runtime = ClusterRuntime.layer(options).pipe(Layer.provide(plainObservation(options)))
const server = Workers.layer({ timeouts: {}, deferTrackerFailure: true }).pipe(
  Layer.provide(runtime),
  Layer.provideMerge(client),
  Layer.provideMerge(Layer.mergeAll(sqliteMemory, Identifiers.layer, Fake.Default))
)

const submit = (number: number, benchmarks = 1, tenant = "team-a"): Effect.Effect<Job, never, JobStore> =>
  Effect.gen(function* () {
    const job = inCluster(makeJob({ id: jobId(number), tenant, benchmarks, createdAt: "1970-01-01T00:00:00.000Z" }))
    yield* Effect.orDie(
      (yield* JobStore).insert(
        job,
        job.benchmarks.map((benchmark) => launchTask(job, benchmark))
      )
    )
    return job
  })

const created = Effect.tap(Fake, (fake) => Effect.sync(() => fake.addNamespace("team-a")))
const everything = (fake: Fake) => ["jobs", "pods", "configmaps", "secrets"].flatMap((plural) => fake.objects(plural))
const noTasks = Effect.map(
  Effect.flatMap(TaskQueue, (queue) => queue.stats),
  (stats) => stats.every(({ waiting, leased }) => waiting + leased === 0)
)

/** lets time pass until it is so; the test's own limit is the end of it */
const until = <E, R>(fake: Fake, done: Effect.Effect<boolean, E, R>, stepMillis = 250) =>
  Effect.gen(function* () {
    for (;;) {
      yield* atRest(fake)
      if (yield* done) return
      yield* TestClock.adjust(stepMillis)
    }
  })
const caller = { tenant: "team-a", owner: "alice" }
const load = (job: Job) => Effect.flatMap(JobStore, (store) => store.load(job.tenant, job.id))

describe("case 8: cancelled or deleted at each step of the launch", () => {
  const steps = [
    "before create jobs",
    "after create jobs",
    "before create configmaps",
    "after create configmaps"
  ] as const
  for (const hard of [false, true])
    for (const step of steps)
      it.effect(`${hard ? "hard delete" : "cancel"} ${step}: nothing is left`, () =>
        Effect.gen(function* () {
          const fake = yield* created
          let go: () => void = () => {}
          const reached = new Promise<void>((resolve) => {
            fake.faults.hook((request: FakeRequest, at) => {
              if (`${at} ${request.verb} ${request.plural}` !== step) return
              resolve()
              return new Promise<void>((released) => {
                go = released
              })
            })
          })
          const job = yield* submit(1)
          yield* Effect.promise(() => reached)
          if (hard) yield* removeJob(caller, job.id)
          else yield* cancelJob(caller, job.id)
          fake.faults.hook(undefined)
          go()
          yield* until(fake, noTasks)
          assert.deepStrictEqual(everything(fake), [])
          if (hard) assert.strictEqual((yield* Effect.flip(load(job)))._tag, "NotFound")
          else assert.strictEqual((yield* load(job)).state, "cancelled")
        }).pipe(Effect.provide(server))
      )
})

describe("case 14: the cluster is away after the job was accepted", () => {
  it.effect(
    "pending with a warning, launched when it is back",
    () =>
      Effect.gen(function* () {
        const fake = yield* created
        let away = true
        fake.faults.add({ when: () => away, times: Number.POSITIVE_INFINITY, fault: answers(503) })
        const job = yield* submit(1)
        const from = yield* Clock.currentTimeMillis
        const warned = Effect.map(load(job), ({ benchmarks }) => benchmarks[0]?.warning?.code === "launch_failed")
        yield* until(fake, warned, 5000)
        yield* until(
          fake,
          Effect.map(Clock.currentTimeMillis, (now) => now - from >= 240_000),
          5000
        )
        assert.deepStrictEqual(
          (yield* load(job)).benchmarks.map(({ state }) => state),
          ["pending"]
        )
        away = false
        yield* until(
          fake,
          Effect.sync(() => fake.objects("configmaps").length === 1),
          1000
        )
        assert.strictEqual((yield* load(job)).state, "pending")
      }).pipe(Effect.provide(server)),
    60_000
  )
})

describe("case 15: a large job and a second tenant", () => {
  it.effect(
    "300 benchmarks (scaled down from 1,000) within the rate limit, the second tenant's benchmark within 2 s",
    () =>
      Effect.gen(function* () {
        const fake = yield* created
        fake.addNamespace("team-b")
        const from = yield* Clock.currentTimeMillis
        const seconds = Effect.map(Clock.currentTimeMillis, (now) => (now - from) / 1000)
        yield* submit(1, 300)
        yield* until(
          fake,
          Effect.sync(() => fake.objects("jobs").length > 20),
          50
        )
        const second = yield* seconds
        yield* submit(2, 1, "team-b")
        yield* until(
          fake,
          Effect.sync(() => fake.objects("configmaps", "team-b").length === 1),
          50
        )
        assert.isAtMost((yield* seconds) - second, 2)
        yield* until(
          fake,
          Effect.sync(() => fake.objects("configmaps", "team-a").length === 300),
          100
        )
        // 600 creates at 50 a second after a burst of 100, and what observing takes of it
        assert.isAtMost(yield* seconds, 22.5)
        assert.strictEqual(fake.objects("jobs", "team-a").length, 300)
      }).pipe(Effect.provide(server)),
    60_000
  )
})

describe("case 16: the sweep", () => {
  it.effect("deletes what nobody answers for and nothing else", () =>
    Effect.gen(function* () {
      const fake = yield* created
      const job = yield* submit(1, 3)
      yield* until(fake, noTasks)
      const kind = fake.kinds.find(({ plural }) => plural === "jobs")
      const [model] = fake.objects("jobs")
      if (kind === undefined || model === undefined) throw new Error("no Job")
      const { labels = {}, annotations = {} } = model.metadata
      const copy = (name: string, more: { readonly labels?: object; readonly annotations?: object }) =>
        fake.store.create(kind, "team-a", {
          metadata: {
            name,
            labels: { ...labels, ...more.labels },
            annotations: { ...annotations, ...more.annotations }
          },
          spec: { suspend: true }
        })
      copy("unknown", { annotations: { "evald.internal/job-id": jobId(99) } })
      copy("old-attempt", { labels: { "evald.internal/attempt": "7" } })
      copy("foreign", {
        labels: { "evald.internal/instance-name": "other" },
        annotations: { "evald.internal/job-id": jobId(99) }
      })
      const store = yield* JobStore
      const gone = inCluster(makeJob({ id: jobId(2), tenant: "team-a", benchmarks: 1 }))
      yield* store.insert(
        {
          ...gone,
          state: "cancelled",
          benchmarks: gone.benchmarks.map((one) => ({ ...one, state: "cancelled" as const }))
        },
        []
      )
      copy("cancelled", {
        labels: { "evald.internal/benchmark-index": "0" },
        annotations: { "evald.internal/job-id": gone.id }
      })
      yield* TestClock.adjust("601 seconds")
      yield* atRest(fake)
      copy("young", { annotations: { "evald.internal/job-id": jobId(99) } })
      const found = yield* sweep({ client: yield* KubeClient, options }, "team-a", (unit) => isWanted(store, unit))
      assert.sameMembers([...found], ["unknown", "old-attempt", "cancelled"])
      const left = fake.objects("jobs").map(({ metadata }) => metadata.name)
      assert.sameMembers(left, [...[0, 1, 2].map((index) => `evald-${job.id}-${index}-1`), "foreign", "young"])
    }).pipe(Effect.provide(server))
  )
})

describe("case 17: DELETE fails for five minutes", () => {
  it.effect("the cancel is done at once, the objects go later, no task is left", () =>
    Effect.gen(function* () {
      const fake = yield* created
      const job = yield* submit(1)
      yield* until(fake, noTasks)
      let failing = true
      fake.faults.add({
        when: ({ verb }) => failing && verb === "delete",
        times: Number.POSITIVE_INFINITY,
        fault: answers(500)
      })
      yield* cancelJob(caller, job.id)
      assert.strictEqual((yield* load(job)).state, "cancelled")
      const from = yield* Clock.currentTimeMillis
      yield* until(
        fake,
        Effect.map(Clock.currentTimeMillis, (now) => now - from >= 300_000),
        5000
      )
      assert.strictEqual(fake.objects("jobs").length, 1)
      failing = false
      yield* until(fake, noTasks, 5000)
      assert.deepStrictEqual(everything(fake), [])
    }).pipe(Effect.provide(server))
  )
})
