/**
 * Launches benchmarks: claims only as many launch tasks as the runtime has room for, so that the rest waits in the queue, in fair order
 * and visible. A launch that is impossible, or that failed too often, becomes a failed benchmark. Reference: states-and-scores.md, "Tasks", "Never stuck".
 */
import { Effect, Queue, Ref } from "effect"
import { isTerminal } from "../../domain/job/benchmark-state.ts"
import type { Backing, Benchmark } from "../../domain/job/job.ts"
import { noted, unchanged } from "../../domain/job/job-state.ts"
import { decideFailure } from "../../domain/job/runtime-fact.ts"
import type { Unavailable } from "../errors.ts"
import { type LaunchHeld, type LaunchRefused, Runtime, type Unit, type UnitId } from "../ports/runtime.ts"
import { JobStore } from "../ports/stores/job-store.ts"
import { UnitSecrets } from "../ports/stores/unit-secrets.ts"
import type { Task, TaskQueue } from "../ports/task-queue.ts"
import { WireWitness } from "../ports/wire-witness.ts"
import { applyTo } from "./apply.ts"
import { bury, done, type LeaseOptions, lost, type Outcome, reasonOf, retry, work } from "./task-worker.ts"
import { attemptOf, launchTask } from "./tasks.ts"

export interface LauncherOptions extends LeaseOptions {
  /** launches tried before a runtime that does not answer makes the benchmark fail */
  readonly launchAttempts: number
  /** benchmarks of one tenant that may be launched and unfinished; absent: any number */
  readonly mostLaunched?: number | undefined
}

type Loaded =
  | { readonly _tag: "Live"; readonly unit: Unit }
  | { readonly _tag: "Terminal"; readonly unit: UnitId }
  | { readonly _tag: "Removed" }

const loadedOf = (unit: Unit, benchmark: Benchmark): Loaded =>
  isTerminal(benchmark.state) ? { _tag: "Terminal", unit } : { _tag: "Live", unit: { ...unit, benchmark } }

const load = (task: Task, index: number): Effect.Effect<Loaded, Unavailable, JobStore> =>
  JobStore.pipe(
    Effect.flatMap((store) => store.loadBenchmark(task.jobId, index)),
    Effect.map(({ head, benchmark, job }): Loaded => {
      const unit: Unit = {
        tenant: head.tenant,
        jobId: task.jobId,
        index,
        attempt: benchmark.attempt,
        head,
        benchmark,
        request: job
      }
      return loadedOf(unit, benchmark)
    }),
    Effect.catchTag("NotFound", () => Effect.succeed<Loaded>({ _tag: "Removed" }))
  )

const failed = (
  unit: UnitId,
  code: string,
  message: string
): Effect.Effect<void, Unavailable, JobStore | UnitSecrets> =>
  applyTo(unit, (head, benchmark, now) =>
    decideFailure(head, benchmark, { attempt: unit.attempt, code, message }, now)
  ).pipe(
    Effect.catchTag("NotFound", () => Effect.void),
    Effect.zipRight(UnitSecrets),
    Effect.flatMap((secrets) => secrets.retire(unit, 0))
  )

/** stores what the launch made, unless the benchmark can not be launched any more */
const keep = (task: Task, unit: Unit, backing: Backing): Effect.Effect<Loaded, Unavailable, JobStore> =>
  applyTo(unit, (_head, benchmark) => {
    const isKept = benchmark.backing?.uid === backing.uid && benchmark.backing?.name === backing.name
    const isOver = isTerminal(benchmark.state) || benchmark.attempt !== unit.attempt
    return isOver || isKept ? unchanged : noted({ ...benchmark, backing })
  }).pipe(
    Effect.flatMap(({ benchmark }) =>
      benchmark.attempt === unit.attempt ? Effect.succeed(loadedOf(unit, benchmark)) : load(task, unit.index)
    ),
    Effect.catchTag("NotFound", () => Effect.succeed<Loaded>({ _tag: "Removed" }))
  )

/** a cancel or a deletion may have come while the unit was launched, before its clean-up could see it */
const stopIfUnwanted = (unit: Unit, now: Loaded): Effect.Effect<void, Unavailable, Runtime> =>
  now._tag === "Live"
    ? Effect.void
    : Effect.flatMap(Runtime, (runtime) => runtime.stop(unit, { discard: now._tag === "Removed" }))

/**
 * Nothing is launched any more. Whoever had the task before may have launched it and died: the clean-up that belongs to the end of the
 * benchmark may have looked before there was anything to find.
 */
const abandon = (task: Task, index: number, { _tag }: Loaded): Effect.Effect<Outcome, Unavailable, Runtime> =>
  task.attempts <= 1
    ? Effect.succeed(done)
    : Effect.flatMap(Runtime, (runtime) =>
        Effect.as(
          runtime.stop(
            { tenant: task.tenant, jobId: task.jobId, index, attempt: attemptOf(task) },
            { discard: _tag === "Removed" }
          ),
          done
        )
      )

/** names that a launch may find held before it is given up */
const mostAttempts = 3

/** the same benchmark under the next name: its task is stored with the raised attempt, in one transaction */
const raiseAttempt = (unit: Unit): Effect.Effect<void, Unavailable, JobStore | Runtime> =>
  Effect.gen(function* () {
    const attempt = unit.attempt + 1
    const name = (yield* Runtime).backingName({ ...unit, attempt })
    yield* applyTo(
      unit,
      (_head, benchmark) => {
        const { backing, ...rest } = benchmark
        const isWaiting =
          rest.state === "pending" &&
          rest.spawnedAt === undefined &&
          backing?.uid === undefined &&
          rest.attempt === unit.attempt
        return isWaiting ? noted({ ...rest, attempt, ...(name === undefined ? {} : { backing: { name } }) }) : unchanged
      },
      (head) => [launchTask(head, { index: unit.index, attempt })]
    )
  }).pipe(Effect.catchTag("NotFound", () => Effect.void))

const afterFailure = (
  task: Task,
  unit: Unit,
  problem: LaunchRefused | LaunchHeld | Unavailable,
  attempts: number
): Effect.Effect<Outcome, Unavailable, JobStore | Runtime | UnitSecrets> => {
  if (problem._tag === "LaunchRefused") return Effect.as(failed(unit, problem.code, problem.message), done)
  if (problem._tag === "LaunchHeld")
    return unit.attempt < mostAttempts
      ? Effect.as(raiseAttempt(unit), done)
      : Effect.as(failed(unit, "launch_failed", problem.message), done)
  const reason = reasonOf(problem)
  if (task.attempts < attempts) return Effect.succeed(retry(reason))
  const message = `The benchmark could not be launched in ${task.attempts} attempts: ${reason}.`
  return Effect.as(
    failed(unit, problem.peer === "machine" ? "machine_unavailable" : "launch_failed", message),
    bury(reason)
  )
}

/** a fault of the server itself is tried again like a runtime that is away, and not for ever: its benchmark would wait without end */
const orGivenUp = <R>(task: Task, unit: UnitId, work: Effect.Effect<Outcome, Unavailable, R>, attempts: number) =>
  Effect.catchAllDefect(work, (defect) => {
    if (task.attempts < attempts) return Effect.die(defect)
    const message = `The benchmark could not be launched in ${task.attempts} attempts because of a fault of the server; its log has the details.`
    return Effect.zipRight(
      Effect.logError(`the launch of benchmark ${unit.index} of job ${unit.jobId} died`, defect),
      Effect.as(failed(unit, "launch_failed", message), bury("internal error"))
    )
  })

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
export const launcher = (
  options: LauncherOptions
): Effect.Effect<never, never, JobStore | Runtime | TaskQueue | UnitSecrets> =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const witness = yield* WireWitness
    const preparing = yield* makePreparing

    const launched = (
      task: Task,
      unit: Unit,
      backing: Backing | undefined,
      holds: Effect.Effect<boolean, Unavailable>
    ) =>
      Effect.gen(function* () {
        // whoever has the task now finds the same objects and stores them
        if (backing !== undefined && !(yield* holds)) return lost
        yield* stopIfUnwanted(unit, yield* backing === undefined ? load(task, unit.index) : keep(task, unit, backing))
        return done
      })
    const launch = (
      task: Task,
      unit: Unit,
      holds: Effect.Effect<boolean, Unavailable>
    ): Effect.Effect<Outcome, Unavailable, JobStore | Runtime | UnitSecrets> =>
      Effect.zipRight(witness.watch(unit), runtime.launch(unit)).pipe(
        Effect.matchEffect({
          onSuccess: (backing) => launched(task, unit, backing, holds),
          onFailure: (problem) => afterFailure(task, unit, problem, options.launchAttempts)
        })
      )
    const handle = (
      task: Task,
      holds: Effect.Effect<boolean, Unavailable>
    ): Effect.Effect<Outcome, Unavailable, JobStore | Runtime | UnitSecrets> => {
      const { index } = task
      if (index === undefined) return Effect.as(preparing.leave, bury("a launch task needs a benchmark index"))
      const ready = Effect.gen(function* () {
        const loaded = yield* load(task, index)
        if (loaded._tag !== "Live") return yield* abandon(task, index, loaded)
        return (yield* holds) ? loaded.unit : lost
      })
      return Effect.flatMap(Effect.ensuring(ready, preparing.leave), (next) =>
        "_tag" in next ? Effect.succeed(next) : orGivenUp(task, next, launch(task, next, holds), options.launchAttempts)
      )
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
