import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, TestClock } from "effect"
import { Unavailable } from "../../../../application/errors.ts"
import type { UnitFact } from "../../../../application/ports/runtime.ts"
import { JobStore } from "../../../../application/ports/stores/job-store.ts"
import { SampleStore } from "../../../../application/ports/stores/sample-store.ts"
import { UnitSecrets } from "../../../../application/ports/stores/unit-secrets.ts"
import { observer } from "../../../../application/runtime/observer.ts"
import type { Job } from "../../../../domain/job/job.ts"
import { readSample } from "../../../../domain/sample/read-sample.ts"
import { benchmarkOf, layer, submit, unitIn } from "../../../support/runtime-workers.ts"
import { RuntimeScript } from "../../../support/scripted-runtime.ts"
import { cancel, report } from "../../../support/store-actions.ts"
import { completedEvent, failedEvent, jobId, runningEvent } from "../../../support/stored-jobs.ts"
import { advancing, quiet, until, untilTrue } from "../../../support/until.ts"

const options = { graceMillis: 10_000, deferTrackerFailure: true }
const start = Effect.forkScoped(observer(options))
const at = "1970-01-01T00:00:00.000Z"

const tell = (fact: UnitFact) => Effect.flatMap(RuntimeScript, (script) => script.tell(fact))
const exited = (job: Job, given: Partial<Extract<UnitFact, { readonly _tag: "Ended" }>> = {}) =>
  tell({
    _tag: "Ended",
    unit: unitIn(job),
    at,
    code: "adapter_exited_without_result",
    message: "The adapter exited with code 1.",
    exitCode: 1,
    logTail: ["boom"],
    ...given
  })

const whenState = (job: Job, state: string, index = 0) =>
  Effect.map(benchmarkOf(job, index), (benchmark) => (benchmark?.state === state ? benchmark : undefined))

describe("the observer", () => {
  it.scoped("remembers the start, and shows why something waits", () =>
    Effect.gen(function* () {
      const job = yield* submit({ benchmarks: 2 })
      yield* start
      yield* tell({ _tag: "Started", unit: unitIn(job, 0), at })
      yield* tell({ _tag: "Waiting", unit: unitIn(job, 1), code: "unschedulable", message: "no node" })
      const waiting = yield* until(
        Effect.map(benchmarkOf(job, 1), (benchmark) => (benchmark?.warning === undefined ? undefined : benchmark))
      )
      assert.deepStrictEqual([waiting.state, waiting.warning?.code], ["pending", "unschedulable"])
      const started = yield* benchmarkOf(job, 0)
      assert.deepStrictEqual([started?.state, started?.spawnedAt], ["pending", at])
    }).pipe(Effect.provide(layer))
  )

  it.scoped("gives a late terminal event ten seconds, then fails the benchmark with the reason", () =>
    Effect.gen(function* () {
      const [silent, late] = [yield* submit({ number: 1 }), yield* submit({ number: 2 })]
      yield* start
      yield* exited(silent)
      yield* exited(late)
      yield* quiet
      yield* TestClock.adjust("9 seconds")
      yield* report(late.id, completedEvent(0))
      yield* quiet
      assert.strictEqual((yield* benchmarkOf(silent))?.state, "pending")
      yield* TestClock.adjust("1 seconds")
      const failed = yield* until(whenState(silent, "failed"))
      assert.deepStrictEqual(failed.error, {
        code: "adapter_exited_without_result",
        message: "The adapter exited with code 1.\nLast log lines:\nboom",
        origin: "runtime"
      })
      yield* quiet
      assert.strictEqual((yield* benchmarkOf(late))?.state, "completed")
    }).pipe(Effect.provide(layer))
  )

  it.scoped("waits for nobody while one end has its grace time", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* submit({ number: 1 }), yield* submit({ number: 2 })]
      yield* start
      yield* exited(first)
      yield* tell({ _tag: "Started", unit: unitIn(second), at })
      yield* untilTrue(Effect.map(benchmarkOf(second), (benchmark) => benchmark?.spawnedAt === at))
      assert.strictEqual((yield* benchmarkOf(first))?.state, "pending")
    }).pipe(Effect.provide(layer))
  )

  it.scoped("fails at once when the command never ran, or the unit is lost", () =>
    Effect.gen(function* () {
      const [absent, lost] = [yield* submit({ number: 1 }), yield* submit({ number: 2 })]
      yield* start
      yield* exited(absent, { code: "adapter_failed_to_start", message: "not found", exitCode: 127, logTail: [] })
      yield* exited(lost, { code: "runtime_object_lost", message: "gone", logTail: [] })
      assert.strictEqual((yield* until(whenState(absent, "failed"))).error?.code, "adapter_failed_to_start")
      assert.strictEqual((yield* until(whenState(lost, "failed"))).error?.code, "runtime_object_lost")
      assert.strictEqual(yield* Clock.currentTimeMillis, 0)
    }).pipe(Effect.provide(layer))
  )

  it.scoped("does not believe that a command was absent which has reported something", () =>
    Effect.gen(function* () {
      const job = yield* submit()
      yield* start
      yield* report(job.id, runningEvent(0))
      yield* exited(job, { code: "adapter_failed_to_start", message: "not found", exitCode: 127, logTail: [] })
      const failed = yield* advancing("1 second", whenState(job, "failed"))
      assert.deepStrictEqual(
        [failed.error?.code, failed.error?.message],
        ["adapter_exited_without_result", "The adapter exited with code 127 and reported no result."]
      )
      assert.strictEqual(yield* Clock.currentTimeMillis, 10_000)
    }).pipe(Effect.provide(layer))
  )

  it.scoped(
    "applies an event from the spool as if it had been posted, and acknowledges it also when it is refused",
    () =>
      Effect.gen(function* () {
        const [fresh, done, cancelled] = [
          yield* submit({ number: 1 }),
          yield* submit({ number: 2, benchmarks: 2 }),
          yield* submit({ number: 3 })
        ]
        const acknowledged: Array<string> = []
        const spool = (job: Job, event = completedEvent(0)) =>
          tell({ _tag: "Spooled", unit: unitIn(job), event, acknowledge: Effect.sync(() => acknowledged.push(job.id)) })
        yield* report(done.id, failedEvent(0))
        yield* cancel(cancelled.tenant, cancelled.id)
        yield* start
        for (const job of [fresh, done, cancelled, { ...fresh, id: jobId(99) }]) yield* spool(job)
        yield* spool(fresh, completedEvent(1))
        yield* untilTrue(Effect.sync(() => acknowledged.length === 5))
        assert.deepStrictEqual((yield* benchmarkOf(fresh))?.result?.metrics, { accuracy: 0.75 })
        assert.strictEqual((yield* benchmarkOf(done))?.error?.message, "it broke")
        assert.strictEqual((yield* benchmarkOf(cancelled))?.state, "cancelled")
      }).pipe(Effect.provide(layer))
  )

  it.scoped("takes samples that a unit left behind, however late, and leaves out what contradicts stored ones", () =>
    Effect.gen(function* () {
      const store = yield* SampleStore
      const job = yield* submit()
      const sample = (index: number, response: string) => {
        const { sample: read } = readSample(
          { v: 1, sample_id: `s${index}`, task: "t", index, repeat: 0, verdict: "correct", response },
          []
        )
        return read ?? assert.fail("not read")
      }
      const unit = { tenant: job.tenant, jobId: job.id, index: 0 }
      yield* store.add(unit, [sample(0, "first")], { maxPerJob: 10, content: "full" })
      yield* report(job.id, completedEvent(0))
      yield* TestClock.adjust("1 hour")
      yield* start
      let done = false
      const batches = [
        [sample(0, "first"), sample(1, "x")],
        [sample(0, "another"), sample(2, "y")]
      ]
      yield* tell({
        _tag: "LeftSamples",
        unit: unitIn(job),
        collect: (take) =>
          Effect.zipRight(
            Effect.forEach(batches, take, { discard: true }),
            Effect.sync(() => {
              done = true
            })
          )
      })
      yield* untilTrue(Effect.sync(() => done))
      const { items } = yield* store.page(unit, { filter: {}, sort: { by: "index", descending: false }, limit: 10 })
      assert.deepStrictEqual(
        items.map(({ sampleId }) => sampleId),
        ["s0", "s1", "s2"]
      )
    }).pipe(Effect.provide(layer))
  )

  it.scoped("lets the callback secret live a minute longer than its benchmark", () =>
    Effect.gen(function* () {
      const secrets = yield* UnitSecrets
      const job = yield* submit()
      const secret = yield* secrets.issue(unitIn(job))
      yield* start
      yield* report(job.id, completedEvent(0))
      yield* exited(job)
      const expired = Effect.map(secrets.identify(secret), (unit) => (unit === undefined ? true : undefined))
      yield* advancing("1 second", expired)
      assert.strictEqual(yield* Clock.currentTimeMillis, 60_000)
    }).pipe(Effect.provide(layer))
  )

  it.scoped("drops no fact because the store is away", () =>
    Effect.gen(function* () {
      const job = yield* submit()
      let left = 5
      const failing =
        <A extends ReadonlyArray<unknown>, B, E, R>(call: (...given: A) => Effect.Effect<B, E, R>) =>
        (...given: A) =>
          Effect.suspend(
            (): Effect.Effect<B, E | Unavailable, R> =>
              left-- > 0 ? Effect.fail(new Unavailable({ peer: "database", operation: "test" })) : call(...given)
          )
      const flaky = Layer.effect(
        JobStore,
        Effect.map(JobStore, (store): JobStore["Type"] => ({ ...store, loadBenchmark: failing(store.loadBenchmark) }))
      )
      yield* Effect.forkScoped(Effect.provide(observer(options), flaky))
      yield* exited(job)
      const failed = yield* advancing("1 second", whenState(job, "failed"))
      assert.strictEqual(failed.error?.code, "adapter_exited_without_result")
      assert.isBelow(left, 0)
    }).pipe(Effect.provide(layer))
  )

  it.scoped("handles the facts of one unit in order, however slow the store is with the first", () =>
    Effect.gen(function* () {
      const [slow, other] = [yield* submit({ number: 1 }), yield* submit({ number: 2 })]
      let first = true
      const delayed = Layer.effect(
        JobStore,
        Effect.map(JobStore, (store): JobStore["Type"] => ({
          ...store,
          changeBenchmark: (target, decide, score) => {
            const wait = first && target.jobId === slow.id ? "5 seconds" : 0
            if (target.jobId === slow.id) first = false
            return Effect.delay(store.changeBenchmark(target, decide, score), wait)
          }
        }))
      )
      yield* Effect.forkScoped(Effect.provide(observer(options), delayed))
      yield* tell({ _tag: "Spooled", unit: unitIn(slow), event: completedEvent(0), acknowledge: Effect.void })
      yield* exited(slow, { code: "runtime_object_lost", message: "gone" })
      yield* exited(other, { code: "runtime_object_lost", message: "gone" })
      yield* advancing("100 millis", whenState(other, "failed"))
      assert.isBelow(yield* Clock.currentTimeMillis, 5000)
      yield* advancing("1 second", whenState(slow, "completed"))
    }).pipe(Effect.provide(layer))
  )

  it.scoped("survives a fact that nobody can handle", () =>
    Effect.gen(function* () {
      const job = yield* submit()
      yield* start
      yield* tell({ _tag: "Started", unit: { ...unitIn(job), index: 77 }, at })
      yield* tell({ _tag: "Started", unit: { ...unitIn(job), jobId: jobId(99) }, at })
      yield* exited(job, { code: "out_of_memory", message: "killed" })
      assert.strictEqual((yield* until(whenState(job, "failed"))).error?.code, "out_of_memory")
    }).pipe(Effect.provide(layer))
  )
})
