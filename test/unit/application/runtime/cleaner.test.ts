import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { JobStore } from "../../../../application/ports/stores/job-store.ts"
import { UnitSecrets } from "../../../../application/ports/stores/unit-secrets.ts"
import { UsageStore } from "../../../../application/ports/stores/usage-store.ts"
import { TaskQueue } from "../../../../application/ports/task-queue.ts"
import { WireWitness } from "../../../../application/ports/wire-witness.ts"
import { cleaner } from "../../../../application/runtime/cleaner.ts"
import { removalCleanupTask, unitCleanupTask } from "../../../../application/runtime/tasks.ts"
import { noCounts } from "../../../../domain/validity/wire-counts.ts"
import { benchmarkOf, layer, lease, submit, unitIn } from "../../../support/runtime-workers.ts"
import { away, RuntimeScript } from "../../../support/scripted-runtime.ts"
import { cancel, report } from "../../../support/store-actions.ts"
import { runningEvent } from "../../../support/stored-jobs.ts"
import { advancing, untilTrue } from "../../../support/until.ts"

const start = Effect.forkScoped(cleaner(lease))

const cleanups = Effect.flatMap(TaskQueue, (queue) =>
  Effect.map(queue.stats, (all) => all.find(({ kind }) => kind === "cleanup"))
)
const noTasks = untilTrue(
  Effect.map(cleanups, (stats) => stats === undefined || stats.waiting + stats.leased + stats.buried === 0)
)

describe("the cleaner", () => {
  it.scoped("stops every unit of a cancelled job, and lets the secrets of those that ran expire", () =>
    Effect.gen(function* () {
      const script = yield* RuntimeScript
      const secrets = yield* UnitSecrets
      const job = yield* submit({ benchmarks: 2 })
      const secret = yield* secrets.issue(unitIn(job, 1))
      yield* report(job.id, runningEvent(1))
      yield* cancel(job.tenant, job.id)
      yield* start
      yield* noTasks
      assert.deepStrictEqual(script.stopped, [job.id])
      assert.deepStrictEqual(yield* secrets.identify(secret), unitIn(job, 1))
      yield* advancing(
        "30 seconds",
        Effect.map(secrets.identify(secret), (unit) => (unit === undefined ? true : undefined))
      )
    }).pipe(Effect.provide(layer))
  )

  it.scoped(
    "retires the secrets of a cancelled job at once, however many benchmarks ran (each was a transaction)",
    () =>
      Effect.gen(function* () {
        const secrets = yield* UnitSecrets
        const retired: Array<string> = []
        const counted = UnitSecrets.of({
          ...secrets,
          retire: (unit, grace) =>
            Effect.zipRight(
              Effect.sync(() => retired.push("one")),
              secrets.retire(unit, grace)
            ),
          retireJob: (id, grace) =>
            Effect.zipRight(
              Effect.sync(() => retired.push(id)),
              secrets.retireJob(id, grace)
            )
        })
        const job = yield* submit({ benchmarks: 20 })
        for (const { index } of job.benchmarks) yield* report(job.id, runningEvent(index))
        yield* cancel(job.tenant, job.id)
        yield* Effect.forkScoped(Effect.provideService(cleaner(lease), UnitSecrets, counted))
        yield* noTasks
        assert.deepStrictEqual(retired, [job.id])
      }).pipe(Effect.provide(layer))
  )

  it.scoped("counts what the units of a cancelled job used until they were stopped (it was counted for nobody)", () =>
    Effect.gen(function* () {
      const script = yield* RuntimeScript
      const job = yield* submit({ benchmarks: 2 })
      yield* report(job.id, runningEvent(1))
      yield* cancel(job.tenant, job.id)
      const counts = ({ index }: { readonly index: number }) =>
        Effect.sync(() =>
          index === 1 ? { ...noCounts, sent: 3, outputTokens: 30 + script.stopped.length } : undefined
        )
      const witness = { ...(yield* WireWitness), counts }
      yield* Effect.forkScoped(Effect.provideService(cleaner(lease), WireWitness, witness))
      yield* noTasks
      const { usage } = (yield* benchmarkOf(job, 1)) ?? {}
      assert.deepStrictEqual([usage?.requests, usage?.outputTokens], [3, 31], "after they were stopped")
      assert.strictEqual((yield* (yield* JobStore).load(job.tenant, job.id)).usage?.outputTokens, 31)
      assert.strictEqual((yield* (yield* UsageStore).byModel(job.tenant, {}))[0]?.usage.requests, 3)
    }).pipe(Effect.provide(layer))
  )

  it.scoped("tries for as long as it takes", () =>
    Effect.gen(function* () {
      const script = yield* RuntimeScript
      for (let count = 0; count < 12; count++) script.stopAnswers.push(away)
      const job = yield* submit()
      yield* cancel(job.tenant, job.id)
      yield* start
      yield* advancing(
        "30 seconds",
        Effect.sync(() => (script.stopped.length > 0 ? true : undefined))
      )
      assert.deepStrictEqual(script.stopped, [job.id])
      yield* noTasks
    }).pipe(Effect.provide(layer))
  )

  it.scoped("removes everything of a deleted job, then its tombstone", () =>
    Effect.gen(function* () {
      const script = yield* RuntimeScript
      const forgotten: Array<string> = []
      const watched = Layer.effect(
        JobStore,
        Effect.map(JobStore, (store) => ({
          ...store,
          forget: (jobId: string) =>
            Effect.zipRight(
              Effect.sync(() => forgotten.push(`${jobId} after ${script.stopped.length}`)),
              store.forget(jobId)
            )
        }))
      )
      const job = yield* submit({ benchmarks: 3 })
      const store = yield* JobStore
      yield* store.remove(job.tenant, job.id, (removed) => Either.right([removalCleanupTask(removed)]))
      yield* Effect.forkScoped(Effect.provide(cleaner(lease), watched))
      yield* noTasks
      assert.deepStrictEqual(script.stopped, [`${job.id} discard`])
      assert.deepStrictEqual(forgotten, [`${job.id} after 1`])
    }).pipe(Effect.provide(layer))
  )

  it.scoped("stops one unit for a task about one benchmark", () =>
    Effect.gen(function* () {
      const script = yield* RuntimeScript
      const job = yield* submit({ benchmarks: 2 })
      const store = yield* JobStore
      const benchmark = yield* benchmarkOf(job, 1)
      yield* store.remove("default", (yield* submit({ number: 2 })).id, () =>
        Either.right(benchmark === undefined ? [] : [unitCleanupTask(job, benchmark)])
      )
      yield* start
      yield* noTasks
      assert.deepStrictEqual(script.stopped, [`${job.id}/1/1`])
    }).pipe(Effect.provide(layer))
  )
})
