/** Observing against a fake Kubernetes API over HTTP: what happens to Jobs and pods becomes the state of benchmarks. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Either, Layer, TestClock } from "effect"
import { ChangeFeed } from "../../../../../application/ports/change-feed.ts"
import { Leases } from "../../../../../application/ports/leases.ts"
import { JobStore } from "../../../../../application/ports/stores/job-store.ts"
import { UnitRecords } from "../../../../../application/ports/stores/unit-records.ts"
import { applyTo } from "../../../../../application/runtime/apply.ts"
import type { Benchmark, Job } from "../../../../../domain/job/job.ts"
import { jobTest } from "../../../../../domain/job/job-score.ts"
import { decideEvent } from "../../../../../domain/job/status-event.ts"
import { writeMailbox } from "../../../../../providers/contract/mailbox.ts"
import { decodeStatusEvent } from "../../../../../providers/contract/status-event.ts"
import { Fake } from "../../../../support/fake-kubernetes/fake-kubernetes.ts"
import { answers } from "../../../../support/fake-kubernetes/faults.ts"
import { kindOf, type PodStatus } from "../../../../support/fake-kubernetes/job-controller.ts"
import {
  backed,
  backingName,
  benchmark,
  outside,
  server,
  stored,
  tenant
} from "../../../../support/observed-cluster.ts"
import { advancing, quiet } from "../../../../support/until.ts"

const when = (job: Job, step: `${number} millis`, is: (found: Benchmark) => boolean, index = 0) =>
  advancing(
    step,
    Effect.map(benchmark(job, index), (found) => (is(found) ? found : undefined))
  )

/** lets so much time go by in steps that no request can run into its time limit */
const pass = (seconds: number) =>
  Effect.gen(function* () {
    const step = seconds > 60 ? 5 : 1
    for (let left = seconds; left > 0; left -= step) {
      yield* quiet
      yield* TestClock.adjust(`${Math.min(step, left) * 1000} millis`)
    }
    yield* quiet
  })

const setPod = (job: Job, status: PodStatus, index = 0) =>
  Effect.map(Fake, (fake) => fake.setPodStatus(tenant, backingName(job, index), status))

/** as a launch leaves the benchmark */
const launchedAs = (job: Job, uid: string) =>
  applyTo({ jobId: job.id, index: 0 }, (_head, found) => ({
    _tag: "Noted",
    benchmark: { ...found, backing: { name: backingName(job), uid } }
  }))

const running: PodStatus = {
  phase: "Running",
  containers: { adapter: { running: { startedAt: "1970-01-01T00:00:05Z" } } },
  initContainers: { sidecar: { running: { startedAt: "1970-01-01T00:00:04Z" } } }
}
const exited = (exitCode: number, lastWords?: string): PodStatus => ({
  phase: exitCode === 0 ? "Succeeded" : "Failed",
  containers: { adapter: { terminated: { exitCode, finishedAt: "1970-01-01T00:00:20Z" } } },
  initContainers: {
    sidecar: { terminated: { exitCode: 0, ...(lastWords === undefined ? {} : { message: lastWords }) } }
  }
})
const pulling: PodStatus = {
  phase: "Pending",
  containers: { adapter: { waiting: { reason: "ErrImagePull", message: "manifest unknown" } } }
}

const completedEvent = {
  id: "bench-0",
  provider_id: "demo",
  benchmark_index: 0,
  status: "completed",
  metrics: { accuracy: 0.75 }
}

/** as the events route does */
const post = (job: Job) =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const { event } = Either.getOrThrow(decodeStatusEvent({ benchmark_status_event: completedEvent }))
    const now = new Date(yield* Clock.currentTimeMillis).toISOString()
    return yield* Effect.either(
      store.changeBenchmark(
        { jobId: job.id, select: { index: 0 } },
        (head, found) =>
          Either.map(decideEvent(head, found, event, now, { deferTrackerFailure: true }), (change) =>
            change._tag === "Unchanged" ? change : { ...change, tasks: [] }
          ),
        jobTest
      )
    )
  })

const observed = <A, E>(
  body: Effect.Effect<A, E, Layer.Layer.Success<typeof outside>>,
  given: Parameters<typeof server>[0] = {}
) => Effect.scoped(Effect.zipRight(Layer.build(server(given)), body))

const cluster = <A, E>(body: Effect.Effect<A, E, Layer.Layer.Success<typeof outside>>) => Effect.provide(body, outside)

/** a job whose Job is in the cluster, under a server that looks at it */
const watched = <A, E>(
  body: (given: {
    readonly job: Job
    readonly fake: typeof Fake.Service
  }) => Effect.Effect<A, E, Layer.Layer.Success<typeof outside>>
) =>
  cluster(
    Effect.gen(function* () {
      const fake = yield* Fake
      const job = yield* stored()
      yield* backed(job)
      yield* observed(body({ job, fake }))
    })
  )

/** the pod runs, and the server has seen it */
const begun = (job: Job) =>
  Effect.zipRight(
    setPod(job, running),
    when(job, "100 millis", ({ spawnedAt }) => spawnedAt !== undefined)
  )

describe("observing", () => {
  it.scoped("a start and an end without a result, with the last log lines", () =>
    watched(({ job, fake }) =>
      Effect.gen(function* () {
        const started = yield* begun(job)
        assert.strictEqual(started.spawnedAt, "1970-01-01T00:00:05.000Z")
        assert.strictEqual(started.state, "pending")
        fake.podLogs.set(
          `${tenant}/${backingName(job)}-x7k2p/adapter`,
          "1970-01-01T00:00:19.5Z Traceback\n1970-01-01T00:00:19.6Z boom\n"
        )
        yield* setPod(job, exited(1))
        const ended = yield* when(job, "500 millis", ({ state }) => state === "failed")
        assert.strictEqual(ended.error?.code, "adapter_exited_without_result")
        assert.include(ended.error?.message ?? "", "exited with code 1")
        assert.include(ended.error?.message ?? "", "Traceback\nboom")
        const records = yield* UnitRecords
        assert.include(yield* records.keptLog({ tenant, jobId: job.id, index: 0, attempt: 1 }, "adapter"), "boom")
      })
    )
  )

  it.scoped("a warning comes, goes, and becomes the failure when it stays", () =>
    watched(({ job }) =>
      Effect.gen(function* () {
        yield* setPod(job, pulling)
        const warned = yield* when(job, "100 millis", ({ warning }) => warning !== undefined)
        assert.deepInclude(warned.warning, { code: "image_pull_failed", origin: "runtime" })
        assert.strictEqual(warned.state, "pending")
        yield* setPod(job, {
          phase: "Pending",
          containers: { adapter: { waiting: { reason: "ContainerCreating" } } }
        })
        yield* when(job, "100 millis", ({ warning }) => warning === undefined)
        yield* setPod(job, pulling)
        yield* pass(299)
        assert.strictEqual((yield* benchmark(job)).state, "pending")
        const failed = yield* when(job, "500 millis", ({ state }) => state === "failed")
        assert.strictEqual(failed.error?.code, "image_pull_failed")
        // a pod that waits for ever must go
        const fake = yield* Fake
        yield* advancing(
          "500 millis",
          Effect.sync(() => (fake.objects("jobs").length === 0 ? true : undefined))
        )
      })
    )
  )

  for (const [seconds, state] of [
    [9, "completed"],
    [11, "failed"]
  ] as const)
    it.scoped(`case 19: a terminal event ${seconds} s after exit 0`, () =>
      watched(({ job }) =>
        Effect.gen(function* () {
          yield* begun(job)
          yield* setPod(job, exited(0))
          yield* pass(seconds)
          const answer = yield* post(job)
          assert.strictEqual(answer._tag, state === "completed" ? "Right" : "Left")
          yield* pass(5)
          assert.strictEqual((yield* benchmark(job)).state, state)
        })
      )
    )
})

describe("case 20: watches that go wrong", () => {
  const troubles: ReadonlyArray<readonly [string, (fake: typeof Fake.Service, job: Job) => void]> = [
    ["clean end", (fake) => fake.watches.end()],
    ["dropped connection", (fake) => fake.watches.drop()],
    ["410 as an event", (fake) => fake.watches.gone()],
    [
      "410 twice over",
      (fake) => {
        fake.faults.add({ when: ({ verb }) => verb === "watch", times: 2, fault: answers(410, { reason: "Expired" }) })
        fake.watches.drop()
      }
    ],
    [
      "torn line",
      (fake) => {
        fake.watches.write('{"type":"MODIFIED","object":{"metadata":{"na')
        fake.watches.drop()
      }
    ],
    [
      "foreign line",
      (fake) => {
        fake.watches.write("what is this\n")
        fake.watches.end()
      }
    ],
    ["duplicate", (fake) => fake.watches.duplicate()],
    [
      "reordered: an older state after a newer one",
      (fake, job) => {
        fake.watches.reorder()
        fake.setPodStatus(tenant, backingName(job), { ...running, message: "older" })
      }
    ]
  ]
  for (const [name, break_] of troubles)
    it.scoped(name, () =>
      watched(({ job, fake }) =>
        Effect.gen(function* () {
          yield* begun(job)
          const before = fake.requests.length
          const since = yield* Clock.currentTimeMillis
          break_(fake, job)
          yield* setPod(job, pulling)
          yield* when(job, "100 millis", ({ warning }) => warning?.code === "image_pull_failed")
          yield* pass(10)
          assert.strictEqual((yield* benchmark(job)).warning?.code, "image_pull_failed")
          const seconds = ((yield* Clock.currentTimeMillis) - since) / 1000
          const asked = fake.requests.slice(before).filter(({ verb }) => verb === "list" || verb === "watch")
          assert.isAtMost(asked.length / 2, 2 * Math.max(1, seconds), "requests per second and watch")
        })
      )
    )

  it.scoped("half-open: the next watch brings what was missed", () =>
    watched(({ job, fake }) =>
      Effect.gen(function* () {
        yield* pass(2)
        fake.watches.freeze(true)
        yield* setPod(job, pulling)
        yield* pass(20)
        assert.isUndefined((yield* benchmark(job)).warning)
        fake.faults.hook(({ verb }) => {
          if (verb === "watch") fake.watches.freeze(false)
        })
        const warned = yield* when(job, "5000 millis", ({ warning }) => warning !== undefined)
        assert.strictEqual(warned.warning?.code, "image_pull_failed")
      })
    )
  )
})

describe("case 21: lost objects", () => {
  it.scoped("a Job that is deleted while the watch is down", () =>
    watched(({ job, fake }) =>
      Effect.gen(function* () {
        yield* begun(job)
        fake.faults.add({ when: ({ verb }) => verb === "watch", times: 4, fault: answers(500) })
        fake.watches.drop()
        fake.store.remove(kindOf("jobs"), tenant, backingName(job), { propagation: "Background" })
        fake.store.compact()
        const lost = yield* when(job, "500 millis", ({ state }) => state === "failed")
        assert.strictEqual(lost.error?.code, "runtime_object_lost")
      })
    )
  )

  it.scoped("a Job that was launched and deleted before any server saw it", () =>
    cluster(
      Effect.gen(function* () {
        const job = yield* stored()
        yield* launchedAs(job, "never-seen")
        yield* observed(
          Effect.gen(function* () {
            const lost = yield* when(job, "500 millis", ({ state }) => state === "failed")
            assert.strictEqual(lost.error?.code, "runtime_object_lost")
            assert.isAtLeast(yield* Clock.currentTimeMillis, 10_000)
          })
        )
      })
    )
  )

  it.scoped("a Job that was launched and that the watch shows a moment later is not lost", () =>
    cluster(
      Effect.gen(function* () {
        const job = yield* stored()
        yield* launchedAs(job, "late")
        yield* observed(
          Effect.gen(function* () {
            yield* pass(7)
            yield* backed(job)
            yield* setPod(job, running)
            yield* pass(60)
            const seen = yield* benchmark(job)
            assert.strictEqual(seen.state, "pending")
            assert.isDefined(seen.spawnedAt)
          })
        )
      })
    )
  )

  it.scoped("a namespace that is refused for 60 s, not one that is refused for 30 s", () =>
    watched(({ job, fake }) =>
      Effect.gen(function* () {
        yield* begun(job)
        fake.faults.add({
          when: ({ verb }) => verb === "watch" || verb === "list",
          times: 2,
          fault: answers(403, { reason: "Forbidden" })
        })
        fake.watches.drop()
        yield* pass(90)
        assert.strictEqual((yield* benchmark(job)).state, "pending")
        fake.faults.add({
          when: ({ verb }) => verb === "watch" || verb === "list",
          times: 1000,
          fault: answers(403, { reason: "Forbidden" })
        })
        fake.watches.drop()
        const lost = yield* when(job, "1000 millis", ({ state }) => state === "failed")
        assert.strictEqual(lost.error?.code, "runtime_object_lost")
      })
    )
  )
})

describe("case 22: leaders", () => {
  it.scoped("a second server takes over and does not start a grace again", () =>
    cluster(
      Effect.gen(function* () {
        const job = yield* stored()
        yield* backed(job)
        yield* setPod(job, pulling)
        yield* observed(
          Effect.gen(function* () {
            yield* when(job, "100 millis", ({ warning }) => warning !== undefined)
            yield* pass(200)
          })
        )
        const takenOver = yield* Clock.currentTimeMillis
        yield* observed(
          Effect.gen(function* () {
            const failed = yield* when(job, "500 millis", ({ state }) => state === "failed")
            assert.strictEqual(failed.error?.code, "image_pull_failed")
            assert.isBelow((yield* Clock.currentTimeMillis) - takenOver, 110_000)
          })
        )
      })
    )
  )

  it.scoped("of two servers one watches; when it is gone the other does", () =>
    watched(({ job, fake }) =>
      Effect.gen(function* () {
        yield* observed(
          Effect.gen(function* () {
            yield* begun(job)
            assert.strictEqual(fake.watches.count(), 2)
          })
        )
        yield* setPod(job, exited(3))
        const ended = yield* when(job, "500 millis", ({ state }) => state === "failed")
        assert.include(ended.error?.message ?? "", "code 3")
        assert.strictEqual(fake.watches.count(), 2)
      })
    )
  )
})

describe("case 22: a leader killed between read and write", () => {
  it.scoped("the next one makes the one transition, and each Event once", () =>
    cluster(
      Effect.gen(function* () {
        const fake = yield* Fake
        const job = yield* stored()
        yield* backed(job)
        let reached = false
        const dying = Layer.effect(
          JobStore,
          Effect.map(JobStore, (store): JobStore["Type"] => ({
            ...store,
            changeBenchmark: () =>
              Effect.suspend(() => {
                reached = true
                return Effect.never
              })
          }))
        )
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* Layer.build(Layer.fresh(server()).pipe(Layer.provide(dying)))
            yield* setPod(job, exited(3))
            yield* advancing(
              "500 millis",
              Effect.sync(() => (reached ? true : undefined))
            )
          })
        )
        assert.strictEqual((yield* benchmark(job)).state, "pending")
        const { latest } = yield* ChangeFeed
        const before = yield* latest
        yield* observed(
          Effect.gen(function* () {
            const failed = yield* when(job, "500 millis", ({ state }) => state === "failed")
            assert.include(failed.error?.message ?? "", "code 3")
            yield* pass(15)
          })
        )
        const changes = (yield* latest) - before
        // the start that was seen as well, and the end
        assert.isAtMost(changes, 2)
        const names = fake.objects("events", tenant).map(({ metadata }) => metadata.name)
        assert.sameMembers(
          names,
          ["benchmarklaunched", "benchmarkfailed"].map((name) => `${backingName(job)}.${name}`)
        )
      })
    )
  )
})

describe("case 22: two leaders forced", () => {
  it.scoped("one transition, and each Event once", () =>
    cluster(
      Effect.gen(function* () {
        const fake = yield* Fake
        const job = yield* stored()
        yield* backed(job)
        const everybody = Layer.succeed(Leases, { hold: () => Effect.succeed(1), release: () => Effect.void })
        const leading = Layer.build(Layer.fresh(server()).pipe(Layer.provide(everybody)))
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* leading
            yield* leading
            yield* begun(job)
            yield* pass(5)
            assert.strictEqual(fake.watches.count(), 4)
            const { latest } = yield* ChangeFeed
            const before = yield* latest
            yield* setPod(job, exited(3))
            yield* when(job, "500 millis", ({ state }) => state === "failed")
            yield* pass(15)
            assert.strictEqual((yield* latest) - before, 1)
            const names = fake.objects("events", tenant).map(({ metadata }) => metadata.name)
            assert.sameMembers(
              names,
              ["benchmarklaunched", "benchmarkfailed"].map((name) => `${backingName(job)}.${name}`)
            )
          })
        )
      })
    )
  )
})

describe("case 23: a server that was away for an hour", () => {
  it.scoped("true states at once; a mailbox is applied with its metrics", () =>
    cluster(
      Effect.gen(function* () {
        const job = yield* stored({ benchmarks: 3 })
        for (const index of [0, 1, 2]) yield* backed(job, index)
        yield* TestClock.adjust("1 hour")
        yield* setPod(job, exited(0, writeMailbox(1, completedEvent).text), 0)
        yield* setPod(job, exited(7), 1)
        yield* setPod(job, running, 2)
        yield* observed(
          Effect.gen(function* () {
            const done = yield* when(job, "100 millis", ({ state }) => state === "completed")
            assert.deepStrictEqual(done.result?.metrics, { accuracy: 0.75 })
            const failed = yield* when(job, "100 millis", ({ state }) => state === "failed", 1)
            assert.include(failed.error?.message ?? "", "code 7")
            const alive = yield* when(job, "100 millis", ({ spawnedAt }) => spawnedAt !== undefined, 2)
            assert.strictEqual(alive.state, "pending")
          })
        )
      })
    )
  )

  it.scoped("a completed benchmark whose metrics did not fit fails and says so", () =>
    cluster(
      Effect.gen(function* () {
        const job = yield* stored()
        yield* backed(job)
        yield* setPod(
          job,
          exited(0, JSON.stringify({ v: 1, unsent: 1, cut: true, terminal: { id: "bench-0", status: "completed" } }))
        )
        yield* observed(
          Effect.gen(function* () {
            const failed = yield* when(job, "100 millis", ({ state }) => state === "failed")
            assert.strictEqual(failed.error?.code, "adapter_exited_without_result")
            assert.include(failed.error?.message ?? "", "could not be delivered")
          })
        )
      })
    )
  )
})
