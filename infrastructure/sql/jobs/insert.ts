/**
 * A new job: one transaction with its benchmarks, labels, tasks and the first entry of the change log. On PostgreSQL it is one statement,
 * because each one costs a round trip and most of what a submission costs is round trips.
 */
import { Effect } from "effect"
import type { NewTask } from "../../../application/ports/task-queue.ts"
import type { Job } from "../../../domain/job/job.ts"
import * as ChangeLog from "../changes/change-log.ts"
import { timeParam, timeText } from "../connection/database-time.ts"
import { columnsOf, marks, type Session, textByRows, tuples } from "../connection/session.ts"
import { addToTotal, shards } from "../connection/transaction.ts"
import * as BenchmarkRow from "../rows/benchmark-row.ts"
import { labelsOf } from "../rows/job-labels.ts"
import type { RecordTexts } from "../rows/job-record.ts"
import * as JobRow from "../rows/job-row.ts"
import { dueAgain, enqueue, standing, insertedColumns as taskColumns } from "../tasks/enqueue.ts"
import { insertLabels, type JobContext, labelColumns } from "./context.ts"

const insertJob = `INSERT INTO jobs (${JobRow.insertedColumns}) VALUES (${marks(JobRow.insertedCount)}) RETURNING key`

/** the request as it is stored; the entries lie with their benchmarks */
const requestData = ({ benchmarks: _benchmarks, ...rest }: Job["request"]): string => JSON.stringify(rest)

const insertRequest = "INSERT INTO job_requests (job_key, wire, data) VALUES (?, ?, ?)"

const insertBenchmarks = textByRows(
  (rows) =>
    `INSERT INTO job_benchmarks (${BenchmarkRow.insertedColumns}) VALUES ${tuples(rows, BenchmarkRow.insertedCount)}`
)

/** rows per statement: bounded by the number of parameters a statement may have */
const chunk = 200

/** a job that is to be stored, with the texts that its answer is made of as well */
export interface NewJob {
  readonly job: Job
  readonly texts: RecordTexts
  readonly tasks: ReadonlyArray<NewTask>
}

export const insertJobRows = (session: Session, context: JobContext, { job, texts, tasks }: NewJob) =>
  Effect.gen(function* () {
    const [row] = yield* session.write<{ key: number }>(insertJob, JobRow.insertedValues(job))
    const key = row?.key ?? 0
    yield* session.write(insertRequest, [key, texts.request, requestData(job.request)])
    const rows = BenchmarkRow.insertedRows(job, texts)
    for (let start = 0; start < rows.length; start += chunk) {
      const part = rows.slice(start, start + chunk)
      yield* session.write(
        insertBenchmarks(part.length),
        part.flatMap((values) => [key, ...values])
      )
    }
    yield* insertLabels(session, key, job, labelsOf(job))
    session.count({ tenant: job.tenant, state: job.state, jobKey: key }, 1)
    yield* enqueue(session, tasks, context.now, context.onTask)
    yield* ChangeLog.append(session, { tenant: job.tenant, jobId: job.id, kind: "created" }, context.onChange)
  })

const atOnce = `WITH job AS (${insertJob}),
  request AS (INSERT INTO job_requests (job_key, wire, data) SELECT key, ?, ? FROM job),
  benchmarks AS (INSERT INTO job_benchmarks (${BenchmarkRow.insertedColumns})
    SELECT job.key, b.* FROM job, unnest(?::int[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[]) b),
  labels AS (INSERT INTO job_labels (${labelColumns})
    SELECT ?, l.kind, l.value, ?, ?, job.key FROM job, unnest(?::text[], ?::text[]) l (kind, value)),
  waiting AS (INSERT INTO tasks (${taskColumns})
    SELECT ?, t.key, ?, ?, t.idx, queue.rank + t.place, ${timeText("pg")}, 0, 0
    FROM unnest(?::text[], ?::int[], ?::float8[]) t (key, idx, place), (${standing}) queue ${dueAgain}),
  total AS (INSERT INTO job_counts (tenant, state, shard, jobs) SELECT ?, ?, key % ${shards.pg}, 1 FROM job ${addToTotal}),
  change AS (INSERT INTO changes (tenant, job_id, kind) VALUES (?, ?, 'created'))
  SELECT key FROM job`

/** PostgreSQL: the same in one statement, which need not be within a transaction. All tasks are the job's own and of one kind. */
export const insertJobAtOnce = (session: Session, context: JobContext, { job, texts, tasks }: NewJob) => {
  const { id, tenant, createdAt } = job
  const kind = tasks[0]?.kind ?? "launch"
  const labels = labelsOf(job).map((label) => [label.kind, label.value])
  const queued = tasks.map((task) => [task.key, task.index ?? null, task.order])
  const params = [
    ...JobRow.insertedValues(job),
    ...[texts.request, requestData(job.request)],
    ...columnsOf(BenchmarkRow.insertedRows(job, texts), BenchmarkRow.insertedCount - 1),
    ...[tenant, createdAt, id, ...columnsOf(labels, 2)],
    ...[kind, tenant, id, timeParam("pg", 0), ...columnsOf(queued, 3), kind, tenant, kind],
    ...[tenant, job.state],
    ...[tenant, id]
  ]
  return Effect.map(session.write(atOnce, params), () => {
    // the number is not needed: on PostgreSQL changes are heard of by reading the log
    session.afterCommit(() => context.onChange({ tenant, jobId: id, kind: "created", sequence: 0 }))
    if (tasks.length > 0) session.afterCommit(() => context.onTask(kind))
  })
}
