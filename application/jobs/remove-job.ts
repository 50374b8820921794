/** Hard delete, in any state: the record disappears at once, its runtime units are removed by tasks. Decisions 2, `hard_delete`. */
import { Effect } from "effect"
import type { Caller } from "../access/caller.ts"
import { JobStore } from "../ports/job-store.ts"
import { removalCleanupTask } from "../runtime/tasks.ts"

export const removeJob = Effect.fn("jobs.remove")(function* (caller: Caller, id: string) {
  const store = yield* JobStore
  yield* store.remove(caller.tenant, id, (job) => [removalCleanupTask(job)])
})
