/**
 * Stores a new job with its benchmarks and one launch task per benchmark, in one transaction. Launching happens after the commit, driven
 * by the tasks, so that a crash at any point loses nothing. Reference: api.md, "Submitting a job".
 */
import { Effect } from "effect"
import type { Job, JobRequest } from "../../domain/job/job.ts"
import type { Sentence } from "../../domain/sentence.ts"
import type { Caller } from "../access/caller.ts"
import { gateTask } from "../decisions/job-gate.ts"
import { addressesOf, notifyTask } from "../notifications/notify.ts"
import { type OnceKey, once } from "../once.ts"
import { ExperimentTracker } from "../ports/experiment-tracker.ts"
import { JobStore } from "../ports/stores/job-store.ts"
import { launchTask } from "../runtime/tasks.ts"
import { isOwn, prepareJob } from "./prepare-job.ts"
import { requireBytes, TenantRoom } from "./tenant-room.ts"
import { currentTraceparent } from "./trace-context.ts"

export interface Submitted {
  readonly id: string
  /** wire text of the record as it was stored */
  readonly json: string
  /** absent on a replay: the record may have changed since */
  readonly etag?: string
  readonly warnings: ReadonlyArray<Sentence>
  readonly replayed: boolean
}

/** the experiment is found or made before the job is stored: when that fails, nothing is */
const tracked = (job: Job) =>
  Effect.gen(function* () {
    const tracker = yield* ExperimentTracker
    const { experiment } = job.request
    if (tracker === undefined || experiment === undefined) return job
    const { id, url, workspace } = yield* tracker.ensure(job.tenant, experiment)
    const request = workspace === undefined ? job.request : { ...job.request, trackerWorkspace: workspace }
    return { ...job, request, trackerExperimentId: id, trackerExperimentUrl: url }
  })

const prepared = (caller: Caller, request: JobRequest, { notes, pause = Effect.void, complete }: SubmitOptions) =>
  Effect.gen(function* () {
    const { job, warnings } = yield* prepareJob(caller, request, notes, complete)
    yield* requireBytes(caller.tenant)
    yield* pause
    const traceparent = yield* currentTraceparent
    return {
      job: yield* tracked(traceparent === undefined ? job : { ...job, request: { ...job.request, traceparent } }),
      tasks: [
        ...job.benchmarks.filter(isOwn).map((benchmark) => launchTask(job, benchmark)),
        ...(job.request.gate === undefined ? [] : [gateTask(job)]),
        ...(addressesOf(job.request).length === 0 ? [] : [notifyTask(job)])
      ],
      warnings: warnings.map(({ message }) => message)
    }
  })

const stored = (tenant: string, id: string, warnings: ReadonlyArray<Sentence>) =>
  Effect.gen(function* () {
    const { json, etag } = yield* (yield* JobStore).render(tenant, id)
    const submitted: Submitted = { id, json, etag, warnings, replayed: false }
    return submitted
  })

export interface SubmitOptions {
  /** create at most once under this idempotency key */
  readonly key?: OnceKey | undefined
  /** what of the request is not stored as it was sent */
  readonly notes?: ReadonlyArray<string>
  /** stands between judging a request and storing it, so that a large one does not keep others waiting */
  readonly pause?: Effect.Effect<void>
  /** adds to the job what the request does not say */
  readonly complete?: (made: Job) => Job
}

/** stores the job, or answers what the same key stored before */
export const submitJob = Effect.fnUntraced(
  function* (caller: Caller, request: JobRequest, options: SubmitOptions = {}) {
    const store = yield* JobStore
    const { key } = options
    const { limits } = yield* TenantRoom
    if (key === undefined) {
      const { job, tasks, warnings } = yield* prepared(caller, request, options)
      // only the write: what was asked before must stay interruptible, or its time limits would not hold
      const { json, etag } = yield* Effect.uninterruptible(store.insert(job, tasks, limits))
      const submitted: Submitted = { id: job.id, json, etag, warnings, replayed: false }
      return submitted
    }
    const result = yield* once(caller, "job", key, (claim) =>
      Effect.gen(function* () {
        const { job, tasks, warnings } = yield* prepared(caller, request, options)
        return {
          outcome: yield* Effect.uninterruptible(store.insertOnce(job, tasks, claim, limits)),
          created: { id: job.id, warnings }
        }
      })
    )
    if (result._tag === "Created") return yield* stored(caller.tenant, result.created.id, result.created.warnings)
    const replay: Submitted = { id: result.kept.recordId, json: result.kept.answer, warnings: [], replayed: true }
    return replay
  },
  Effect.withSpan("jobs.submit", { captureStackTrace: false })
)
