/** Applies pure decisions about one benchmark to the store: the part that every runtime worker shares. */

import { Effect, Either, Predicate, Schedule } from "effect"
import type { Benchmark, JobHead } from "../../domain/job/job.ts"
import { jobTest } from "../../domain/job/job-score.ts"
import type { BenchmarkChange } from "../../domain/job/job-state.ts"
import type { NotFound, Unavailable } from "../errors.ts"
import { isoNow } from "../iso-now.ts"
import { type BenchmarkChanged, type BenchmarkDecision, JobStore } from "../ports/stores/job-store.ts"
import type { NewTask } from "../ports/task-queue.ts"

export type Decide = (head: JobHead, benchmark: Benchmark, now: string) => BenchmarkChange

type Target = { readonly jobId: string; readonly index: number }

/** a change together with the tasks it causes; nothing is caused when nothing changes */
export const withTasks = (change: BenchmarkChange, tasks: ReadonlyArray<NewTask>): BenchmarkDecision =>
  change._tag === "Unchanged" ? change : { ...change, tasks }

/**
 * Runs the decision under the lock of the job, with the server's clock. `tasks` are stored only with a change. An index that the job
 * does not have is impossible here: a defect.
 */
export const applyTo = (
  { jobId, index }: Target,
  decide: Decide,
  tasks: (head: JobHead, benchmark: Benchmark) => ReadonlyArray<NewTask> = () => []
): Effect.Effect<BenchmarkChanged, NotFound | Unavailable, JobStore> =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const now = yield* isoNow
    return yield* store
      .changeBenchmark(
        { jobId, select: { index } },
        (head, benchmark) => Either.right(withTasks(decide(head, benchmark, now), tasks(head, benchmark))),
        jobTest
      )
      .pipe(
        Effect.catchTags({
          UnknownBenchmark: (problem) => Effect.die(problem),
          AmbiguousBenchmark: (problem) => Effect.die(problem)
        })
      )
  })

const isUnavailable = (error: unknown): error is Unavailable => Predicate.isTagged(error, "Unavailable")

const patience = Schedule.union(Schedule.jittered(Schedule.exponential("250 millis")), Schedule.spaced("15 seconds"))

/** a store that is away comes back: tries again for as long as it takes, at most every 15 seconds */
export const untilAvailable = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, Unavailable>, R> =>
  effect.pipe(
    Effect.retry({ while: isUnavailable, schedule: patience }),
    Effect.catchAll((error) =>
      isUnavailable(error) ? Effect.die(error) : Effect.fail(error as Exclude<E, Unavailable>)
    )
  )
