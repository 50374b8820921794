/** Hard delete: the rows go at once, a tombstone stays until the clean-up task has removed every runtime object. */
import { Effect, type Either } from "effect"
import type { NewTask } from "../../../application/ports/task-queue.ts"
import { isTerminal } from "../../../domain/job/benchmark-state.ts"
import type { Benchmark, Job } from "../../../domain/job/job.ts"
import * as ChangeLog from "../changes/change-log.ts"
import type { Session } from "../connection/session.ts"
import { labelsOf } from "../rows/job-labels.ts"
import { etagOf } from "../rows/job-record.ts"
import { dropSamples } from "../samples/remove-samples.ts"
import { enqueue } from "../tasks/enqueue.ts"
import type { JobContext } from "./context.ts"
import { loadJob } from "./read.ts"
import { keepUsage } from "./write-usage.ts"

export const removeJob = <E>(
  session: Session,
  context: JobContext,
  tenant: string,
  id: string,
  decide: (job: Job, etag: string) => Either.Either<ReadonlyArray<NewTask>, E>,
  used: (benchmark: Benchmark) => Benchmark = (benchmark) => benchmark
) =>
  Effect.gen(function* () {
    const { key, version, job } = yield* loadJob(session, tenant, id, true)
    const tasks = yield* decide(job, etagOf({ version }, context.wire))
    for (const { kind, value } of labelsOf(job)) {
      yield* session.write(
        "DELETE FROM job_labels WHERE tenant = ? AND kind = ? AND value = ? AND created_at = ? AND id = ?",
        [tenant, kind, value, job.createdAt, id]
      )
    }
    // those that ended have their rows
    const live = job.benchmarks.filter(({ state }) => !isTerminal(state))
    yield* keepUsage(session, job, live.map(used), context.now)
    yield* dropSamples(session, id)
    yield* session.write("DELETE FROM job_benchmarks WHERE job_key = ?", [key])
    yield* session.write("DELETE FROM job_requests WHERE job_key = ?", [key])
    yield* session.write("DELETE FROM jobs WHERE key = ?", [key])
    yield* session.write("DELETE FROM notifications WHERE job_id = ?", [id])
    session.count({ tenant, state: job.state, jobKey: key }, -1)
    yield* session.write(
      "INSERT INTO tombstones (job_id, tenant, removed_at) VALUES (?, ?, ?) ON CONFLICT (job_id) DO NOTHING",
      [id, tenant, context.now]
    )
    yield* enqueue(session, tasks, context.now, context.onTask)
    yield* ChangeLog.append(session, { tenant, jobId: id, kind: "deleted" }, context.onChange)
  })

/** idempotent; callback secrets of the job go with it */
export const forgetJob = (session: Session, id: string) =>
  Effect.gen(function* () {
    yield* session.write("DELETE FROM unit_secrets WHERE job_id = ?", [id])
    yield* session.write("DELETE FROM tombstones WHERE job_id = ?", [id])
  })
