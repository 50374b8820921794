/**
 * Cancelling a job: all benchmarks that are not terminal become cancelled at once. Ending their processes or pods is the work of a
 * task that the caller stores with this change. Reference: states-and-scores.md, "Transitions", "Cancel and removal".
 */
import { Either } from "effect"
import { cancelled, isTerminal } from "./benchmark-state.ts"
import { notBefore } from "./iso-time.ts"
import type { Benchmark, Job, JobHead } from "./job.ts"
import { jobTest } from "./job-score.ts"
import { countsOf, headOf, isTerminalJob, recounted } from "./job-state.ts"
import { benchmarkCancelled, isWaiting } from "./message.ts"

export type CancelDecision =
  | { readonly _tag: "Unchanged" }
  /** `benchmarks` are only those that were cancelled by this decision, in index order */
  | { readonly _tag: "Changed"; readonly head: JobHead; readonly benchmarks: ReadonlyArray<Benchmark> }

export interface CancelRefusal {
  readonly _tag: "JobTerminal"
  readonly code: "job_can_not_be_updated"
  readonly message: string
}

const cancel = (benchmark: Benchmark, createdAt: string, now: string): Benchmark => {
  const { phase: _phase, progress: _progress, heldFailure: _held, error: _error, warning, ...rest } = benchmark
  const startedAt = benchmark.startedAt ?? benchmark.spawnedAt
  const kept = warning === undefined || isWaiting(warning) ? {} : { warning }
  const started = startedAt === undefined ? {} : { startedAt }
  return {
    ...rest,
    ...kept,
    ...started,
    state: cancelled(benchmark.state),
    error: benchmarkCancelled,
    completedAt: notBefore(now, startedAt ?? createdAt)
  }
}

/** cancelling a cancelled job is fine and changes nothing; any other terminal job refuses */
export const decideCancel = (job: Job, now: string): Either.Either<CancelDecision, CancelRefusal> => {
  if (job.state === "cancelled") return Either.right({ _tag: "Unchanged" })
  if (isTerminalJob(job.state)) {
    const message = `job ${job.id} can not be cancelled because it is ${job.state}`
    return Either.left({ _tag: "JobTerminal", code: "job_can_not_be_updated", message })
  }
  const all = job.benchmarks.map((benchmark) =>
    isTerminal(benchmark.state) ? benchmark : cancel(benchmark, job.createdAt, now)
  )
  const test = jobTest(job, all)
  const head = recounted(headOf(job), countsOf(all), now)
  return Either.right({
    _tag: "Changed",
    head: test === undefined ? head : { ...head, test },
    benchmarks: all.filter((benchmark, position) => benchmark !== job.benchmarks[position])
  })
}
