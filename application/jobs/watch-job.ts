/** One job's changes, beginning with its record as it is now, so that a watcher never needs a second call. Reference: api.md, "Change stream". */
import { Effect, Stream } from "effect"
import type { Caller } from "../access/caller.ts"
import { ChangeFeed } from "../ports/change-feed.ts"
import { getJob } from "./get-job.ts"
import { type JobChange, watchOneJob } from "./watch-jobs.ts"

/** `NotFound` at once when there is no such job; the stream itself never ends */
export const watchJob = Effect.fn("jobs.watch")(function* (caller: Caller, jobId: string) {
  const feed = yield* ChangeFeed
  // the position is taken before the record is read: a change between the two is seen twice, never missed
  const sequence = yield* feed.latest
  const { json } = yield* getJob(caller, jobId)
  const now: JobChange = { sequence, tenant: caller.tenant, jobId, kind: "updated", record: json }
  return { record: json, changes: Stream.concat(Stream.make(now), watchOneJob(caller, jobId, sequence)) }
})
