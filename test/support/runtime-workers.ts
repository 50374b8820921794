/** The workers of a server on a real store and a scripted runtime, driven by the test clock. */
import { Effect, Layer } from "effect"
import { JobStore } from "../../application/ports/stores/job-store.ts"
import { launchTask } from "../../application/runtime/tasks.ts"
import type { Job } from "../../domain/job/job.ts"
import * as ScriptedRuntime from "./scripted-runtime.ts"
import { sqliteMemory } from "./storage.ts"
import { type JobOptions, jobId, makeJob } from "./stored-jobs.ts"

export const layer = Layer.merge(sqliteMemory, ScriptedRuntime.layer)

export const lease = { holder: "test", leaseMillis: 30_000, pollMillis: 1000 } as const

/** stores a job with its launch tasks, as a submission does */
export const submit = (
  given: Partial<JobOptions> & { readonly number?: number } = {}
): Effect.Effect<Job, never, JobStore> =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const job = makeJob({
      id: jobId(given.number ?? 1),
      tenant: "default",
      benchmarks: 1,
      createdAt: "1970-01-01T00:00:00.000Z",
      ...given
    })
    yield* Effect.orDie(
      store.insert(
        job,
        job.benchmarks.map((benchmark) => launchTask(job, benchmark))
      )
    )
    return job
  })

export const load = (job: Job) => Effect.flatMap(JobStore, (store) => Effect.orDie(store.load(job.tenant, job.id)))

export const benchmarkOf = (job: Job, index = 0) => Effect.map(load(job), ({ benchmarks }) => benchmarks[index])

export const unitIn = (job: Job, index = 0) => ({ tenant: job.tenant, jobId: job.id, index, attempt: 1 })
