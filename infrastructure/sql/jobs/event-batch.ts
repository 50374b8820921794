/**
 * Events that share a transaction on PostgreSQL: their rows are read and locked by one statement, and written by another, however many
 * they are. In between every event is decided on what the events before it left, as if each had been stored.
 */
import { Effect } from "effect"
import type { Benchmark, JobHead } from "../../../domain/job/job.ts"
import { columnsOf, type Param, type Session } from "../connection/session.ts"
import type { Together } from "../connection/transaction.ts"
import * as BenchmarkRow from "../rows/benchmark-row.ts"
import type { WireOptions } from "../rows/benchmark-wire.ts"
import * as JobRow from "../rows/job-row.ts"
import { type JoinedRow, selectJoined } from "./read.ts"

/** one benchmark, by its index: what a batch can read ahead */
export interface Wanted {
  readonly jobId: string
  readonly index: number
}

interface OneJob {
  readonly key: number
  head: JobHead
  /** changes of the head: each raises the version */
  steps: number
}

interface OneBenchmark {
  readonly job: OneJob
  benchmark: Benchmark
  isChanged: boolean
}

interface Change {
  readonly key: number
  readonly benchmark: Benchmark
  /** absent: the job is as it was */
  readonly head?: JobHead
}

export interface EventBatch {
  /** what is stored, or will be; undefined when there is no such benchmark, or the job belongs to another tenant */
  readonly find: (wanted: Wanted, tenant: string | undefined) => OneBenchmark | undefined
  /** all benchmarks of the job as they will be stored */
  readonly withChanges: (jobKey: number, stored: ReadonlyArray<Benchmark>) => ReadonlyArray<Benchmark>
  /** kept until the end of the batch */
  readonly keep: (change: Change) => void
}

const readAll = `${selectJoined("unnest(?::text[], ?::int[]) t (job_id, wanted) JOIN jobs j ON j.id = t.job_id JOIN job_benchmarks b ON b.job_key = j.key AND b.idx = t.wanted")}
  ORDER BY j.id, b.idx FOR NO KEY UPDATE OF j, b`

const benchmarkColumns = ["job_key", "idx", ...BenchmarkRow.changedNames]
const benchmarkTypes = ["int", "int", ...BenchmarkRow.changedNames.map(() => "text")]
const jobColumns = ["key", "steps", ...JobRow.changedNames]
const jobTypes = ["int", "int", ...JobRow.changedNames.map((name) => (JobRow.countNames.has(name) ? "int" : "text"))]

const unnested = (types: ReadonlyArray<string>) => `unnest(${types.map((type) => `?::${type}[]`).join(", ")})`
const assigned = (names: ReadonlyArray<string>) => names.map((name) => `${name} = v.${name}`).join(", ")

const writeAll = `WITH benchmarks AS (UPDATE job_benchmarks SET ${assigned(BenchmarkRow.changedNames)}
    FROM ${unnested(benchmarkTypes)} v (${benchmarkColumns.join(", ")}) WHERE job_benchmarks.job_key = v.job_key AND job_benchmarks.idx = v.idx),
  noted AS (INSERT INTO changes (tenant, job_id, kind) SELECT v.tenant, v.job_id, 'updated' FROM ${unnested(["text", "text"])} v (tenant, job_id))
  UPDATE jobs SET ${assigned(JobRow.changedNames)}, version = version + v.steps FROM ${unnested(jobTypes)} v (${jobColumns.join(", ")}) WHERE jobs.key = v.key`

interface State extends EventBatch {
  readonly jobs: ReadonlyMap<number, OneJob>
  readonly benchmarks: Iterable<OneBenchmark>
  readonly heads: ReadonlyArray<JobHead>
}

const nameOf = (jobId: string, index: number): string => `${jobId} ${index}`

const stateOf = (rows: ReadonlyArray<JoinedRow>): State => {
  const jobs = new Map<number, OneJob>()
  const found = new Map<string, OneBenchmark>()
  const byKey = new Map<string, OneBenchmark>()
  const heads: Array<JobHead> = []
  for (const row of rows) {
    const job = jobs.get(row.key) ?? { key: row.key, head: JobRow.headOfRow(row), steps: 0 }
    jobs.set(row.key, job)
    const one = {
      job,
      benchmark: BenchmarkRow.benchmarkOfRow({ ...row, state: row.benchmark_state }),
      isChanged: false
    }
    found.set(nameOf(row.id, row.idx), one)
    byKey.set(nameOf(String(row.key), row.idx), one)
  }
  return {
    jobs,
    heads,
    benchmarks: found.values(),
    find: ({ jobId, index }, tenant) => {
      const one = found.get(nameOf(jobId, index))
      return one === undefined || (tenant !== undefined && one.job.head.tenant !== tenant) ? undefined : one
    },
    withChanges: (jobKey, stored) =>
      stored.map((benchmark) => byKey.get(nameOf(String(jobKey), benchmark.index))?.benchmark ?? benchmark),
    keep: ({ key, benchmark, head }) => {
      const one = byKey.get(nameOf(String(key), benchmark.index))
      if (one === undefined) throw new Error("a benchmark that was not read cannot be changed")
      one.benchmark = benchmark
      one.isChanged = true
      if (head === undefined) return
      one.job.head = head
      one.job.steps++
      heads.push(head)
    }
  }
}

/** the same for every event of a store */
export const eventBatch = (wire: WireOptions): Together<Wanted, State> => ({
  prepare: (session: Session, wanted) => {
    const distinct = [...new Map(wanted.map((one) => [nameOf(one.jobId, one.index), one])).values()]
    return Effect.map(
      session.query<JoinedRow>(readAll, [distinct.map(({ jobId }) => jobId), distinct.map(({ index }) => index)]),
      stateOf
    )
  },
  finish: (session, { benchmarks, jobs, heads }) => {
    const changed = [...benchmarks].filter(({ isChanged }) => isChanged)
    if (changed.length === 0) return Effect.void
    const ofBenchmarks = changed.map(
      ({ job, benchmark }): ReadonlyArray<Param> => [
        job.key,
        benchmark.index,
        ...BenchmarkRow.changedColumns(benchmark, wire)
      ]
    )
    const ofJobs = [...jobs.values()]
      .filter(({ steps }) => steps > 0)
      .map(({ key, head, steps }) => [key, steps, ...JobRow.changedColumns(head)])
    const ofLog = heads.map(({ tenant, id }) => [tenant, id])
    return Effect.asVoid(
      session.write(writeAll, [
        ...columnsOf(ofBenchmarks, benchmarkColumns.length),
        ...columnsOf(ofLog, 2),
        ...columnsOf(ofJobs, jobColumns.length)
      ])
    )
  }
})
