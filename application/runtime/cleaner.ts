/**
 * Cleans up: ends the units of cancelled, overdue and deleted work, again and again until the runtime says nothing is left. Reference:
 * states-and-scores.md, "Cancel and removal".
 */
import { Effect, Option, Ref } from "effect"
import { unchanged } from "../../domain/job/job-state.ts"
import { decideSpent } from "../../domain/job/spending.ts"
import type { Unavailable } from "../errors.ts"
import { Runtime, type UnitId } from "../ports/runtime.ts"
import { JobStore } from "../ports/stores/job-store.ts"
import { UnitSecrets } from "../ports/stores/unit-secrets.ts"
import type { Task, TaskQueue } from "../ports/task-queue.ts"
import { WireWitness } from "../ports/wire-witness.ts"
import { applyTo } from "./apply.ts"
import { done, type LeaseOptions, type Outcome, work } from "./task-worker.ts"

/** how long a callback secret outlives its benchmark: a replay must still get its answer (gateway.md, "Routes") */
export const secretGraceMillis = 60_000

const atOnce = 8

const found = <A, R>(effect: Effect.Effect<A, { readonly _tag: "NotFound" } | Unavailable, R>) =>
  effect.pipe(
    Effect.map(Option.some),
    Effect.catchTag("NotFound", () => Effect.succeedNone)
  )

/** what a unit used that was ended without a result, requests that were broken off with it included */
const countSpent = (unit: UnitId) =>
  Effect.gen(function* () {
    const wire = yield* (yield* WireWitness).counts(unit)
    if (wire === undefined) return
    yield* found(
      applyTo(unit, (head, benchmark, now) =>
        benchmark.attempt === unit.attempt ? decideSpent(head, benchmark, { wire }, now) : unchanged
      )
    )
  })

/** one benchmark of a job that lives on */
const cleanUnit = (task: Task, index: number): Effect.Effect<Outcome, Unavailable, JobStore | Runtime | UnitSecrets> =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const stored = Option.getOrUndefined(yield* found((yield* JobStore).loadBenchmark(task.jobId, index)))
    const unit: UnitId = { tenant: task.tenant, jobId: task.jobId, index, attempt: stored?.benchmark.attempt ?? 1 }
    yield* runtime.stop(unit, { discard: stored === undefined })
    if (stored !== undefined) yield* countSpent(unit)
    yield* (yield* UnitSecrets).retire(unit, secretGraceMillis)
    return done
  })

const cleanJob = (task: Task): Effect.Effect<Outcome, Unavailable, JobStore | Runtime | UnitSecrets> =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const secrets = yield* UnitSecrets
    const { tenant, jobId } = task
    const job = Option.getOrUndefined(yield* found(store.load(tenant, jobId)))
    yield* (yield* Runtime).stopJob({ tenant, jobId }, { discard: job === undefined })
    if (job === undefined) {
      yield* store.forget(jobId)
      return done
    }
    const launched = job.benchmarks.filter(
      ({ state, spawnedAt, startedAt }) => state === "cancelled" && (spawnedAt !== undefined || startedAt !== undefined)
    )
    yield* Effect.forEach(launched, ({ index, attempt }) => countSpent({ tenant, jobId, index, attempt }), {
      discard: true
    })
    yield* secrets.retireJob(jobId, secretGraceMillis)
    return done
  })

/** never ends */
export const cleaner = (
  options: LeaseOptions
): Effect.Effect<never, never, JobStore | Runtime | TaskQueue | UnitSecrets> =>
  Effect.gen(function* () {
    const busy = yield* Ref.make(0)
    return yield* work({
      ...options,
      kind: "cleanup",
      room: Effect.map(Ref.get(busy), (count) => atOnce - count),
      awaitRoom: Effect.never,
      claimed: (count) => Ref.update(busy, (all) => all + count),
      handle: (task) =>
        (task.index === undefined ? cleanJob(task) : cleanUnit(task, task.index)).pipe(
          Effect.ensuring(Ref.update(busy, (all) => all - 1))
        )
    })
  })
