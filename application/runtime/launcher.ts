/**
 * Launches benchmarks: claims only as many launch tasks as the runtime has room for, so that the rest waits in the queue, in fair order
 * and visible. A launch that is impossible, or that failed too often, becomes a failed benchmark. Decisions 2, "Creation", "Never stuck".
 */
import { Effect, Queue, Ref } from "effect"
import { isTerminal } from "../../domain/job/benchmark-state.ts"
import { unchanged } from "../../domain/job/job-state.ts"
import { decideFailure } from "../../domain/job/runtime-fact.ts"
import type { Unavailable } from "../errors.ts"
import { JobStore } from "../ports/job-store.ts"
import { type LaunchHeld, type LaunchRefused, Runtime, type Unit, type UnitId } from "../ports/runtime.ts"
import type { Task, TaskQueue } from "../ports/task-queue.ts"
import { UnitSecrets } from "../ports/unit-secrets.ts"
import { applyTo } from "./apply.ts"
import { bury, done, type LeaseOptions, lost, type Outcome, reasonOf, retry, work } from "./task-worker.ts"
import { launchTask } from "./tasks.ts"

export interface LauncherOptions extends LeaseOptions {
  /** launches tried before a runtime that does not answer makes the benchmark fail */
  readonly launchAttempts: number
}

type Loaded = { readonly _tag: "Live"; readonly unit: Unit } | { readonly _tag: "Terminal"; readonly unit: UnitId } | { readonly _tag: "Removed" }

const load = (task: Task, index: number): Effect.Effect<Loaded, Unavailable, JobStore> =>
  JobStore.pipe(
    Effect.flatMap((store) => store.loadBenchmark(task.jobId, index)),
    Effect.map(({ head, benchmark, job }): Loaded => {
      const id: UnitId = { tenant: head.tenant, jobId: task.jobId, index, attempt: benchmark.attempt }
      return isTerminal(benchmark.state) ? { _tag: "Terminal", unit: id } : { _tag: "Live", unit: { ...id, head, benchmark, request: job } }
    }),
    Effect.catchTag("NotFound", () => Effect.succeed<Loaded>({ _tag: "Removed" }))
  )

const failed = (unit: UnitId, code: string, message: string): Effect.Effect<void, Unavailable, JobStore | UnitSecrets> =>
  applyTo(unit, (head, benchmark, now) => decideFailure(head, benchmark, { attempt: unit.attempt, code, message }, now)).pipe(
    Effect.catchTag("NotFound", () => Effect.void),
    Effect.zipRight(UnitSecrets),
    Effect.flatMap((secrets) => secrets.retire(unit, 0))
  )

/** a cancel or a deletion may have come while the unit was launched, before its clean-up could see it */
const stopIfUnwanted = (task: Task, unit: Unit): Effect.Effect<void, Unavailable, JobStore | Runtime> =>
  Effect.gen(function* () {
    const now = yield* load(task, unit.index)
    if (now._tag === "Live") return
    yield* (yield* Runtime).stop(unit, { discard: now._tag === "Removed" })
  })

/** names that a launch may find held before it is given up */
const mostAttempts = 3

/** the same benchmark under the next name: its task is stored with the raised attempt, in one transaction */
const raiseAttempt = (unit: Unit): Effect.Effect<void, Unavailable, JobStore> =>
  applyTo(
    unit,
    (head, benchmark) => {
      const isWaiting = benchmark.state === "pending" && benchmark.spawnedAt === undefined && benchmark.attempt === unit.attempt
      return isWaiting ? { _tag: "Changed", head, benchmark: { ...benchmark, attempt: unit.attempt + 1 } } : unchanged
    },
    (head) => [launchTask(head, { index: unit.index, attempt: unit.attempt + 1 })]
  ).pipe(
    Effect.catchTag("NotFound", () => Effect.void),
    Effect.asVoid
  )

const afterFailure = (
  task: Task,
  unit: Unit,
  problem: LaunchRefused | LaunchHeld | Unavailable,
  attempts: number
): Effect.Effect<Outcome, Unavailable, JobStore | UnitSecrets> => {
  if (problem._tag === "LaunchRefused") return Effect.as(failed(unit, problem.code, problem.message), done)
  if (problem._tag === "LaunchHeld") return Effect.as(unit.attempt < mostAttempts ? raiseAttempt(unit) : failed(unit, "launch_failed", problem.message), done)
  const reason = reasonOf(problem)
  if (task.attempts < attempts) return Effect.succeed(retry(reason))
  const message = `The benchmark could not be launched in ${task.attempts} attempts: ${reason}.`
  return Effect.as(failed(unit, "launch_failed", message), bury(reason))
}

/** tasks that are claimed and that the runtime does not know of yet; from `launch` on it counts them itself */
interface Preparing {
  readonly count: Effect.Effect<number>
  readonly enter: (tasks: number) => Effect.Effect<void>
  readonly leave: Effect.Effect<void>
  /** resolves once one more has left */
  readonly awaitLeave: Effect.Effect<void>
}

const makePreparing: Effect.Effect<Preparing> = Effect.gen(function* () {
  const busy = yield* Ref.make(0)
  const left = yield* Queue.sliding<void>(1)
  return {
    count: Ref.get(busy),
    enter: (tasks) => Ref.update(busy, (count) => count + tasks),
    leave: Effect.zipRight(
      Ref.update(busy, (count) => count - 1),
      Queue.offer(left, undefined)
    ),
    awaitLeave: Queue.take(left)
  }
})

/** never ends */
export const launcher = (options: LauncherOptions): Effect.Effect<never, never, JobStore | Runtime | TaskQueue | UnitSecrets> =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const preparing = yield* makePreparing

    const launch = (task: Task, unit: Unit): Effect.Effect<Outcome, Unavailable, JobStore | Runtime | UnitSecrets> =>
      runtime.launch(unit).pipe(
        Effect.matchEffect({
          onSuccess: () => Effect.as(stopIfUnwanted(task, unit), done),
          onFailure: (problem) => afterFailure(task, unit, problem, options.launchAttempts)
        })
      )
    const handle = (task: Task, holds: Effect.Effect<boolean, Unavailable>): Effect.Effect<Outcome, Unavailable, JobStore | Runtime | UnitSecrets> => {
      const { index } = task
      if (index === undefined) return Effect.as(preparing.leave, bury("a launch task needs a benchmark index"))
      const ready = Effect.gen(function* () {
        const loaded = yield* load(task, index)
        if (loaded._tag !== "Live") return done
        return (yield* holds) ? loaded.unit : lost
      })
      return Effect.flatMap(Effect.ensuring(ready, preparing.leave), (next) => ("_tag" in next ? Effect.succeed(next) : launch(task, next)))
    }
    return yield* work({
      ...options,
      kind: "launch",
      room: Effect.zipWith(runtime.freeSlots, preparing.count, (free, busy) => free - busy),
      awaitRoom: Effect.flatMap(preparing.count, (busy) => (busy > 0 ? preparing.awaitLeave : runtime.awaitSlot)),
      claimed: preparing.enter,
      handle
    })
  })
