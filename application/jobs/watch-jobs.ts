/**
 * Changes of a tenant's jobs with the record as it is now. Changes that come faster than they are read are merged per job: the latest
 * state is never left out, intermediate ones may be. Decisions 3, "Change stream".
 */
import { Chunk, Effect, Stream } from "effect"
import type { Caller } from "../access/caller.ts"
import type { Unavailable } from "../errors.ts"
import { type Change, ChangeFeed } from "../ports/change-feed.ts"
import { JobStore } from "../ports/job-store.ts"

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
  (store: JobStore["Type"]) =>
  (change: Change): Effect.Effect<JobChange, Unavailable> =>
    change.kind === "deleted"
      ? Effect.succeed(change)
      : store.render(change.tenant, change.jobId).pipe(
          Effect.map(({ json }): JobChange => ({ ...change, record: json })),
          // removed meanwhile: its own change follows
          Effect.catchTag("NotFound", () => Effect.succeed(change))
        )

/** all jobs of the tenant, or one; `after`: position to continue from, else from now on. Never ends. */
export const watchJobs = (caller: Caller, jobId: string | undefined, after: number | undefined): Stream.Stream<JobChange, Unavailable, ChangeFeed | JobStore> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const feed = yield* ChangeFeed
      const store = yield* JobStore
      const filter = jobId === undefined ? { tenant: caller.tenant } : { tenant: caller.tenant, jobId }
      return feed.subscribe(filter, after).pipe(
        Stream.mapChunksEffect((changes) => Effect.map(Effect.forEach(latestPerJob(changes), withRecord(store)), Chunk.unsafeFromArray)),
        Stream.filter(({ kind, record }) => kind === "deleted" || record !== undefined)
      )
    })
  )
