/** Case 26: lifecycle signals on the backing Job, beside everything else. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { JobStore } from "../../../../../application/ports/stores/job-store.ts"
import { applyTo } from "../../../../../application/runtime/apply.ts"
import type { Benchmark, Job } from "../../../../../domain/job/job.ts"
import { changed } from "../../../../../domain/job/job-state.ts"
import { eventsOf, statusOf } from "../../../../../infrastructure/kubernetes/observe/signal-content.ts"
import { Fake } from "../../../../support/fake-kubernetes/fake-kubernetes.ts"
import { answers, type FakeRequest } from "../../../../support/fake-kubernetes/faults.ts"
import {
  backed,
  backingName,
  benchmark,
  domain,
  outside,
  server,
  stored,
  tenant
} from "../../../../support/observed-cluster.ts"
import { advancing, quiet } from "../../../../support/until.ts"

const pass = (seconds: number) =>
  Effect.gen(function* () {
    for (let left = seconds; left > 0; left -= 1) {
      yield* quiet
      yield* TestClock.adjust("1 second")
    }
    yield* quiet
  })

const change = (job: Job, more: Partial<Benchmark>) =>
  applyTo({ jobId: job.id, index: 0 }, (head, found, now) => changed(head, found, { ...found, ...more }, now))

const jobObject = Effect.map(Fake, (fake) => fake.objects("jobs")[0])
const labelled = (phase: string) =>
  advancing(
    "500 millis",
    Effect.map(jobObject, (found) => (found?.metadata.labels?.[`${domain}/phase`] === phase ? found : undefined))
  )
const observed = <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.scoped(Effect.zipRight(Layer.build(server()), body))
const running = {
  phase: "Running",
  containers: { adapter: { running: { startedAt: "1970-01-01T00:00:01Z" } } }
} as const

describe("case 26: lifecycle signals", () => {
  it.scoped(
    "labels, annotation and Events follow the benchmark; each Event exists once over many changes, a restart and two servers",
    () =>
      Effect.gen(function* () {
        const fake = yield* Fake
        const job = yield* stored()
        yield* backed(job)
        fake.setPodStatus(tenant, backingName(job), running)
        const patches = () => fake.requests.filter(({ verb, plural }) => verb === "patch" && plural === "jobs").length
        yield* observed(
          observed(
            Effect.gen(function* () {
              yield* labelled("Pending")
              yield* change(job, { state: "running", startedAt: "1970-01-01T00:00:02.000Z", phase: "loading_data" })
              const found = yield* labelled("Running")
              const status: unknown = JSON.parse(found.metadata.annotations?.[`${domain}/status`] ?? "{}")
              assert.deepInclude(status, {
                v: 1,
                job_id: job.id,
                benchmark_index: 0,
                attempt: 1,
                state: "running",
                phase: "loading_data"
              })
              const before = patches()
              for (let round = 0; round < 100; round += 1) yield* change(job, { progress: { completed: round } })
              yield* pass(15)
              assert.strictEqual(patches(), before, "changes that are not shown cause no patch")
            })
          )
        )
        yield* observed(
          Effect.gen(function* () {
            const before = patches()
            yield* change(job, {
              state: "completed",
              completedAt: "1970-01-01T00:01:00.000Z",
              result: {
                metrics: { accuracy: 0.25 },
                test: { primaryScore: 0.25, metric: "accuracy", lowerIsBetter: false, threshold: 0.5, pass: false }
              }
            })
            const found = yield* labelled("Completed")
            assert.strictEqual(found.metadata.labels?.[`${domain}/verdict`], "fail")
            yield* pass(15)
            assert.isAtMost(patches() - before, 2)
          })
        )
        const events = fake.objects("events", tenant)
        const base = backingName(job)
        assert.sameMembers(
          events.map(({ metadata }) => metadata.name),
          ["benchmarklaunched", "benchmarkrunning", "benchmarkcompleted", "benchmarkthresholdmissed"].map(
            (name) => `${base}.${name}`
          )
        )
        const missed = events.find(({ metadata }) => metadata.name.endsWith("missed"))
        assert.deepInclude(missed, {
          type: "Warning",
          reason: "BenchmarkThresholdMissed",
          message: "accuracy is 0.25, the threshold is 0.5."
        })
        assert.deepInclude(missed?.["involvedObject"], { kind: "Job", name: base })
      }).pipe(Effect.provide(outside))
  )

  it.scoped("a cluster that refuses every signal changes no state", () =>
    Effect.gen(function* () {
      const fake = yield* Fake
      fake.faults.add({
        when: ({ verb, plural }) => verb === "patch" || (verb === "create" && plural === "events"),
        times: 100_000,
        fault: answers(500)
      })
      const job = yield* stored()
      yield* backed(job)
      yield* observed(
        Effect.gen(function* () {
          fake.setPodStatus(tenant, backingName(job), running)
          yield* advancing(
            "100 millis",
            Effect.map(benchmark(job), ({ spawnedAt }) => (spawnedAt === undefined ? undefined : true))
          )
          yield* pass(10)
          fake.setPodStatus(tenant, backingName(job), {
            phase: "Failed",
            containers: { adapter: { terminated: { exitCode: 9 } } }
          })
          yield* advancing(
            "500 millis",
            Effect.map(benchmark(job), ({ state }) => (state === "failed" ? true : undefined))
          )
        })
      )
      assert.isUndefined((yield* jobObject)?.metadata.labels?.[`${domain}/phase`])
    }).pipe(Effect.provide(outside))
  )

  it.scoped(
    "events of adapters are accepted while every signal hangs and no time passes: none of them waits for the cluster",
    () =>
      Effect.gen(function* () {
        const fake = yield* Fake
        const job = yield* stored()
        yield* backed(job)
        yield* observed(
          Effect.gen(function* () {
            yield* labelled("Pending")
            const isSignal = ({ verb, plural }: FakeRequest) =>
              verb === "patch" || (verb === "create" && plural === "events")
            fake.faults.add({ when: isSignal, times: 100_000, fault: { type: "hang" } })
            yield* change(job, { state: "running", phase: "loading_data" })
            yield* pass(2)
            const before = fake.requests.length
            for (let round = 1; round <= 200; round += 1) yield* change(job, { progress: { completed: round } })
            assert.strictEqual((yield* benchmark(job)).progress?.completed, 200)
            assert.strictEqual(fake.requests.length, before)
          })
        )
      }).pipe(Effect.provide(outside))
  )

  it.scoped("what is worth an Event, and what the annotation says", () =>
    Effect.gen(function* () {
      const job = yield* stored()
      const [plain] = (yield* (yield* JobStore).load(tenant, job.id)).benchmarks
      assert.isDefined(plain)
      if (plain === undefined) return
      const names = (more: Partial<Benchmark>) => eventsOf({ ...plain, ...more }).map(({ name }) => name)
      assert.deepStrictEqual(names({}), ["benchmarklaunched"])
      const warning = { code: "queue_inadmissible", message: "no flavor", origin: "runtime" } as const
      assert.deepStrictEqual(names({ warning }), ["benchmarklaunched", "benchmarkwaiting.queue-inadmissible"])
      assert.deepStrictEqual(names({ state: "cancelled" }), ["benchmarklaunched", "benchmarkcancelled"])
      const error = { code: "evicted", message: `node\u0007 down ${"x".repeat(400)}`, origin: "runtime" } as const
      assert.deepStrictEqual(names({ state: "failed", error }), ["benchmarklaunched", "benchmarkfailed"])
      const { status } = statusOf({ tenant, jobId: job.id, index: 0, attempt: 1 }, { ...plain, state: "failed", error })
      assert.strictEqual(status.message_code, "evicted")
      assert.isAtMost(status.message?.length ?? 0, 256)
      assert.match(status.message ?? "", /^node down x+…$/)
    }).pipe(Effect.provide(outside))
  )
})
