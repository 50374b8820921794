import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, TestClock } from "effect"
import { Unavailable } from "../../../../application/errors.ts"
import { JobStore } from "../../../../application/ports/stores/job-store.ts"
import { TaskQueue } from "../../../../application/ports/task-queue.ts"
import { launcher } from "../../../../application/runtime/launcher.ts"
import { benchmarkOf, layer, lease, load, submit, unitIn } from "../../../support/runtime-workers.ts"
import { away, RuntimeScript } from "../../../support/scripted-runtime.ts"
import { cancel, remove } from "../../../support/store-actions.ts"
import { advancing, quiet, until, untilTrue } from "../../../support/until.ts"

const start = Effect.forkScoped(launcher({ ...lease, launchAttempts: 3 }))

const launchTasks = Effect.flatMap(TaskQueue, (queue) =>
  Effect.map(queue.stats, (all) => all.find(({ kind }) => kind === "launch"))
)
const noTasks = untilTrue(
  Effect.map(launchTasks, (stats) => stats === undefined || stats.waiting + stats.leased + stats.buried === 0)
)

describe("the launcher", () => {
  it.scoped("claims only as much as the runtime has room for, and goes on as soon as there is room", () =>
    Effect.gen(function* () {
      const script = yield* RuntimeScript
      script.slots = 2
      const job = yield* submit({ benchmarks: 4 })
      yield* start
      yield* untilTrue(Effect.sync(() => script.launched.length === 2))
      yield* quiet
      assert.deepStrictEqual(script.launched, [`${job.id}/0/1`, `${job.id}/1/1`])
      assert.strictEqual((yield* launchTasks)?.waiting, 2)
      script.ended(unitIn(job, 0))
      yield* untilTrue(Effect.sync(() => script.launched.length === 3))
      yield* quiet
      assert.strictEqual((yield* launchTasks)?.waiting, 1)
      script.ended(unitIn(job, 1))
      yield* untilTrue(Effect.sync(() => script.launched.length === 4))
      yield* noTasks
    }).pipe(Effect.provide(layer))
  )

  it.scoped("takes jobs in turns, so that a small one does not wait behind a big one", () =>
    Effect.gen(function* () {
      const script = yield* RuntimeScript
      script.slots = 1
      const big = yield* submit({ number: 1, benchmarks: 6 })
      const small = yield* submit({ number: 2, benchmarks: 1 })
      yield* start
      for (let count = 1; count <= 7; count++) {
        yield* untilTrue(Effect.sync(() => script.launched.length === count))
        for (const job of [big, small]) for (let index = 0; index < 6; index++) script.ended(unitIn(job, index))
      }
      assert.isAtMost(script.launched.indexOf(`${small.id}/0/1`), 1)
    }).pipe(Effect.provide(layer))
  )

  it.scoped("launches nothing for a benchmark that is cancelled or removed meanwhile", () =>
    Effect.gen(function* () {
      const script = yield* RuntimeScript
      const cancelled = yield* submit({ number: 1 })
      const removed = yield* submit({ number: 2 })
      yield* cancel(cancelled.tenant, cancelled.id)
      yield* remove(removed.tenant, removed.id)
      yield* start
      yield* noTasks
      assert.deepStrictEqual(script.launched, [])
    }).pipe(Effect.provide(layer))
  )

  it.scoped("stops what a server launched that died before it could see the cancel or the removal", () =>
    Effect.gen(function* () {
      const script = yield* RuntimeScript
      const cancelled = yield* submit({ number: 1 })
      const removed = yield* submit({ number: 2 })
      yield* (yield* TaskQueue).claim("launch", "dead", 2, 1000)
      yield* cancel(cancelled.tenant, cancelled.id)
      yield* remove(removed.tenant, removed.id)
      yield* start
      yield* advancing(
        "1 second",
        Effect.sync(() => (script.stopped.length === 2 ? true : undefined))
      )
      assert.deepStrictEqual(script.stopped.toSorted(), [`${cancelled.id}/0/1`, `${removed.id}/0/1 discard`])
      assert.deepStrictEqual(script.launched, [])
      yield* noTasks
    }).pipe(Effect.provide(layer))
  )

  it.scoped("stops a unit whose job was cancelled or removed while it was launched", () =>
    Effect.gen(function* () {
      const script = yield* RuntimeScript
      const cancelled = yield* submit({ number: 1 })
      const removed = yield* submit({ number: 2 })
      const store = yield* JobStore
      script.duringLaunch = ({ jobId }) =>
        Effect.orDie(
          (jobId === cancelled.id ? Effect.asVoid(cancel("default", jobId)) : remove("default", jobId)).pipe(
            Effect.provideService(JobStore, store)
          )
        )
      yield* start
      yield* untilTrue(Effect.sync(() => script.stopped.length === 2))
      assert.deepStrictEqual(script.stopped.toSorted(), [`${cancelled.id}/0/1`, `${removed.id}/0/1 discard`])
    }).pipe(Effect.provide(layer))
  )

  it.scoped("keeps what a launch made with its benchmark, under the name that its attempt had", () =>
    Effect.gen(function* () {
      const script = yield* RuntimeScript
      script.backing = ({ index, attempt }) => ({ name: `unit-${index}-${attempt}`, uid: `uid-${index}-${attempt}` })
      const job = yield* submit({ benchmarks: 2 })
      yield* start
      yield* noTasks
      const { benchmarks } = yield* load(job)
      assert.deepStrictEqual(
        benchmarks.map(({ backing }) => backing),
        [
          { name: "unit-0-1", uid: "uid-0-1" },
          { name: "unit-1-1", uid: "uid-1-1" }
        ]
      )
    }).pipe(Effect.provide(layer))
  )

  it.scoped("a launch that dies again and again fails its benchmark and leaves its task to be looked at", () =>
    Effect.gen(function* () {
      const script = yield* RuntimeScript
      script.duringLaunch = () => Effect.dieMessage("broken")
      const job = yield* submit()
      yield* start
      const failed = yield* advancing(
        "1 second",
        Effect.map(benchmarkOf(job), (benchmark) => (benchmark?.state === "failed" ? benchmark : undefined))
      )
      assert.strictEqual(failed.error?.code, "launch_failed")
      assert.include(failed.error?.message, "3 attempts")
      assert.strictEqual(yield* until(Effect.map(launchTasks, (stats) => stats?.buried)), 1)
    }).pipe(Effect.provide(layer))
  )

  it.scoped("makes a refused launch a failed benchmark with the runtime's code", () =>
    Effect.gen(function* () {
      const script = yield* RuntimeScript
      script.launchAnswers.push({ _tag: "LaunchRefused", code: "secret_not_found", message: "no such secret" })
      const job = yield* submit()
      yield* start
      const failed = yield* until(
        Effect.map(benchmarkOf(job), (benchmark) => (benchmark?.state === "failed" ? benchmark : undefined))
      )
      assert.deepStrictEqual(failed.error, { code: "secret_not_found", message: "no such secret", origin: "runtime" })
      assert.strictEqual((yield* load(job)).state, "failed")
      yield* noTasks
    }).pipe(Effect.provide(layer))
  )

  it.scoped("tries again with growing pauses while the runtime is away", () =>
    Effect.gen(function* () {
      const script = yield* RuntimeScript
      script.launchAnswers.push(away, away)
      const job = yield* submit()
      yield* start
      const tries: Array<number> = []
      yield* advancing(
        "100 millis",
        Effect.map(Clock.currentTimeMillis, (now) => {
          if (tries.length < 2 - script.launchAnswers.length) tries.push(now)
          return script.launched.length === 1 ? tries.push(now) : undefined
        })
      )
      const [first = 0, second = 0, third = 0] = tries
      assert.isAbove(second - first, 400)
      assert.isAbove(third - second, second - first)
      assert.strictEqual((yield* benchmarkOf(job))?.state, "pending")
      yield* noTasks
    }).pipe(Effect.provide(layer))
  )

  it.scoped("does not tell a full disk of the server's machine as a cluster that is away", () =>
    Effect.gen(function* () {
      const script = yield* RuntimeScript
      const full = new Unavailable({ peer: "machine", operation: "write job file: no space is left on the disk" })
      script.launchAnswers.push(full, full, full)
      const job = yield* submit()
      yield* start
      const failed = yield* advancing(
        "1 second",
        Effect.map(benchmarkOf(job), (benchmark) => (benchmark?.state === "failed" ? benchmark : undefined))
      )
      assert.deepStrictEqual(
        [failed.error?.code, failed.error?.message],
        [
          "machine_unavailable",
          "The benchmark could not be launched in 3 attempts: this machine can not do it now (write job file: no space is left on the disk)."
        ]
      )
    }).pipe(Effect.provide(layer))
  )

  it.scoped("gives up after the last attempt: the benchmark fails, the task is kept for inspection", () =>
    Effect.gen(function* () {
      const script = yield* RuntimeScript
      script.launchAnswers.push(away, away, away)
      const job = yield* submit()
      yield* start
      const failed = yield* advancing(
        "1 second",
        Effect.map(benchmarkOf(job), (benchmark) => (benchmark?.state === "failed" ? benchmark : undefined))
      )
      assert.deepStrictEqual(script.launchAnswers, [])
      assert.deepStrictEqual(
        [failed.error?.code, failed.error?.message],
        ["launch_failed", "The benchmark could not be launched in 3 attempts: cluster is not available (test)."]
      )
      yield* untilTrue(Effect.map(launchTasks, (stats) => stats?.buried === 1))
    }).pipe(Effect.provide(layer))
  )

  for (const [how, pause] of [
    ["notices it before the launch", 16_000],
    ["is told while it loads the benchmark", 11_000]
  ] as const)
    it.scoped(`launches nothing under a lease that went to somebody else: ${how}`, () =>
      Effect.gen(function* () {
        const script = yield* RuntimeScript
        const robbed = Layer.effect(
          TaskQueue,
          Effect.map(TaskQueue, (queue) => ({ ...queue, renew: () => Effect.succeed(false) }))
        )
        const slow = Layer.effect(
          JobStore,
          Effect.map(JobStore, (store): JobStore["Type"] => ({
            ...store,
            loadBenchmark: (id, index) => Effect.delay(store.loadBenchmark(id, index), pause)
          }))
        )
        yield* submit()
        const fiber = yield* Effect.forkScoped(
          Effect.provide(launcher({ ...lease, launchAttempts: 3 }), Layer.merge(robbed, slow))
        )
        yield* untilTrue(Effect.map(launchTasks, (stats) => stats?.leased === 1))
        yield* TestClock.adjust(pause)
        yield* quiet
        assert.deepStrictEqual(script.launched, [])
        yield* Fiber.interrupt(fiber)
      }).pipe(Effect.provide(layer))
    )

  it.scoped("keeps the lease of a launch that takes long, and does not start it twice", () =>
    Effect.gen(function* () {
      const script = yield* RuntimeScript
      script.duringLaunch = () => Effect.sleep("5 minutes")
      yield* submit()
      yield* start
      yield* untilTrue(Effect.sync(() => script.launched.length === 1))
      const over = Effect.map(launchTasks, (stats) => (stats === undefined || stats.leased === 0 ? true : undefined))
      yield* advancing("9 seconds", over)
      assert.strictEqual(script.launched.length, 1)
      assert.isAtLeast(yield* Clock.currentTimeMillis, 300_000)
      yield* noTasks
    }).pipe(Effect.provide(layer))
  )
})
