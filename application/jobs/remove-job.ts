/** Hard delete, in any state: the record disappears at once, its runtime units are removed by tasks. Reference: states-and-scores.md, "Cancel and removal". */
import { Effect, Either } from "effect"
import type { Benchmark } from "../../domain/job/job.ts"
import { withSpent } from "../../domain/job/spending.ts"
import type { Caller } from "../access/caller.ts"
import type { PreconditionFailed } from "../errors.ts"
import { JobStore } from "../ports/stores/job-store.ts"
import { WireWitness } from "../ports/wire-witness.ts"
import { removalCleanupTask } from "../runtime/tasks.ts"

/** `permit` checks the caller's precondition on the record's tag, under the row's lock */
export const removeJob = Effect.fn("jobs.remove")(function* (
  caller: Caller,
  id: string,
  permit: (etag: string) => Either.Either<void, PreconditionFailed> = () => Either.void
) {
  const store = yield* JobStore
  const { spent } = yield* WireWitness
  yield* store.remove(
    caller.tenant,
    id,
    (job, etag) => Either.map(permit(etag), () => [removalCleanupTask(job)]),
    (benchmark: Benchmark) => withSpent(benchmark, { told: spent({ jobId: id, index: benchmark.index }) })
  )
})
