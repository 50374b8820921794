/**
 * Changes of a tenant's jobs with the record as it is now. Changes that come faster than they are read are merged per job: the latest
 * state is never left out, intermediate ones may be. Decisions 3, "Change stream".
 */
import { Chunk, Effect, Stream } from "effect"
import type { Caller } from "../access/caller.ts"
import type { Unavailable } from "../errors.ts"
import { type Change, ChangeFeed } from "../ports/change-feed.ts"
import { RecentRecords } from "./recent-records.ts"

export interface JobChange extends Change {
  /** wire text of the record; absent when the job is gone */
  readonly record?: string
}

/** the last change of each job, in order of their sequence numbers */
const latestPerJob = (changes: Chunk.Chunk<Change>): ReadonlyArray<Change> => {
  const last = new Map<string, Change>()
  for (const change of changes) {
    const before = last.get(change.jobId)
    last.delete(change.jobId)
    // a job that is new to the watcher stays new when its first changes are merged
    last.set(change.jobId, before?.kind === "created" && change.kind === "updated" ? { ...change, kind: "created" } : change)
  }
  return [...last.values()]
}

const withRecord =
  (records: RecentRecords["Type"]) =>
  (change: Change): Effect.Effect<JobChange, Unavailable> =>
    change.kind === "deleted"
      ? Effect.succeed(change)
      : // without a record it was removed meanwhile: its own change follows
        Effect.map(records.after(change), (record) => (record === undefined ? change : { ...change, record }))

/** all jobs of the tenant, or one; `after`: position to continue from, else from now on. Never ends. */
export const watchJobs = (
  caller: Caller,
  jobId: string | undefined,
  after: number | undefined
): Stream.Stream<JobChange, Unavailable, ChangeFeed | RecentRecords> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const feed = yield* ChangeFeed
      const records = yield* RecentRecords
      const filter = jobId === undefined ? { tenant: caller.tenant } : { tenant: caller.tenant, jobId }
      return feed.subscribe(filter, after).pipe(
        Stream.mapChunksEffect((changes) => Effect.map(Effect.forEach(latestPerJob(changes), withRecord(records)), Chunk.unsafeFromArray)),
        Stream.filter(({ kind, record }) => kind === "deleted" || record !== undefined)
      )
    })
  )
