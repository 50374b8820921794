/** Jobs in a database. The statements lie in `jobs/`, the texts that go out are made in `rows/`. */
import { Clock, Effect, Layer } from "effect"
import { JobStore } from "../../application/ports/job-store.ts"
import type { Job } from "../../domain/job/job.ts"
import { Announcements } from "./announcements.ts"
import { Database } from "./client.ts"
import { claimed } from "./idempotency.ts"
import { changeBenchmark, changeJob } from "./jobs/change.ts"
import type { JobContext } from "./jobs/context.ts"
import { insertJobRows } from "./jobs/insert.ts"
import { pageJobs } from "./jobs/page.ts"
import { liveBenchmarks, loadBenchmark, loadJob, renderCached, renderJob } from "./jobs/read.ts"
import * as RecordCache from "./jobs/record-cache.ts"
import { forgetJob, removeJob } from "./jobs/remove.ts"
import type { WireOptions } from "./rows/benchmark-wire.ts"
import type { Session } from "./session.ts"

/** of a job stored in this transaction, so that it is there */
const recordText = (session: Session, context: JobContext, job: Job) =>
  renderJob(session, context, job.tenant, job.id).pipe(
    Effect.map(({ json }) => json),
    Effect.catchTag("NotFound", Effect.die)
  )

const make = (wire: WireOptions) =>
  Effect.gen(function* () {
    const database = yield* Database
    const { changed: onChange, tasked: onTask } = yield* Announcements
    const cache = RecordCache.make()
    const reading: JobContext = { wire, now: "", onChange, onTask }
    /** the time is read once, outside the transaction, which may run again */
    const timed = <A, E>(use: (context: JobContext) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.flatMap(Clock.currentTimeMillis, (millis) => use({ ...reading, now: new Date(millis).toISOString() }))
    return JobStore.of({
      insert: (job, tasks) => timed((context) => database.write("insertJob", (session) => insertJobRows(session, context, job, tasks))),
      insertOnce: (job, tasks, claim) =>
        timed((context) =>
          database.write("insertJob", (session) =>
            claimed(session, claim, context.now, job.id, Effect.zipRight(insertJobRows(session, context, job, tasks), recordText(session, context, job)))
          )
        ),
      load: (tenant, id) =>
        Effect.map(
          database.read("loadJob", (session) => loadJob(session, tenant, id, false)),
          ({ job }) => job
        ),
      loadBenchmark: (jobId, index) => database.read("loadBenchmark", (session) => loadBenchmark(session, jobId, index)),
      render: (tenant, id) => database.read("renderJob", (session) => renderCached(session, reading, cache, tenant, id)),
      page: (tenant, query) => database.read("pageJobs", (session) => pageJobs(session, reading, cache, tenant, query)),
      changeBenchmark: (target, decide, score) =>
        timed((context) => database.write("changeBenchmark", (session) => changeBenchmark(session, context, target, decide, score), target.jobId)),
      changeJob: (tenant, id, decide) => timed((context) => database.write("changeJob", (session) => changeJob(session, context, tenant, id, decide), id)),
      remove: (tenant, id, decide) => timed((context) => database.write("removeJob", (session) => removeJob(session, context, tenant, id, decide), id)),
      forget: (jobId) => database.write("forgetJob", (session) => forgetJob(session, jobId)),
      live: (after, limit) => database.read("liveBenchmarks", (session) => liveBenchmarks(session, after, limit)),
      ping: Effect.asVoid(database.read("ping", (session) => session.query("SELECT 1 AS one", [])))
    })
  })

export const layer = (options: WireOptions): Layer.Layer<JobStore, never, Database | Announcements> => Layer.effect(JobStore, make(options))
