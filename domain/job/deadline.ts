/**
 * Which benchmarks are overdue, and what they then fail with. A benchmark that was not spawned yet has no deadline: waiting for a
 * worker or a node is not its fault, nor is being taken off one: its time then begins anew. Reference: states-and-scores.md, "Never stuck";
 * cluster-objects.md, "Observing".
 */
import { isTerminal } from "./benchmark-state.ts"
import { millisOf } from "./iso-time.ts"
import type { Benchmark } from "./job.ts"
import type { Failure } from "./runtime-fact.ts"

/** seconds; absent or 0 = no limit */
export interface Timeouts {
  /** from the spawn of the unit to its first event */
  readonly pendingSeconds?: number
  /** from the start of the benchmark to its terminal event */
  readonly benchmarkSeconds?: number
}

interface Limit {
  readonly due: number
  readonly message: string
}

const limit = (
  from: string | undefined,
  seconds: number | undefined,
  message: (seconds: number) => string
): ReadonlyArray<Limit> =>
  from === undefined || seconds === undefined || seconds <= 0
    ? []
    : [{ due: millisOf(from) + seconds * 1000, message: message(seconds) }]

/** from when the limit of a benchmark counts; undefined while its unit was not spawned */
export const startOf = ({ resumedAt, startedAt, spawnedAt }: Benchmark): string | undefined =>
  resumedAt ?? startedAt ?? spawnedAt

const limits = (benchmark: Benchmark, timeouts: Timeouts): ReadonlyArray<Limit> => {
  if (isTerminal(benchmark.state) || benchmark.interruptedAt !== undefined) return []
  const silent = (seconds: number) =>
    `The adapter was started and reported nothing for ${seconds} seconds (timeouts.pending_seconds). Look at the log of the benchmark, or raise the limit.`
  const slow = (seconds: number) =>
    `The benchmark did not end within ${seconds} seconds (timeouts.benchmark_seconds). Use fewer examples, or raise the limit.`
  return [
    ...(benchmark.state === "pending"
      ? limit(benchmark.resumedAt ?? benchmark.spawnedAt, timeouts.pendingSeconds, silent)
      : []),
    ...limit(startOf(benchmark), timeouts.benchmarkSeconds, slow)
  ].toSorted((a, b) => a.due - b.due)
}

/** milliseconds since the epoch at which the benchmark becomes overdue; undefined = never */
export const deadlineOf = (benchmark: Benchmark, timeouts: Timeouts): number | undefined =>
  limits(benchmark, timeouts)[0]?.due

/** the failure of a benchmark whose time is up, for `decideFailure`; `now` is an ISO time */
export const overdue = (benchmark: Benchmark, timeouts: Timeouts, now: string): Failure | undefined => {
  const [first] = limits(benchmark, timeouts)
  return first === undefined || first.due > millisOf(now)
    ? undefined
    : { attempt: benchmark.attempt, code: "deadline_exceeded", message: first.message }
}
