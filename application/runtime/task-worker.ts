/**
 * Works off one kind of task: claims as many as there is room for, keeps their leases, and completes, retries or buries them. Whoever
 * loses a lease stops working on the task; every handler can therefore be run again from its beginning.
 */
import { Clock, Effect, Fiber, FiberSet, Random } from "effect"
import type { Unavailable } from "../errors.ts"
import { type Task, type TaskKind, TaskQueue } from "../ports/task-queue.ts"

export type Outcome =
  | { readonly _tag: "Done" }
  /** again after a delay that grows with the attempts */
  | { readonly _tag: "Retry"; readonly reason: string }
  /** it is not time yet: again after so many milliseconds */
  | { readonly _tag: "Later"; readonly millis: number }
  | { readonly _tag: "Bury"; readonly reason: string }
  /** the lease went to somebody else: the task is theirs */
  | { readonly _tag: "Lost" }

export const done: Outcome = { _tag: "Done" }
export const lost: Outcome = { _tag: "Lost" }
export const retry = (reason: string): Outcome => ({ _tag: "Retry", reason })
export const later = (millis: number): Outcome => ({ _tag: "Later", millis })
export const bury = (reason: string): Outcome => ({ _tag: "Bury", reason })

export interface LeaseOptions {
  /** name of this process among all that share the queue */
  readonly holder: string
  readonly leaseMillis: number
  /** longest wait for a hint before the queue is asked again */
  readonly pollMillis: number
}

export interface TaskWorker<R> extends LeaseOptions {
  readonly kind: TaskKind
  /** of launches: benchmarks of one tenant that may be launched and unfinished (`tenants.max_running`) */
  readonly mostLaunched?: number | undefined
  /** how many more tasks may be claimed now */
  readonly room: Effect.Effect<number>
  /** resolves when there may be room again (a hint) */
  readonly awaitRoom: Effect.Effect<void>
  /** told before the claimed tasks start */
  readonly claimed: (count: number) => Effect.Effect<void>
  /** `holds` asks whether the lease is surely still ours, for at least half its time */
  readonly handle: (task: Task, holds: Effect.Effect<boolean, Unavailable>) => Effect.Effect<Outcome, Unavailable, R>
}

const firstDelay = 500
const longestDelay = 60_000

/** milliseconds before the next attempt: doubles with each, full jitter in the upper half */
const backOff = (attempts: number): Effect.Effect<number> =>
  Effect.map(Random.next, (random) =>
    Math.round(Math.min(longestDelay, firstDelay * 2 ** Math.min(attempts, 20)) * (0.5 + random / 2))
  )

/** reasons are shown to operators: the peer and the operation, never a driver's text */
export const reasonOf = ({ peer, operation }: Unavailable): string =>
  peer === "machine" ? `this machine can not do it now (${operation})` : `${peer} is not available (${operation})`

/** keeps the lease; ends only when it is lost */
const renewing = (task: Task, options: LeaseOptions): Effect.Effect<Outcome, never, TaskQueue> =>
  Effect.gen(function* () {
    const queue = yield* TaskQueue
    let until = (yield* Clock.currentTimeMillis) + options.leaseMillis
    for (;;) {
      yield* Effect.sleep(options.leaseMillis / 3)
      const held = yield* Effect.orElseSucceed(queue.renew(task, options.holder, options.leaseMillis), () => undefined)
      const now = yield* Clock.currentTimeMillis
      if (held === true) until = now + options.leaseMillis
      else if (held === false || now >= until) return lost
    }
  })

const settle = (task: Task, outcome: Outcome, { holder }: LeaseOptions): Effect.Effect<void, Unavailable, TaskQueue> =>
  Effect.gen(function* () {
    const queue = yield* TaskQueue
    switch (outcome._tag) {
      case "Done":
        return yield* queue.complete(task, holder)
      case "Retry": {
        const delay = yield* backOff(task.attempts)
        yield* Effect.logWarning(`task ${task.kind} ${task.key} is tried again in ${delay} ms: ${outcome.reason}`)
        return yield* queue.retry(task, holder, delay, outcome.reason)
      }
      case "Later":
        return yield* queue.retry(task, holder, outcome.millis, "not yet")
      case "Bury":
        yield* Effect.logError(
          `task ${task.kind} ${task.key} is given up after ${task.attempts} attempts: ${outcome.reason}`
        )
        return yield* queue.bury(task, holder, outcome.reason)
      case "Lost":
        return yield* Effect.logWarning(`task ${task.kind} ${task.key} is worked on by somebody else now`)
    }
  })

const hold = <R>(task: Task, worker: TaskWorker<R>): Effect.Effect<void, never, R | TaskQueue> =>
  Effect.gen(function* () {
    const queue = yield* TaskQueue
    const claimedAt = yield* Clock.currentTimeMillis
    // a process that was paused for long finds that its lease may be over
    const holds = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      now >= claimedAt && now - claimedAt < worker.leaseMillis / 2
        ? Effect.succeed(true)
        : queue.renew(task, worker.holder, worker.leaseMillis)
    )
    const outcome = yield* Effect.raceFirst(
      worker.handle(task, holds).pipe(
        Effect.catchTag("Unavailable", (error) => Effect.succeed(retry(reasonOf(error)))),
        Effect.catchAllDefect((defect) =>
          Effect.as(Effect.logError(`task ${task.kind} ${task.key} died`, defect), retry("internal error"))
        )
      ),
      renewing(task, worker)
    )
    // when the store is away the lease runs out, and the task is claimed and found done
    yield* Effect.catchTag(settle(task, outcome, worker), "Unavailable", (error) =>
      Effect.logWarning(`task ${task.kind} ${task.key} could not be settled: ${reasonOf(error)}`)
    )
  })

/** the work on a task is a trace of its own */
const held = <R>(task: Task, worker: TaskWorker<R>): Effect.Effect<void, never, R | TaskQueue> =>
  Effect.withSpan(hold(task, worker), `task ${task.kind}`, {
    root: true,
    kind: "consumer",
    captureStackTrace: false,
    attributes: {
      "evald.tenant": task.tenant,
      "evald.job.id": task.jobId,
      "evald.task.key": task.key,
      "evald.task.attempt": task.attempts
    }
  })

/** never ends; tasks in flight are interrupted with it and claimed again after their lease */
export const work = <R>(worker: TaskWorker<R>): Effect.Effect<never, never, R | TaskQueue> =>
  Effect.scoped(
    Effect.gen(function* () {
      const queue = yield* TaskQueue
      const { kind, holder, leaseMillis, pollMillis, mostLaunched } = worker
      const inFlight = yield* FiberSet.make<void>()
      const claim = (limit: number) =>
        Effect.catchTag(queue.claim(kind, holder, limit, leaseMillis, mostLaunched), "Unavailable", (error) =>
          Effect.as(
            Effect.zipRight(Effect.logWarning(`no ${kind} tasks: ${reasonOf(error)}`), Effect.sleep(pollMillis)),
            []
          )
        )
      for (;;) {
        const room = yield* worker.room
        if (room <= 0) {
          yield* Effect.raceFirst(worker.awaitRoom, Effect.sleep(pollMillis))
          continue
        }
        // listening starts before asking, so that work that comes in between is not missed
        const hint = yield* Effect.fork(queue.awaitWork(kind))
        const tasks = yield* claim(room)
        if (tasks.length === 0) yield* Effect.raceFirst(Fiber.join(hint), Effect.sleep(pollMillis))
        yield* Fiber.interruptFork(hint)
        yield* worker.claimed(tasks.length)
        for (const task of tasks) yield* FiberSet.run(inFlight, held(task, worker))
      }
    })
  )
