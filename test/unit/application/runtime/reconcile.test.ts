import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Logger, TestClock } from "effect"
import { Runtime, type UnitId } from "../../../../application/ports/runtime.ts"
import { JobStore } from "../../../../application/ports/stores/job-store.ts"
import { TaskQueue } from "../../../../application/ports/task-queue.ts"
import { WireWitness } from "../../../../application/ports/wire-witness.ts"
import { applyTo } from "../../../../application/runtime/apply.ts"
import { reconcile, reconciler } from "../../../../application/runtime/reconcile.ts"
import type { Timeouts } from "../../../../domain/job/deadline.ts"
import type { Job } from "../../../../domain/job/job.ts"
import { decideStarted } from "../../../../domain/job/runtime-fact.ts"
import { noCounts } from "../../../../domain/validity/wire-counts.ts"
import { benchmarkOf, layer, load, submit, unitIn } from "../../../support/runtime-workers.ts"
import { away, RuntimeScript, unitName } from "../../../support/scripted-runtime.ts"
import { report } from "../../../support/store-actions.ts"
import { runningEvent } from "../../../support/stored-jobs.ts"
import { advancing, until } from "../../../support/until.ts"

const at = "1970-01-01T00:00:00.000Z"
const start = (timeouts: Timeouts = {}) => Effect.forkScoped(reconciler({ timeouts, everyMillis: 15_000 }))

/** as the observer does for a started unit */
const spawned = (job: Job, index = 0) =>
  applyTo(unitIn(job, index), (head, benchmark, now) => decideStarted(head, benchmark, { attempt: 1, at }, now))

const whenFailed = (job: Job, index = 0) =>
  Effect.map(benchmarkOf(job, index), (benchmark) =>
    benchmark?.state === "failed" ? benchmark.error?.code : undefined
  )

const takeLaunchTasks = Effect.gen(function* () {
  const queue = yield* TaskQueue
  const tasks = yield* queue.claim("launch", "thief", 100, 1000)
  yield* Effect.forEach(tasks, (task) => queue.complete(task, "thief"))
})

const launchCount = Effect.flatMap(TaskQueue, (queue) =>
  Effect.map(queue.stats, (all) =>
    all.filter(({ kind }) => kind === "launch").reduce((sum, { waiting }) => sum + waiting, 0)
  )
)

/** the runtime with some failing answers to `observe` before it works; what the reconciler says meanwhile */
const toldBy = (failures: number) =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const lines: Array<string> = []
    let asked = 0
    const flaky = {
      ...runtime,
      observe: (units: ReadonlyArray<UnitId>) => {
        asked += 1
        return asked > failures ? runtime.observe(units) : Effect.fail(away)
      }
    }
    const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
    yield* reconciler({ timeouts: {}, everyMillis: 15_000 }).pipe(
      Effect.provideService(Runtime, flaky),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Effect.forkScoped
    )
    return { lines, asked: () => asked }
  })

describe("reconcile", () => {
  it.scoped("with no benchmark to ask about, a runtime that is away is not asked and not complained of", () =>
    Effect.gen(function* () {
      const { lines, asked } = yield* toldBy(1000)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual([lines, asked()], [[], 0])
    }).pipe(Effect.provide(layer))
  )

  it.scoped("a runtime that is away is named in the log once, and so is its return", () =>
    Effect.gen(function* () {
      yield* submit()
      const { lines, asked } = yield* toldBy(5)
      yield* advancing(
        "1 second",
        Effect.sync(() => (asked() > 6 ? true : undefined))
      )
      assert.deepStrictEqual(lines, [
        "reconcile: cluster is not available (test); trying again every second",
        "reconcile: works again after: cluster is not available (test)"
      ])
    }).pipe(Effect.provide(layer))
  )

  it.scoped("fails what was started and is gone, at once at the start; what lives or waits stays", () =>
    Effect.gen(function* () {
      const script = yield* RuntimeScript
      const job = yield* submit({ benchmarks: 4 })
      for (const index of [0, 1, 2]) yield* spawned(job, index)
      yield* report(job.id, runningEvent(1))
      script.alive.add(unitName(unitIn(job, 2)))
      yield* start()
      assert.strictEqual(yield* until(whenFailed(job, 0)), "runtime_object_lost")
      assert.strictEqual(yield* until(whenFailed(job, 1)), "runtime_object_lost")
      assert.deepStrictEqual(
        (yield* load(job)).benchmarks.map(({ state }) => state),
        ["failed", "failed", "pending", "pending"]
      )
      assert.strictEqual(yield* Clock.currentTimeMillis, 0)
    }).pipe(Effect.provide(layer))
  )

  it.scoped("counts what a lost unit used", () =>
    Effect.gen(function* () {
      const job = yield* submit()
      yield* spawned(job)
      const counts = () => Effect.sync(() => ({ ...noCounts, sent: 7 }))
      const witness = { ...(yield* WireWitness), counts }
      yield* Effect.provideService(reconcile({}), WireWitness, witness)
      const benchmark = yield* benchmarkOf(job)
      assert.deepStrictEqual([benchmark?.error?.code, benchmark?.usage?.requests], ["runtime_object_lost", 7])
    }).pipe(Effect.provide(layer))
  )

  it.scoped("notices on its timer what no fact has told", () =>
    Effect.gen(function* () {
      const script = yield* RuntimeScript
      const job = yield* submit()
      yield* spawned(job)
      script.alive.add(unitName(unitIn(job)))
      yield* start()
      let told = false
      const looked = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (now === 60_000 && !told) {
          told = true
          script.ended(unitIn(job))
        }
        return yield* whenFailed(job)
      })
      assert.strictEqual(yield* advancing("5 seconds", looked), "runtime_object_lost")
      assert.isAtMost(yield* Clock.currentTimeMillis, 80_000)
    }).pipe(Effect.provide(layer))
  )

  it.scoped(
    "does not launch again what was launched and is gone before it started: its loss is a fact of the runtime",
    () =>
      Effect.gen(function* () {
        const job = yield* submit()
        yield* takeLaunchTasks
        yield* applyTo(unitIn(job), (_head, benchmark) => ({
          _tag: "Noted",
          benchmark: { ...benchmark, backing: { name: "unit", uid: "u1" } }
        }))
        assert.deepStrictEqual((yield* reconcile({})).forgotten, [])
        assert.strictEqual((yield* load(job)).state, "pending")
      }).pipe(Effect.provide(layer))
  )

  it.scoped("goes through more benchmarks than a page holds", () =>
    Effect.gen(function* () {
      const jobs = yield* Effect.forEach([1, 2, 3], (number) => submit({ number, benchmarks: 400 }))
      for (const job of jobs) for (const index of [0, 399]) yield* spawned(job, index)
      const { forgotten } = yield* reconcile({})
      assert.deepStrictEqual(forgotten, [])
      for (const job of jobs) assert.strictEqual((yield* load(job)).counts.failed, 2)
    }).pipe(Effect.provide(layer))
  )

  it.scoped("fails an overdue benchmark when its time is up, to the second, and has its unit ended", () =>
    Effect.gen(function* () {
      const script = yield* RuntimeScript
      const [silent, slow] = [yield* submit({ number: 1 }), yield* submit({ number: 2 })]
      for (const job of [silent, slow]) {
        yield* spawned(job)
        script.alive.add(unitName(unitIn(job)))
      }
      yield* report(slow.id, runningEvent(0))
      yield* start({ pendingSeconds: 37, benchmarkSeconds: 71 })
      assert.strictEqual(yield* advancing("1 second", whenFailed(silent)), "deadline_exceeded")
      assert.strictEqual(yield* Clock.currentTimeMillis, 37_000)
      assert.strictEqual(yield* advancing("1 second", whenFailed(slow)), "deadline_exceeded")
      assert.strictEqual(yield* Clock.currentTimeMillis, 71_000)
      const cleanups = yield* (yield* TaskQueue).claim("cleanup", "test", 10, 1000)
      assert.deepStrictEqual(
        cleanups.map(({ key }) => key),
        [`${silent.id}/0/1`, `${slow.id}/0/1`]
      )
    }).pipe(Effect.provide(layer))
  )

  it.scoped("a benchmark that waits in the queue has no deadline", () =>
    Effect.gen(function* () {
      const job = yield* submit()
      yield* reconcile({ pendingSeconds: 1, benchmarkSeconds: 1 })
      const pass = yield* reconcile({ pendingSeconds: 1 })
      assert.deepStrictEqual([pass.nextDeadline, (yield* benchmarkOf(job))?.state], [undefined, "pending"])
    }).pipe(Effect.provide(layer))
  )

  it.scoped("stores a launch task that got lost again, and only then", () =>
    Effect.gen(function* () {
      const job = yield* submit({ benchmarks: 2 })
      assert.deepStrictEqual((yield* reconcile({})).forgotten, [])
      yield* takeLaunchTasks
      assert.strictEqual((yield* reconcile({})).forgotten.length, 2)
      yield* start()
      yield* advancing(
        "5 seconds",
        Effect.map(launchCount, (count) => (count === 2 ? count : undefined))
      )
      const again = yield* (yield* TaskQueue).claim("launch", "test", 10, 1000)
      assert.deepStrictEqual(again.map(({ key }) => key).toSorted(), [`${job.id}/0/1`, `${job.id}/1/1`])
      assert.strictEqual((yield* (yield* JobStore).load(job.tenant, job.id)).state, "pending")
    }).pipe(Effect.provide(layer))
  )
})
