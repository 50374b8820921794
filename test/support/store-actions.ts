/** What the use cases do with the store, as short calls. */
import { Clock, Effect, Either } from "effect"
import { type BenchmarkDecision, JobStore } from "../../application/ports/stores/job-store.ts"
import type { NewTask } from "../../application/ports/task-queue.ts"
import { decideCancel } from "../../domain/job/cancellation.ts"
import type { Benchmark, Job, JobHead } from "../../domain/job/job.ts"
import { jobTest } from "../../domain/job/job-score.ts"
import { headOf } from "../../domain/job/job-state.ts"
import { decideEvent, type StatusEvent } from "../../domain/job/status-event.ts"

const nowIso = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis).toISOString())

const decideWith =
  (event: StatusEvent, now: string) =>
  (head: JobHead, benchmark: Benchmark): Either.Either<BenchmarkDecision, { readonly _tag: string }> =>
    Either.map(decideEvent(head, benchmark, event, now, { deferTrackerFailure: true }), (change) =>
      change._tag === "Unchanged" ? change : { ...change, tasks: [] }
    )

/** posts an event as the events use case does */
export const report = (jobId: string, event: StatusEvent, tenant?: string) =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const now = yield* nowIso
    const target = tenant === undefined ? { jobId } : { jobId, tenant }
    const select =
      event.index === undefined
        ? {
            benchmarkId: event.benchmarkId,
            ...(event.providerId === undefined ? {} : { providerId: event.providerId })
          }
        : { index: event.index }
    return yield* store.changeBenchmark({ ...target, select }, decideWith(event, now), jobTest)
  })

export const cleanupTask = (job: Pick<Job, "id" | "tenant">): NewTask => ({
  kind: "cleanup",
  key: job.id,
  jobId: job.id,
  tenant: job.tenant,
  order: 0
})

/** cancels as the cancel use case does */
export const cancel = (tenant: string, id: string) =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const now = yield* nowIso
    return yield* store.changeJob(tenant, id, (job) =>
      Either.map(decideCancel(job, now), (decision) =>
        decision._tag === "Unchanged"
          ? { head: headOf(job), benchmarks: [], tasks: [] }
          : { head: decision.head, benchmarks: decision.benchmarks, tasks: [cleanupTask(job)] }
      )
    )
  })

export const remove = (tenant: string, id: string) =>
  Effect.flatMap(JobStore, (store) => store.remove(tenant, id, (job) => Either.right([cleanupTask(job)])))

export const renderedJob = (tenant: string, id: string) =>
  Effect.map(
    Effect.flatMap(JobStore, (store) => store.render(tenant, id)),
    ({ json }) => JSON.parse(json) as RenderedRecord
  )

/** the members of a record that tests look at */
export interface RenderedRecord {
  readonly resource: { readonly [member: string]: unknown }
  readonly status: {
    readonly state: string
    readonly message: { readonly [member: string]: unknown }
    readonly benchmarks: ReadonlyArray<{ readonly [member: string]: unknown }>
  }
  readonly results: {
    readonly benchmarks: ReadonlyArray<{ readonly [member: string]: unknown }>
    readonly test?: { readonly score: number }
    readonly [member: string]: unknown
  }
  readonly [member: string]: unknown
}
