/**
 * Changes of a tenant's jobs with the record as it is now. Changes that come faster than they are read are merged per job: the latest
 * state is never left out, intermediate ones may be. A watcher who has missed changes gets all records anew, between two marks.
 */
import { Chunk, Effect, Stream } from "effect"
import type { Caller } from "../access/caller.ts"
import type { Unavailable } from "../errors.ts"
import { type Change, ChangeFeed, type Missed } from "../ports/change-feed.ts"
import type { JobStore } from "../ports/stores/job-store.ts"
import { allRecords } from "./all-records.ts"
import { RecentRecords } from "./recent-records.ts"

export interface JobChange extends Change {
  /** wire text of the record; absent when the job is gone */
  readonly record?: string
}

/**
 * `reset`: whatever the watcher knows is out of date. Then a `snapshot` for every job that there is, and `synced` with the position from
 * which changes go on; only this one is a position to continue from, so that a snapshot that was cut off begins anew.
 */
export type SnapshotStep =
  | { readonly kind: "reset" }
  | { readonly kind: "snapshot"; readonly record: string }
  | { readonly kind: "synced"; readonly sequence: number }

/** the last change of each job, in order of their sequence numbers */
const latestPerJob = (changes: Chunk.Chunk<Change>): ReadonlyArray<Change> => {
  const last = new Map<string, Change>()
  for (const change of changes) {
    const before = last.get(change.jobId)
    last.delete(change.jobId)
    // a job that is new to the watcher stays new when its first changes are merged
    last.set(
      change.jobId,
      before?.kind === "created" && change.kind === "updated" ? { ...change, kind: "created" } : change
    )
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

const isShown = ({ kind, record }: JobChange): boolean => kind === "deleted" || record !== undefined

/** a chunk of changes with their records, or the one `Missed` that it is */
const told = (
  records: RecentRecords["Type"],
  chunk: Chunk.Chunk<Change | Missed>
): Effect.Effect<Chunk.Chunk<JobChange | Missed>, Unavailable> => {
  const first = Chunk.head(chunk)
  if (first._tag === "Some" && first.value.kind === "missed") return Effect.succeed(Chunk.of(first.value))
  return Effect.map(Effect.forEach(latestPerJob(chunk as Chunk.Chunk<Change>), withRecord(records)), (all) =>
    Chunk.unsafeFromArray(all.filter(isShown))
  )
}

const following = (
  filter: { readonly tenant: string; readonly jobId?: string },
  after: number | undefined
): Stream.Stream<JobChange | Missed, Unavailable, ChangeFeed | RecentRecords> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const feed = yield* ChangeFeed
      const records = yield* RecentRecords
      return Stream.mapChunksEffect(feed.subscribe(filter, after), (chunk) => told(records, chunk))
    })
  )

const snapshot = (caller: Caller, { sequence }: Missed): Stream.Stream<SnapshotStep, Unavailable, JobStore> =>
  Stream.make<[SnapshotStep]>({ kind: "reset" }).pipe(
    Stream.concat(Stream.map(allRecords(caller), (record): SnapshotStep => ({ kind: "snapshot", record }))),
    Stream.concat(Stream.make<[SnapshotStep]>({ kind: "synced", sequence }))
  )

/** all jobs of the tenant; `after`: position to continue from, else from now on. Never ends. */
export const watchJobs = (
  caller: Caller,
  after: number | undefined
): Stream.Stream<JobChange | SnapshotStep, Unavailable, ChangeFeed | RecentRecords | JobStore> =>
  Stream.flatMap(
    following({ tenant: caller.tenant }, after),
    (change): Stream.Stream<JobChange | SnapshotStep, Unavailable, JobStore> =>
      change.kind === "missed" ? snapshot(caller, change) : Stream.make(change)
  )

/** one job after the position; what was missed of it is made up for by its record as it is now. Never ends. */
export const watchOneJob = (
  caller: Caller,
  jobId: string,
  after: number
): Stream.Stream<JobChange, Unavailable, ChangeFeed | RecentRecords> =>
  Stream.unwrap(
    Effect.map(RecentRecords, (records) =>
      Stream.mapEffect(
        following({ tenant: caller.tenant, jobId }, after),
        (change): Effect.Effect<JobChange, Unavailable> => {
          if (change.kind !== "missed") return Effect.succeed(change)
          const now: Change = { sequence: change.sequence, tenant: caller.tenant, jobId, kind: "updated" }
          return Effect.map(
            records.after(now),
            (record): JobChange => (record === undefined ? { ...now, kind: "deleted" } : { ...now, record })
          )
        }
      )
    )
  )
