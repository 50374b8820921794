/** Changing jobs: one benchmark at a cost that does not depend on the size of its job, or all of them. */
import { Effect, type Either } from "effect"
import type { BenchmarkChanged, BenchmarkDecision, BenchmarkSelector, JobDecision } from "../../../application/ports/job-store.ts"
import type { NewTask } from "../../../application/ports/task-queue.ts"
import type { Benchmark, Job, JobHead, JobTest } from "../../../domain/job/job.ts"
import { isTerminalJob } from "../../../domain/job/job-state.ts"
import * as ChangeLog from "../change-log.ts"
import { enqueue } from "../enqueue.ts"
import * as BenchmarkRow from "../rows/benchmark-row.ts"
import { labelValue } from "../rows/job-labels.ts"
import { etagOf } from "../rows/job-record.ts"
import * as JobRow from "../rows/job-row.ts"
import type { Session } from "../session.ts"
import { insertLabels, type JobContext } from "./context.ts"
import { benchmarkRows, loadJob, lockedBenchmark } from "./read.ts"

const updateJob = `UPDATE jobs SET ${JobRow.changedAssignments} WHERE key = ?`
const updateBenchmark = `UPDATE job_benchmarks SET ${BenchmarkRow.changedAssignments} WHERE job_key = ? AND idx = ?`

/** an event in one round trip */
const updateAll = `WITH benchmark AS (${updateBenchmark}), change AS (INSERT INTO changes (tenant, job_id, kind) VALUES (?, ?, 'updated')) ${updateJob}`

interface Written {
  readonly key: number
  readonly before: JobHead
  readonly head: JobHead
  readonly benchmarks: ReadonlyArray<Benchmark>
  readonly tasks: ReadonlyArray<NewTask>
}

/** rows per statement: bounded by the number of parameters a statement may have */
const chunk = 200

const updateMany = (rows: number) => `UPDATE job_benchmarks SET state = v.column2, status = v.column3, result = v.column4, data = v.column5
  FROM (VALUES ${Array.from({ length: rows }, () => "(CAST(? AS INTEGER), ?, ?, CAST(? AS TEXT), ?)").join(", ")}) v
  WHERE job_benchmarks.job_key = ? AND job_benchmarks.idx = v.column1`

const writeBenchmarks = (session: Session, context: JobContext, key: number, benchmarks: ReadonlyArray<Benchmark>) =>
  Effect.gen(function* () {
    const [one] = benchmarks
    if (one !== undefined && benchmarks.length === 1) {
      yield* session.write(updateBenchmark, [...BenchmarkRow.changedColumns(one, context.wire), key, one.index])
      return
    }
    for (let start = 0; start < benchmarks.length; start += chunk) {
      const part = benchmarks.slice(start, start + chunk)
      yield* session.write(updateMany(part.length), [
        ...part.flatMap((benchmark) => [benchmark.index, ...BenchmarkRow.changedColumns(benchmark, context.wire)]),
        key
      ])
    }
  })

const writeRows = (session: Session, context: JobContext, { key, head, benchmarks }: Written) =>
  Effect.gen(function* () {
    const change = { tenant: head.tenant, jobId: head.id, kind: "updated" as const }
    const [benchmark] = benchmarks
    if (session.dialect === "pg" && benchmark !== undefined && benchmarks.length === 1) {
      const params = [...BenchmarkRow.changedColumns(benchmark, context.wire), key, benchmark.index, head.tenant, head.id, ...JobRow.changedColumns(head), key]
      yield* session.write(updateAll, params)
      // the number is not needed: on PostgreSQL changes are heard of by reading the log
      session.afterCommit(() => context.onChange({ ...change, sequence: 0 }))
      return
    }
    yield* writeBenchmarks(session, context, key, benchmarks)
    yield* session.write(updateJob, [...JobRow.changedColumns(head), key])
    yield* ChangeLog.append(session, change, context.onChange)
  })

const store = (session: Session, context: JobContext, written: Written) =>
  Effect.gen(function* () {
    const { key, before, head, tasks } = written
    yield* writeRows(session, context, written)
    if (head.state !== before.state) {
      session.count({ tenant: head.tenant, state: before.state, jobKey: key }, -1)
      session.count({ tenant: head.tenant, state: head.state, jobKey: key }, 1)
    }
    if (head.trackerExperimentId !== undefined && head.trackerExperimentId !== before.trackerExperimentId) {
      yield* insertLabels(session, key, head, [{ kind: "experiment", value: labelValue(head.trackerExperimentId) }])
    }
    if (tasks.length > 0) yield* enqueue(session, tasks, context.now, context.onTask)
  })

export const changeBenchmark = <E>(
  session: Session,
  context: JobContext,
  target: { readonly tenant?: string; readonly jobId: string; readonly select: BenchmarkSelector },
  decide: (head: JobHead, benchmark: Benchmark) => Either.Either<BenchmarkDecision, E>,
  score: (head: JobHead, benchmarks: ReadonlyArray<Benchmark>) => JobTest | undefined
) =>
  Effect.gen(function* () {
    const row = yield* lockedBenchmark(session, target)
    const before = JobRow.headOfRow(row)
    const benchmark = BenchmarkRow.benchmarkOfRow({ ...row, state: row.benchmark_state })
    const decision = yield* decide(before, benchmark)
    if (decision._tag === "Unchanged") return { applied: false, head: before, benchmark } satisfies BenchmarkChanged
    if (decision._tag === "Noted") {
      yield* writeBenchmarks(session, context, row.key, [decision.benchmark])
      if (decision.tasks.length > 0) yield* enqueue(session, decision.tasks, context.now, context.onTask)
      return { applied: true, head: before, benchmark: decision.benchmark } satisfies BenchmarkChanged
    }
    const ends = isTerminalJob(decision.head.state) && !isTerminalJob(before.state)
    const test = ends ? score(decision.head, yield* withChanged(session, row.key, decision.benchmark)) : undefined
    const head: JobHead = test === undefined ? decision.head : { ...decision.head, test }
    yield* store(session, context, { key: row.key, before, head, benchmarks: [decision.benchmark], tasks: decision.tasks })
    return { applied: true, head, benchmark: decision.benchmark } satisfies BenchmarkChanged
  })

/** all benchmarks of the job, the changed one in place of its old record */
const withChanged = (session: Session, jobKey: number, changed: Benchmark) =>
  Effect.map(benchmarkRows(session, jobKey), (rows) => rows.map((row) => (row.idx === changed.index ? changed : BenchmarkRow.benchmarkOfRow(row))))

export const changeJob = <E>(
  session: Session,
  context: JobContext,
  tenant: string,
  id: string,
  decide: (job: Job, etag: string) => Either.Either<JobDecision, E>
) =>
  Effect.gen(function* () {
    const { key, version, job } = yield* loadJob(session, tenant, id, true)
    const { head, benchmarks, tasks } = yield* decide(job, etagOf({ version }, context.wire))
    const nothing = benchmarks.length === 0 && tasks.length === 0 && head.updatedAt === job.updatedAt && head.state === job.state
    if (!nothing) yield* store(session, context, { key, before: job, head, benchmarks, tasks })
    return head
  })
