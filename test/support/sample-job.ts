/** Small, valid records of the job domain; a test names only what it is about. */
import type { Benchmark, BenchmarkSnapshot, Job } from "../../domain/job/job.ts"
import { aggregate, countsOf } from "../../domain/job/job-state.ts"
import { jobCreated } from "../../domain/job/message.ts"
import type { StatusEvent } from "../../domain/job/status-event.ts"

export const t0 = "2026-08-17T10:00:00.000Z"
/** the time this many seconds after `t0` */
export const second = (seconds: number): string => new Date(Date.parse(t0) + seconds * 1000).toISOString()

export const sampleSnapshot = (given: Partial<BenchmarkSnapshot> = {}): BenchmarkSnapshot => ({
  weight: 1,
  primaryScore: { metric: "acc", lowerIsBetter: false, source: "provider" },
  runtime: { local: { command: "run" } },
  resources: {
    cpuRequest: { value: "250m", source: "built_in" },
    memoryRequest: { value: "512Mi", source: "built_in" },
    cpuLimit: { value: "1", source: "built_in" },
    memoryLimit: { value: "2Gi", source: "built_in" }
  },
  ...given
})

export const sampleBenchmark = (given: Partial<Benchmark> = {}): Benchmark => ({
  index: 0,
  entry: { id: "b", providerId: "p" },
  snapshot: sampleSnapshot(),
  attempt: 1,
  state: "pending",
  ...given
})

/** a job made of these benchmarks; index, counts and state follow from them */
export const sampleJob = (given: ReadonlyArray<Partial<Benchmark>> = [{}]): Job => {
  const benchmarks = given.map((members, index) => sampleBenchmark({ ...members, index }))
  const model = { url: "http://model/v1", name: "m" }
  return {
    id: "job-1",
    tenant: "default",
    createdAt: t0,
    updatedAt: t0,
    name: "sample",
    state: aggregate(countsOf(benchmarks)),
    message: jobCreated(),
    counts: countsOf(benchmarks),
    model,
    threshold: 0.5,
    request: { name: "sample", model, benchmarks: benchmarks.map(({ entry }) => entry) },
    benchmarks
  }
}

export const sampleEvent = (given: Partial<StatusEvent> = {}): StatusEvent => ({
  benchmarkId: "b",
  providerId: "p",
  index: 0,
  status: "running",
  digest: "d1",
  ...given
})
