/**
 * Removes what is kept for a time only: answers under idempotency keys, always; and, when asked to, jobs that have been finished for long,
 * like a hard delete: record at once, units and files by tasks. Works in small steps with pauses, so that a large backlog disturbs nobody;
 * several servers may do it at once. Settings `retention.*`.
 */
import { DateTime, type Duration, Effect, Either } from "effect"
import type { Unavailable } from "../errors.ts"
import { FinishedJobs } from "../ports/stores/finished-jobs.ts"
import { Idempotency } from "../ports/stores/idempotency.ts"
import { JobStore } from "../ports/stores/job-store.ts"
import { reasonOf } from "./task-worker.ts"
import { removalCleanupTask } from "./tasks.ts"

export interface RetentionOptions {
  /** days that a finished job is kept after its last change; undefined: for good */
  readonly jobsDays: number | undefined
  /** time between two passes; default one hour */
  readonly everyMillis?: number
}

const batch = 50
const keyBatch = 500
const pause: Duration.DurationInput = "1 second"

const removeOne = (tenant: string, id: string): Effect.Effect<number, Unavailable, JobStore> =>
  Effect.flatMap(JobStore, (store) => store.remove(tenant, id, (job) => Either.right([removalCleanupTask(job)]))).pipe(
    Effect.as(1),
    // another server, or a caller, was faster
    Effect.catchTag("NotFound", () => Effect.succeed(0))
  )

/** one pass; answers how many jobs it removed. `rest`: time between two steps, for those who work beside it */
export const removeExpired = (
  jobsDays: number,
  rest: Duration.DurationInput = pause
): Effect.Effect<number, Unavailable, JobStore | FinishedJobs> =>
  Effect.gen(function* () {
    const finished = yield* FinishedJobs
    const before = DateTime.formatIso(DateTime.subtract(yield* DateTime.now, { days: jobsDays }))
    let removed = 0
    for (;;) {
      const jobs = yield* finished.unchangedSince(before, batch)
      for (const { tenant, id } of jobs) removed += yield* removeOne(tenant, id)
      if (jobs.length < batch) return removed
      yield* Effect.sleep(rest)
    }
  })

/** one pass over the answers under idempotency keys */
export const removeExpiredKeys: Effect.Effect<void, Unavailable, Idempotency> = Effect.gen(function* () {
  const { removeExpired: removeSome } = yield* Idempotency
  while ((yield* removeSome(keyBatch)) === keyBatch) yield* Effect.sleep(pause)
})

const removeOldJobs = (jobsDays: number | undefined) =>
  Effect.gen(function* () {
    const removed = jobsDays === undefined ? 0 : yield* removeExpired(jobsDays)
    if (removed > 0) yield* Effect.logInfo(`retention removed ${removed} jobs finished more than ${jobsDays} days ago`)
  })

/** never ends */
export const retention = ({
  jobsDays,
  everyMillis = 3_600_000
}: RetentionOptions): Effect.Effect<never, never, JobStore | FinishedJobs | Idempotency> =>
  Effect.zipRight(removeExpiredKeys, removeOldJobs(jobsDays)).pipe(
    Effect.catchTag("Unavailable", (error) => Effect.logWarning(`retention: ${reasonOf(error)}`)),
    Effect.zipRight(Effect.sleep(everyMillis)),
    Effect.forever
  )
