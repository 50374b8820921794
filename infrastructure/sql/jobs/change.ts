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
import * as JobRow from "../rows/job-row.ts"
import type { Session } from "../session.ts"
import { countJobs, insertLabels, type JobContext } from "./context.ts"
import { benchmarkRows, jobRow, loadJob, selectedBenchmark } from "./read.ts"

const updateJob = `UPDATE jobs SET ${JobRow.changedAssignments} WHERE key = ?`
const updateBenchmark = `UPDATE job_benchmarks SET ${BenchmarkRow.changedAssignments} WHERE job_key = ? AND idx = ?`

interface Written {
  readonly key: number
  readonly before: JobHead
  readonly head: JobHead
  readonly benchmarks: ReadonlyArray<Benchmark>
  readonly tasks: ReadonlyArray<NewTask>
}

const store = (session: Session, context: JobContext, { key, before, head, benchmarks, tasks }: Written) =>
  Effect.gen(function* () {
    for (const benchmark of benchmarks) {
      yield* session.write(updateBenchmark, [...BenchmarkRow.changedColumns(benchmark, context.wire), key, benchmark.index])
    }
    yield* session.write(updateJob, [...JobRow.changedColumns(head), key])
    if (head.state !== before.state) {
      yield* countJobs(session, head, key, [
        [before.state, -1],
        [head.state, 1]
      ])
    }
    if (head.trackerExperimentId !== undefined && head.trackerExperimentId !== before.trackerExperimentId) {
      yield* insertLabels(session, key, head, [{ kind: "experiment", value: labelValue(head.trackerExperimentId) }])
    }
    if (tasks.length > 0) yield* enqueue(session, tasks, context.now, context.onTask)
    yield* ChangeLog.append(session, { tenant: head.tenant, jobId: head.id, kind: "updated" }, context.onChange)
  })

export const changeBenchmark = <E>(
  session: Session,
  context: JobContext,
  target: { readonly tenant?: string; readonly jobId: string; readonly select: BenchmarkSelector },
  decide: (head: JobHead, benchmark: Benchmark) => Either.Either<BenchmarkDecision, E>,
  score: (head: JobHead, benchmarks: ReadonlyArray<Benchmark>) => JobTest | undefined
) =>
  Effect.gen(function* () {
    const row = yield* jobRow(session, target.tenant, target.jobId, true)
    const before = JobRow.headOfRow(row)
    const benchmark = BenchmarkRow.benchmarkOfRow(yield* selectedBenchmark(session, row.key, target.select))
    const decision = yield* decide(before, benchmark)
    if (decision._tag === "Unchanged") return { applied: false, head: before, benchmark } satisfies BenchmarkChanged
    const ends = isTerminalJob(decision.head.state) && !isTerminalJob(before.state)
    const test = ends ? score(decision.head, yield* withChanged(session, row.key, decision.benchmark)) : undefined
    const head: JobHead = test === undefined ? decision.head : { ...decision.head, test }
    yield* store(session, context, { key: row.key, before, head, benchmarks: [decision.benchmark], tasks: decision.tasks })
    return { applied: true, head, benchmark: decision.benchmark } satisfies BenchmarkChanged
  })

/** all benchmarks of the job, the changed one in place of its old record */
const withChanged = (session: Session, jobKey: number, changed: Benchmark) =>
  Effect.map(benchmarkRows(session, jobKey), (rows) => rows.map((row) => (row.idx === changed.index ? changed : BenchmarkRow.benchmarkOfRow(row))))

export const changeJob = <E>(session: Session, context: JobContext, tenant: string, id: string, decide: (job: Job) => Either.Either<JobDecision, E>) =>
  Effect.gen(function* () {
    const { key, job } = yield* loadJob(session, tenant, id, true)
    const { head, benchmarks, tasks } = yield* decide(job)
    const nothing = benchmarks.length === 0 && tasks.length === 0 && head.updatedAt === job.updatedAt && head.state === job.state
    if (!nothing) yield* store(session, context, { key, before: job, head, benchmarks, tasks })
    return head
  })
