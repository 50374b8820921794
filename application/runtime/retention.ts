/**
 * Removes jobs that have been finished for longer than they are kept, like a hard delete: record at once, units and files by tasks.
 * Works in small steps with pauses, so that a large backlog disturbs nobody; several servers may do it at once. Settings `retention.*`.
 */
import { DateTime, Effect } from "effect"
import type { Unavailable } from "../errors.ts"
import { FinishedJobs } from "../ports/finished-jobs.ts"
import { JobStore } from "../ports/job-store.ts"
import { reasonOf } from "./task-worker.ts"
import { removalCleanupTask } from "./tasks.ts"

export interface RetentionOptions {
  /** days that a finished job is kept after its last change */
  readonly jobsDays: number
  /** time between two passes; default one hour */
  readonly everyMillis?: number
}

const batch = 50
const pause = "1 second"

const removeOne = (tenant: string, id: string): Effect.Effect<number, Unavailable, JobStore> =>
  Effect.flatMap(JobStore, (store) => store.remove(tenant, id, (job) => [removalCleanupTask(job)])).pipe(
    Effect.as(1),
    // another server, or a caller, was faster
    Effect.catchTag("NotFound", () => Effect.succeed(0))
  )

/** one pass; answers how many jobs it removed */
export const removeExpired = (jobsDays: number): Effect.Effect<number, Unavailable, JobStore | FinishedJobs> =>
  Effect.gen(function* () {
    const finished = yield* FinishedJobs
    const before = DateTime.formatIso(DateTime.subtract(yield* DateTime.now, { days: jobsDays }))
    let removed = 0
    for (;;) {
      const jobs = yield* finished.unchangedSince(before, batch)
      for (const { tenant, id } of jobs) removed += yield* removeOne(tenant, id)
      if (jobs.length < batch) return removed
      yield* Effect.sleep(pause)
    }
  })

/** never ends */
export const retention = ({ jobsDays, everyMillis = 3_600_000 }: RetentionOptions): Effect.Effect<never, never, JobStore | FinishedJobs> =>
  removeExpired(jobsDays).pipe(
    Effect.tap((removed) => Effect.when(Effect.logInfo(`retention removed ${removed} jobs finished more than ${jobsDays} days ago`), () => removed > 0)),
    Effect.catchTag("Unavailable", (error) => Effect.logWarning(`retention: ${reasonOf(error)}`)),
    Effect.zipRight(Effect.sleep(everyMillis)),
    Effect.forever
  )
