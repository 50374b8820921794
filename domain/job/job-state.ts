/**
 * The job's state, which is never set but computed from the states of its benchmarks, and what every change does to the job's head.
 * Reference: states-and-scores.md, "Job states".
 */
import { jobUsage } from "../budget/usage.ts"
import { later } from "./iso-time.ts"
import type { Benchmark, BenchmarkState, Job, JobHead, JobState, StateCounts } from "./job.ts"
import { jobUpdated } from "./message.ts"

/**
 * Nothing to write; something kept about the benchmark that no record shows, such as when its process started; or the next benchmark
 * with the head that belongs to it.
 */
export type BenchmarkChange =
  | { readonly _tag: "Unchanged" }
  | { readonly _tag: "Noted"; readonly benchmark: Benchmark }
  | { readonly _tag: "Changed"; readonly benchmark: Benchmark; readonly head: JobHead }

export const unchanged: BenchmarkChange = { _tag: "Unchanged" }

const terminal: { readonly [State in JobState]: boolean } = {
  pending: false,
  running: false,
  completed: true,
  failed: true,
  partially_failed: true,
  cancelled: true
}

/** true when nothing but a hard delete changes this job any more */
export const isTerminalJob = (state: JobState): boolean => terminal[state]

const noCounts: StateCounts = { pending: 0, running: 0, completed: 0, failed: 0, cancelled: 0 }

export const countsOf = (benchmarks: Iterable<{ readonly state: BenchmarkState }>): StateCounts => {
  const counts = { ...noCounts }
  for (const { state } of benchmarks) counts[state] += 1
  return counts
}

const totalOf = (counts: StateCounts): number =>
  counts.pending + counts.running + counts.completed + counts.failed + counts.cancelled

/** benchmarks in a terminal state */
const endedOf = (counts: StateCounts): number => counts.completed + counts.failed + counts.cancelled

/** counts after one benchmark went from one state to another; never looks at the others */
export const moved = (counts: StateCounts, from: BenchmarkState, to: BenchmarkState): StateCounts =>
  from === to ? counts : { ...counts, [from]: counts[from] - 1, [to]: counts[to] + 1 }

/** the overall state; total over every combination of counts */
export const aggregate = (counts: StateCounts): JobState => {
  const total = totalOf(counts)
  if (counts.pending === total) return "pending"
  if (endedOf(counts) < total) return "running"
  if (counts.cancelled > 0) return "cancelled"
  if (counts.completed === total) return "completed"
  return counts.failed === total ? "failed" : "partially_failed"
}

/** `updatedAt` never runs backwards with the clock */
const withCounts = (
  head: JobHead,
  counts: StateCounts,
  now: string,
  messageOf: (state: JobState, counts: StateCounts) => JobHead["message"]
): JobHead => {
  const state = aggregate(counts)
  return { ...head, counts, state, message: messageOf(state, counts), updatedAt: later(now, head.updatedAt) }
}

const toldAnew = (state: JobState, counts: StateCounts) => jobUpdated(state, endedOf(counts), totalOf(counts))

/** head with these counts: state, message and `updatedAt` follow */
export const recounted = (head: JobHead, counts: StateCounts, now: string): JobHead =>
  withCounts(head, counts, now, toldAnew)

/** what a job's message is about; warnings and times are told by the benchmark alone */
const isToldAgain = (before: Benchmark, after: Benchmark): boolean =>
  before.state !== after.state || before.phase !== after.phase || before.result !== after.result

/** the change from one record of a benchmark to its next one; the job's message stays until a state, a phase or a result changes */
export const changed = (head: JobHead, before: Benchmark, after: Benchmark, now: string): BenchmarkChange => {
  const counts = moved(head.counts, before.state, after.state)
  const counted = withCounts(head, counts, now, isToldAgain(before, after) ? toldAnew : () => head.message)
  const usage = jobUsage(head.usage, before.usage, after.usage, after.snapshot.price)
  return { _tag: "Changed", benchmark: after, head: usage === undefined ? counted : { ...counted, usage } }
}

/** the next record of a benchmark that looks like the one before to everybody outside */
export const noted = (benchmark: Benchmark): BenchmarkChange => ({ _tag: "Noted", benchmark })

/** the part of the aggregate whose size does not depend on the number of benchmarks */
export const headOf = (job: Job): JobHead => {
  const { request: _request, benchmarks: _benchmarks, ...head } = job
  return head
}
