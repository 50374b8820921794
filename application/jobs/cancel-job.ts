/**
 * Cancels a job: every benchmark that is not terminal becomes cancelled at once; ending its process or pod is a task of the same
 * transaction, retried until nothing is left. Reference: states-and-scores.md, "Transitions", "Cancel and removal".
 */

import { Effect, Either } from "effect"
import { decideCancel } from "../../domain/job/cancellation.ts"
import type { Job } from "../../domain/job/job.ts"
import { headOf } from "../../domain/job/job-state.ts"
import type { Caller } from "../access/caller.ts"
import { Conflict, type PreconditionFailed } from "../errors.ts"
import { isoNow } from "../iso-now.ts"
import { type JobDecision, JobStore } from "../ports/stores/job-store.ts"
import { cancelCleanupTask } from "../runtime/tasks.ts"

const decide =
  (now: string) =>
  (job: Job): Either.Either<JobDecision, Conflict> =>
    Either.mapBoth(decideCancel(job, now), {
      onLeft: ({ code, message }) => new Conflict({ code, message }),
      onRight: (decision): JobDecision =>
        decision._tag === "Unchanged"
          ? { head: headOf(job), benchmarks: [], tasks: [] }
          : { head: decision.head, benchmarks: decision.benchmarks, tasks: [cancelCleanupTask(job)] }
    })

/** `permit` checks the caller's precondition on the record's tag, under the row's lock */
export const cancelJob = Effect.fn("jobs.cancel")(function* (
  caller: Caller,
  id: string,
  permit: (etag: string) => Either.Either<void, PreconditionFailed> = () => Either.void
) {
  const store = yield* JobStore
  const cancelled = decide(yield* isoNow)
  yield* store.changeJob(
    caller.tenant,
    id,
    (job, etag): Either.Either<JobDecision, Conflict | PreconditionFailed> =>
      Either.flatMap(permit(etag), () => cancelled(job))
  )
})
