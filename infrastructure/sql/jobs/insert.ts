/** A new job: one transaction with its benchmarks, labels, tasks and the first entry of the change log. */
import { Effect } from "effect"
import type { NewTask } from "../../../application/ports/task-queue.ts"
import type { Job } from "../../../domain/job/job.ts"
import * as ChangeLog from "../change-log.ts"
import { enqueue } from "../enqueue.ts"
import * as BenchmarkRow from "../rows/benchmark-row.ts"
import { labelsOf } from "../rows/job-labels.ts"
import * as JobRow from "../rows/job-row.ts"
import { requestWire } from "../rows/request-wire.ts"
import { marks, type Session, tuples } from "../session.ts"
import { insertLabels, type JobContext } from "./context.ts"

const insertJob = `INSERT INTO jobs (${JobRow.insertedColumns}) VALUES (${marks(JobRow.insertedCount)}) RETURNING key`

/** the request as it is stored; the entries lie with their benchmarks */
const requestData = ({ benchmarks: _benchmarks, ...rest }: Job["request"]): string => JSON.stringify(rest)

/** rows per statement: bounded by the number of parameters a statement may have */
const chunk = 200

export const insertJobRows = (session: Session, context: JobContext, job: Job, tasks: ReadonlyArray<NewTask>) =>
  Effect.gen(function* () {
    const [row] = yield* session.write<{ key: number }>(insertJob, JobRow.insertedValues(job))
    const key = row?.key ?? 0
    yield* session.write("INSERT INTO job_requests (job_key, wire, data) VALUES (?, ?, ?)", [key, requestWire(job.request), requestData(job.request)])
    for (let start = 0; start < job.benchmarks.length; start += chunk) {
      const part = job.benchmarks.slice(start, start + chunk)
      yield* session.write(
        `INSERT INTO job_benchmarks (${BenchmarkRow.insertedColumns}) VALUES ${tuples(part.length, BenchmarkRow.insertedCount)}`,
        part.flatMap((benchmark) => BenchmarkRow.insertedValues(key, benchmark, context.wire))
      )
    }
    yield* insertLabels(session, key, job, labelsOf(job))
    session.count({ tenant: job.tenant, state: job.state, jobKey: key }, 1)
    yield* enqueue(session, tasks, context.now, context.onTask)
    yield* ChangeLog.append(session, { tenant: job.tenant, jobId: job.id, kind: "created" }, context.onChange)
  })
