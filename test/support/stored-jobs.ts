/** Jobs as they are stored, small unless told otherwise, the same on every run. */

import type { NewTask } from "../../application/ports/task-queue.ts"
import type { Benchmark, BenchmarkEntry, Job, JobRequest } from "../../domain/job/job.ts"
import { countsOf } from "../../domain/job/job-state.ts"
import type { StatusEvent } from "../../domain/job/status-event.ts"

export interface JobOptions {
  readonly id: string
  readonly tenant: string
  readonly benchmarks?: number
  readonly createdAt?: string
  readonly owner?: string
  readonly request?: Partial<JobRequest>
  readonly trackerExperimentId?: string
  readonly entry?: (index: number) => Partial<BenchmarkEntry>
}

/** `aaaaaaaa-0000-7000-8000-00000000002a` for 42: sorts like the number */
export const jobId = (number: number): string => `aaaaaaaa-0000-7000-8000-${number.toString(16).padStart(12, "0")}`

const benchmarkOf = (entry: BenchmarkEntry, index: number): Benchmark => ({
  index,
  entry,
  snapshot: {
    weight: entry.weight ?? 1,
    primaryScore: { metric: "accuracy", lowerIsBetter: false, source: "provider" },
    threshold: { value: 0.5, source: "provider" },
    runtime: { local: { command: "run-adapter" } },
    resources: {
      cpuRequest: { value: "250m", source: "built_in" },
      memoryRequest: { value: "512Mi", source: "built_in" },
      cpuLimit: { value: "1", source: "built_in" },
      memoryLimit: { value: "2Gi", source: "built_in" }
    }
  },
  attempt: 1,
  state: "pending"
})

export const makeJob = (options: JobOptions): Job => {
  const entries = Array.from(
    { length: options.benchmarks ?? 2 },
    (_, index): BenchmarkEntry => ({ id: `bench-${index}`, providerId: "demo", ...options.entry?.(index) })
  )
  const benchmarks = entries.map(benchmarkOf)
  const createdAt = options.createdAt ?? "2026-01-01T00:00:00.000Z"
  const name = options.request?.name ?? "nightly"
  const model = options.request?.model ?? { url: "http://127.0.0.1:9/v1", name: "demo-model" }
  return {
    id: options.id,
    tenant: options.tenant,
    ...(options.owner === undefined ? {} : { owner: options.owner }),
    ...(options.trackerExperimentId === undefined ? {} : { trackerExperimentId: options.trackerExperimentId }),
    createdAt,
    updatedAt: createdAt,
    name,
    state: "pending",
    message: { message: "created", code: "evaluation_job_created", origin: "server" },
    counts: countsOf(benchmarks),
    model,
    threshold: 0.5,
    request: { ...options.request, name, model, benchmarks: entries },
    benchmarks
  }
}

export const launchTasks = (job: Job): ReadonlyArray<NewTask> =>
  job.benchmarks.map(({ index, attempt }) => ({
    kind: "launch",
    key: `${job.id}/${index}/${attempt}`,
    jobId: job.id,
    tenant: job.tenant,
    index,
    order: index
  }))

export const completedEvent = (index: number, accuracy = 0.75): StatusEvent => ({
  benchmarkId: `bench-${index}`,
  providerId: "demo",
  index,
  status: "completed",
  metrics: { accuracy },
  digest: `completed-${index}-${accuracy}`
})

export const failedEvent = (index: number): StatusEvent => ({
  benchmarkId: `bench-${index}`,
  index,
  status: "failed",
  error: { message: "it broke", code: "benchmark_failed", origin: "adapter" },
  digest: `failed-${index}`
})

export const runningEvent = (index: number): StatusEvent => ({
  benchmarkId: `bench-${index}`,
  index,
  status: "running",
  phase: "running_evaluation",
  digest: `running-${index}`
})
