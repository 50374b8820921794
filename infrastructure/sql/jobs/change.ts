/** Changing jobs: one benchmark at a cost that does not depend on the size of its job, or all of them. */

import { Effect, type Either } from "effect"
import type {
  BenchmarkChanged,
  BenchmarkDecision,
  BenchmarkSelector,
  JobDecision
} from "../../../application/ports/stores/job-store.ts"
import type { NewTask } from "../../../application/ports/task-queue.ts"
import type { Benchmark, Job, JobHead, JobTest } from "../../../domain/job/job.ts"
import { isTerminalJob } from "../../../domain/job/job-state.ts"
import { defined } from "../../../values/defined.ts"
import { breath } from "../../in-process/in-steps.ts"
import * as ChangeLog from "../changes/change-log.ts"
import type { Session } from "../connection/session.ts"
import * as BenchmarkRow from "../rows/benchmark-row.ts"
import { labelValue } from "../rows/job-labels.ts"
import { etagOf } from "../rows/job-record.ts"
import * as JobRow from "../rows/job-row.ts"
import { enqueue } from "../tasks/enqueue.ts"
import { insertLabels, type JobContext } from "./context.ts"
import type { EventBatch } from "./event-batch.ts"
import { benchmarkRows, loadJob, lockedBenchmark } from "./read.ts"
import { writeUsage } from "./write-usage.ts"

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

/** rows per statement: they are written in one turn of the loop, between two of which others are served */
const chunk = 100

const updateMany = (
  rows: number
) => `UPDATE job_benchmarks SET state = v.column2, status = v.column3, result = v.column4, data = v.column5
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
      if (start > 0) yield* breath
      const part = benchmarks.slice(start, start + chunk)
      yield* session.write(updateMany(part.length), [
        ...part.flatMap((benchmark) => [benchmark.index, ...BenchmarkRow.changedColumns(benchmark, context.wire)]),
        key
      ])
    }
  })

/** within a batch: written with what the other events change */
const keepRows = (
  session: Session,
  context: JobContext,
  batch: EventBatch,
  { key, head, benchmarks }: Written
): void => {
  session.keep()
  for (const benchmark of benchmarks) batch.keep({ key, benchmark, head })
  // the number is not needed: on PostgreSQL changes are heard of by reading the log
  session.afterCommit(() => context.onChange({ tenant: head.tenant, jobId: head.id, kind: "updated", sequence: 0 }))
}

const writeRows = (session: Session, context: JobContext, { key, head, benchmarks }: Written) =>
  Effect.gen(function* () {
    const change = { tenant: head.tenant, jobId: head.id, kind: "updated" as const }
    const [benchmark] = benchmarks
    if (session.dialect === "pg" && benchmark !== undefined && benchmarks.length === 1) {
      const params = [
        ...BenchmarkRow.changedColumns(benchmark, context.wire),
        key,
        benchmark.index,
        head.tenant,
        head.id,
        ...JobRow.changedColumns(head),
        key
      ]
      yield* session.write(updateAll, params)
      // the number is not needed: on PostgreSQL changes are heard of by reading the log
      session.afterCommit(() => context.onChange({ ...change, sequence: 0 }))
      return
    }
    yield* writeBenchmarks(session, context, key, benchmarks)
    yield* session.write(updateJob, [...JobRow.changedColumns(head), key])
    yield* ChangeLog.append(session, change, context.onChange)
  })

const store = (session: Session, context: JobContext, written: Written, batch?: EventBatch) =>
  Effect.gen(function* () {
    const { key, before, head, tasks } = written
    if (batch === undefined) yield* writeRows(session, context, written)
    else keepRows(session, context, batch, written)
    if (head.state !== before.state) {
      session.count({ tenant: head.tenant, state: before.state, jobKey: key }, -1)
      session.count({ tenant: head.tenant, state: head.state, jobKey: key }, 1)
    }
    if (head.trackerExperimentId !== undefined && head.trackerExperimentId !== before.trackerExperimentId) {
      yield* insertLabels(session, key, head, [{ kind: "experiment", value: labelValue(head.trackerExperimentId) }])
    }
    if (tasks.length > 0) yield* enqueue(session, tasks, context.now, context.onTask)
  })

interface Target {
  readonly tenant?: string
  readonly jobId: string
  readonly select: BenchmarkSelector
}

/** from the batch when it has them; what it has not found is looked for again, to tell what is missing */
const locked = (session: Session, { tenant, jobId, select }: Target, batch: EventBatch | undefined) => {
  const found = "index" in select ? batch?.find({ jobId, index: select.index }, tenant) : undefined
  if (found !== undefined)
    return Effect.succeed({ key: found.job.key, before: found.job.head, benchmark: found.benchmark, kept: batch })
  return Effect.map(lockedBenchmark(session, { ...defined({ tenant }), jobId, select }), (row) => ({
    ...{ key: row.key, before: JobRow.headOfRow(row), kept: undefined },
    benchmark: BenchmarkRow.benchmarkOfRow({ ...row, state: row.benchmark_state })
  }))
}

export const changeBenchmark = <E>(
  session: Session,
  context: JobContext,
  target: Target,
  decide: (head: JobHead, benchmark: Benchmark) => Either.Either<BenchmarkDecision, E>,
  score: (head: JobHead, benchmarks: ReadonlyArray<Benchmark>) => JobTest | undefined,
  batch?: EventBatch
) =>
  Effect.gen(function* () {
    const { key, before, benchmark, kept } = yield* locked(session, target, batch)
    const decision = yield* decide(before, benchmark)
    if (decision._tag === "Unchanged") return { applied: false, head: before, benchmark } satisfies BenchmarkChanged
    if (decision._tag === "Noted") {
      if (kept === undefined) yield* writeBenchmarks(session, context, key, [decision.benchmark])
      else {
        session.keep()
        kept.keep({ key, benchmark: decision.benchmark })
      }
      if (decision.tasks.length > 0) yield* enqueue(session, decision.tasks, context.now, context.onTask)
      return { applied: true, head: before, benchmark: decision.benchmark } satisfies BenchmarkChanged
    }
    const ends = isTerminalJob(decision.head.state) && !isTerminalJob(before.state)
    const test = ends ? score(decision.head, yield* withChanged(session, key, decision.benchmark, kept)) : undefined
    const head: JobHead = test === undefined ? decision.head : { ...decision.head, test }
    yield* store(session, context, { key, before, head, benchmarks: [decision.benchmark], tasks: decision.tasks }, kept)
    yield* writeUsage(session, head, [[benchmark, decision.benchmark]])
    return { applied: true, head, benchmark: decision.benchmark } satisfies BenchmarkChanged
  })

/** all benchmarks of the job, the changed one in place of its old record */
const withChanged = (session: Session, jobKey: number, changed: Benchmark, batch: EventBatch | undefined) =>
  Effect.map(benchmarkRows(session, jobKey), (rows) => {
    const stored = rows.map(BenchmarkRow.benchmarkOfRow)
    return (batch?.withChanges(jobKey, stored) ?? stored).map((benchmark) =>
      benchmark.index === changed.index ? changed : benchmark
    )
  })

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
    const nothing =
      benchmarks.length === 0 && tasks.length === 0 && head.updatedAt === job.updatedAt && head.state === job.state
    if (!nothing) yield* store(session, context, { key, before: job, head, benchmarks, tasks })
    yield* writeUsage(
      session,
      head,
      benchmarks.map((one) => [job.benchmarks[one.index], one])
    )
    return head
  })
