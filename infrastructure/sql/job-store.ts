/** Jobs in a database. The statements lie in `jobs/`, the texts that go out are made in `rows/`. */
import { Clock, Effect, Layer } from "effect"
import { Unavailable } from "../../application/errors.ts"
import type { IdempotencyClaim } from "../../application/ports/stores/idempotency.ts"
import { JobStore } from "../../application/ports/stores/job-store.ts"
import type { NewTask } from "../../application/ports/task-queue.ts"
import type { Job } from "../../domain/job/job.ts"
import type { TenantLimits } from "../../domain/tenant/limits.ts"
import { Announcements } from "./changes/announcements.ts"
import { Database } from "./connection/client.ts"
import type { Session } from "./connection/session.ts"
import { writeProbe } from "./connection/write-probe.ts"
import { changeBenchmark, changeJob } from "./jobs/change.ts"
import type { JobContext } from "./jobs/context.ts"
import { type EventBatch, eventBatch } from "./jobs/event-batch.ts"
import { insertJobAtOnce, insertJobRows, type NewJob } from "./jobs/insert.ts"
import { pageJobs } from "./jobs/page.ts"
import { indexOf, liveBenchmarks, loadBenchmark, loadJob, renderCached } from "./jobs/read.ts"
import * as RecordCache from "./jobs/record-cache.ts"
import { forgetJob, removeJob } from "./jobs/remove.ts"
import { requireRoom } from "./jobs/tenant-room.ts"
import { NameIndex } from "./name-index.ts"
import { claimed } from "./records/idempotency.ts"
import type { WireOptions } from "./rows/benchmark-wire.ts"
import { recordRowOf, recordTexts, rendered } from "./rows/job-record.ts"

/** tasks that one statement stores: those of a submission are alike */
const areAlike = (job: Job, tasks: ReadonlyArray<NewTask>): boolean =>
  tasks.every(({ kind, tenant, jobId }) => kind === tasks[0]?.kind && tenant === job.tenant && jobId === job.id)

const insertWithin = (session: Session, context: JobContext, made: NewJob) =>
  session.dialect === "pg" && areAlike(made.job, made.tasks)
    ? insertJobAtOnce(session, context, made)
    : insertJobRows(session, context, made)

/** the record of a job that is stored now: what a read would give, without one */
const firstRecord = ({ job, texts }: NewJob, wire: WireOptions) => rendered(recordRowOf(job, 1, wire, texts), wire)

/** the text of the answer is kept under the claim */
const insertClaimed = (
  session: Session,
  context: JobContext,
  made: NewJob,
  claim: IdempotencyClaim,
  limits: TenantLimits
) =>
  claimed(
    session,
    claim,
    context.now,
    made.job.id,
    requireRoom(session, made.job, limits).pipe(
      Effect.zipRight(insertWithin(session, context, made)),
      Effect.map(() => firstRecord(made, context.wire).json)
    )
  )

const unwritable = ({ peer, operation, cause }: Unavailable) =>
  new Unavailable({ peer, operation, reason: "does not answer, or cannot be written", cause })

const make = (wire: WireOptions) =>
  Effect.gen(function* () {
    const database = yield* Database
    const { changed: onChange, tasked: onTask } = yield* Announcements
    const cache = RecordCache.make()
    const batches = eventBatch(wire)
    const { isReady: hasNameIndex } = yield* NameIndex
    const reading: JobContext = { wire, now: "", hasNameIndex, onChange, onTask }
    /** the time is read once, outside the transaction, which may run again */
    const timed = <A, E>(use: (context: JobContext) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.flatMap(Clock.currentTimeMillis, (millis) => use({ ...reading, now: new Date(millis).toISOString() }))
    // whoever asks at the same time is answered by the same look
    const ping = yield* Effect.cachedWithTTL(
      Effect.zipRight(database.present, Effect.mapError(writeProbe(database, "ping"), unwritable)),
      "1 second"
    )
    return JobStore.of({
      insert: (job, tasks, limits) =>
        timed((context) => {
          const made = { job, tasks, texts: recordTexts(job, wire) }
          const body = (session: Session) => insertWithin(session, context, made)
          const limited = (session: Session) => Effect.zipRight(requireRoom(session, job, limits ?? {}), body(session))
          const stored =
            limits?.maxQueued === undefined && areAlike(job, tasks)
              ? database.writeOne("insertJob", body)
              : database.write("insertJob", limited)
          return Effect.map(stored, () => firstRecord(made, wire))
        }),
      insertOnce: (job, tasks, claim, limits = {}) =>
        timed((context) => {
          const made = { job, tasks, texts: recordTexts(job, wire) }
          return database.write("insertJob", (session) => insertClaimed(session, context, made, claim, limits))
        }),
      load: (tenant, id) =>
        Effect.map(
          database.read("loadJob", (session) => loadJob(session, tenant, id, false)),
          ({ job }) => job
        ),
      loadBenchmark: (jobId, index) =>
        database.read("loadBenchmark", (session) => loadBenchmark(session, jobId, index)),
      indexOf: (jobId, select) => database.read("indexOf", (session) => indexOf(session, jobId, select)),
      render: (tenant, id) =>
        database.read("renderJob", (session) => renderCached(session, reading, cache, tenant, id)),
      page: (tenant, query, fields) =>
        database.readLong("pageJobs", (session) => pageJobs(session, reading, cache, tenant, query, fields)),
      changeBenchmark: (target, decide, score) =>
        timed((context) => {
          const { jobId, select } = target
          const change = (session: Session, batch?: EventBatch) =>
            changeBenchmark(session, context, target, decide, score, batch)
          return "index" in select
            ? database.writeTogether(
                "changeBenchmark",
                jobId,
                { how: batches, want: { jobId, index: select.index } },
                change
              )
            : database.write("changeBenchmark", (session) => change(session), jobId)
        }),
      changeJob: (tenant, id, decide) =>
        timed((context) =>
          database.write("changeJob", (session) => changeJob(session, context, tenant, id, decide), id)
        ),
      remove: (tenant, id, decide, used) =>
        timed((context) =>
          database.write("removeJob", (session) => removeJob(session, context, tenant, id, decide, used), id)
        ),
      forget: (jobId) => database.write("forgetJob", (session) => forgetJob(session, jobId)),
      live: (after, limit) => database.read("liveBenchmarks", (session) => liveBenchmarks(session, after, limit)),
      ping
    })
  })

export const layer = (options: WireOptions): Layer.Layer<JobStore, never, Database | Announcements | NameIndex> =>
  Layer.effect(JobStore, make(options))
