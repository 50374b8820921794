/**
 * One benchmark as a row: its wire entries ready to go out, and the domain record in two parts, so that an event rewrites only
 * what changes.
 */
import type { Benchmark, BenchmarkSnapshot, BenchmarkState, Job } from "../../../domain/job/job.ts"
import type { Param } from "../connection/session.ts"
import { resultWire, statusWire, type WireOptions } from "./benchmark-wire.ts"
import type { RecordTexts } from "./job-record.ts"

export interface BenchmarkRow {
  readonly idx: number
  readonly state: BenchmarkState
  readonly data: string
  readonly spec: string
}

export const insertedColumns = "job_key, idx, state, benchmark_id, provider_id, status, result, data, spec"
export const insertedCount = 9

export const selectedColumns = (alias: string): string => `${alias}.idx, ${alias}.state, ${alias}.data, ${alias}.spec`

const changingPart = ({
  index: _index,
  state: _state,
  entry: _entry,
  snapshot: _snapshot,
  ...rest
}: Benchmark): string => JSON.stringify(rest)

/** columns that events change, in the order of `changedColumns` */
export const changedNames = ["state", "status", "result", "data"]

export const changedAssignments = changedNames.map((name) => `${name} = ?`).join(", ")

export const changedColumns = (benchmark: Benchmark, options: WireOptions): ReadonlyArray<Param> => [
  benchmark.state,
  statusWire(benchmark),
  resultWire(benchmark, options),
  changingPart(benchmark)
]

const snapshotTexts = new WeakMap<BenchmarkSnapshot, string>()

/** what is frozen stays as it is, and is what many jobs share: its text is made once */
const snapshotText = (snapshot: BenchmarkSnapshot): string => {
  const known = snapshotTexts.get(snapshot)
  if (known !== undefined) return known
  const text = JSON.stringify(snapshot)
  if (Object.isFrozen(snapshot)) snapshotTexts.set(snapshot, text)
  return text
}

/** in the order of `insertedColumns`, after the job's key; `status` and `result`: its wire entries */
const insertedValues = (benchmark: Benchmark, status: Param, result: Param): ReadonlyArray<Param> => [
  ...[benchmark.index, benchmark.state, benchmark.entry.id, benchmark.entry.providerId],
  ...[status, result, changingPart(benchmark)],
  `{"entry":${JSON.stringify(benchmark.entry)},"snapshot":${snapshotText(benchmark.snapshot)}}`
]

/** a row for each benchmark of a new job, in the order of `insertedColumns` after the job's key */
export const insertedRows = (
  { benchmarks }: Pick<Job, "benchmarks">,
  { statuses, results }: Pick<RecordTexts, "statuses" | "results">
): ReadonlyArray<ReadonlyArray<Param>> =>
  benchmarks.map((benchmark, at) => insertedValues(benchmark, statuses[at] ?? null, results[at] ?? null))

export const benchmarkOfRow = (row: BenchmarkRow): Benchmark => ({
  index: row.idx,
  state: row.state,
  ...(JSON.parse(row.spec) as Pick<Benchmark, "entry" | "snapshot">),
  ...(JSON.parse(row.data) as Omit<Benchmark, "index" | "state" | "entry" | "snapshot">)
})
