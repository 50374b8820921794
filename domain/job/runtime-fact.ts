/**
 * What facts about a unit (process or pod) do to its benchmark. Facts may repeat, come late or belong to an earlier attempt; none of
 * them changes a terminal benchmark, and a unit's end makes sure that its benchmark becomes terminal. Reference: states-and-scores.md, "Never stuck".
 */
import type { WireCounts } from "../validity/wire-counts.ts"
import { isTerminal } from "./benchmark-state.ts"
import { notBefore } from "./iso-time.ts"
import type { Benchmark, JobHead, Message } from "./job.ts"
import { type BenchmarkChange, changed, noted, unchanged } from "./job-state.ts"
import { budgetExhausted, cut, fromRuntime, isWaiting, maxMessageBytes } from "./message.ts"
import { withSpent } from "./spending.ts"

/** the unit ended for good; `message` says why in a user's words, `logTail` holds its last lines, redacted */
export interface UnitEnded {
  readonly attempt: number
  /** when it ended, ISO time */
  readonly at: string
  readonly code: string
  readonly message: string
  readonly exitCode?: number
  readonly signal?: string
  readonly logTail?: ReadonlyArray<string>
  /** what was seen of its model's traffic */
  readonly wire?: WireCounts
}

/** something known for sure that ends the benchmark without its adapter: refused launch, lost unit, deadline */
export interface Failure {
  readonly attempt?: number
  readonly code: string
  readonly message: string
  /** what was seen of its model's traffic */
  readonly wire?: WireCounts
}

/** a benchmark that can still change, looked at by a fact of its current unit */
const concerns = (benchmark: Benchmark, attempt: number | undefined): boolean =>
  !isTerminal(benchmark.state) && (attempt === undefined || attempt === benchmark.attempt)

const failedWith = (
  head: JobHead,
  benchmark: Benchmark,
  { error, at, wire }: { readonly error: Message; readonly at: string; readonly wire?: WireCounts | undefined },
  now: string
): BenchmarkChange => {
  const {
    phase: _phase,
    progress: _progress,
    heldFailure: _held,
    interruptedAt: _interrupted,
    warning,
    ...rest
  } = withSpent(benchmark, { wire })
  const startedAt = benchmark.startedAt ?? benchmark.spawnedAt
  const kept = warning === undefined || isWaiting(warning) || benchmark.heldFailure !== undefined ? {} : { warning }
  const started = startedAt === undefined ? {} : { startedAt }
  return changed(
    head,
    benchmark,
    {
      ...rest,
      ...kept,
      ...started,
      state: "failed",
      error,
      completedAt: notBefore(at, startedAt ?? head.createdAt)
    },
    now
  )
}

/** the process or pod runs: remembered as the start of a benchmark whose adapter never says when it began; the state stays */
export const decideStarted = (
  head: JobHead,
  benchmark: Benchmark,
  fact: { readonly attempt: number; readonly at: string },
  now: string
): BenchmarkChange => {
  if (!concerns(benchmark, fact.attempt) || benchmark.spawnedAt !== undefined) return unchanged
  const { warning, ...rest } = benchmark
  const spawnedAt = notBefore(fact.at, head.createdAt)
  return warning !== undefined && isWaiting(warning)
    ? changed(head, benchmark, { ...rest, spawnedAt }, now)
    : noted({ ...benchmark, spawnedAt })
}

/** why the unit does not start yet; shown as a warning while the benchmark is pending */
export const decideWaiting = (
  head: JobHead,
  benchmark: Benchmark,
  fact: { readonly attempt: number; readonly code: string; readonly message: string },
  now: string
): BenchmarkChange => {
  if (!concerns(benchmark, fact.attempt) || benchmark.state !== "pending" || benchmark.spawnedAt !== undefined)
    return unchanged
  const warning = fromRuntime(fact.code, fact.message)
  if (benchmark.warning?.code === warning.code && benchmark.warning.message === warning.message) return unchanged
  return changed(head, benchmark, { ...benchmark, warning }, now)
}

/** something about the unit that its user should know while it lasts; `interrupted`: the unit was taken off its node and starts again */
export interface UnitWarning {
  readonly attempt: number
  readonly code: string
  readonly message: string
  readonly interrupted?: boolean
}

const interrupted = (benchmark: Benchmark, now: string): Benchmark => ({
  ...benchmark,
  interruptedAt: benchmark.interruptedAt ?? now
})

/** its time begins anew, as the Job's own does */
const resumed = (benchmark: Benchmark, now: string): Benchmark => {
  const { interruptedAt, ...rest } = benchmark
  return interruptedAt === undefined ? benchmark : { ...rest, resumedAt: now }
}

/** shown in any state that is not final, unless the adapter itself warned of something: its warnings do not go away again */
export const decideWarned = (head: JobHead, benchmark: Benchmark, fact: UnitWarning, now: string): BenchmarkChange => {
  if (!concerns(benchmark, fact.attempt)) return unchanged
  const { phase, ...rest } = fact.interrupted === true ? interrupted(benchmark, now) : resumed(benchmark, now)
  const kept: Benchmark = phase === undefined || fact.interrupted === true ? rest : { ...rest, phase }
  const shown = benchmark.warning
  const warning = shown !== undefined && shown.origin !== "runtime" ? shown : fromRuntime(fact.code, fact.message)
  const isSame = shown?.code === warning.code && shown.message === warning.message
  return isSame && kept.phase === benchmark.phase && kept.interruptedAt === benchmark.interruptedAt
    ? unchanged
    : changed(head, benchmark, { ...kept, warning }, now)
}

/** the condition behind a warning is over */
export const decideRecovered = (
  head: JobHead,
  benchmark: Benchmark,
  fact: { readonly attempt: number; readonly code: string },
  now: string
): BenchmarkChange => {
  if (!concerns(benchmark, fact.attempt)) return unchanged
  const { warning, ...rest } = resumed(benchmark, now)
  const isShown = warning?.origin === "runtime" && warning.code === fact.code
  if (!isShown && benchmark.interruptedAt === undefined) return unchanged
  return isShown ? changed(head, benchmark, rest, now) : noted(warning === undefined ? rest : { ...rest, warning })
}

const howItEnded = (fact: UnitEnded): string => {
  if (fact.message.trim() !== "") return fact.message
  if (fact.signal !== undefined) return `The adapter was ended by ${fact.signal} and reported no result.`
  return fact.exitCode === undefined
    ? "The adapter ended and reported no result."
    : `The adapter exited with code ${fact.exitCode} and reported no result.`
}

/** the reason, then as many of the last log lines as fit behind it */
const withLog = (reason: string, logTail: ReadonlyArray<string>): string => {
  const headline = cut(reason, maxMessageBytes / 2)
  const kept: Array<string> = []
  let room = maxMessageBytes - 3 * headline.length - 64
  for (const line of logTail.toReversed()) {
    const text = cut(line, 1024)
    room -= 3 * text.length + 1
    if (room < 0) break
    kept.unshift(text)
  }
  return kept.length === 0 ? headline : `${headline}\nLast log lines:\n${kept.join("\n")}`
}

/** the unit ended: a benchmark without a terminal event fails, a tracker failure that was held comes into force */
export const decideEnded = (head: JobHead, benchmark: Benchmark, fact: UnitEnded, now: string): BenchmarkChange => {
  if (!concerns(benchmark, fact.attempt)) return unchanged
  const error =
    (fact.wire?.overBudget ?? 0) > 0
      ? budgetExhausted
      : (benchmark.heldFailure ?? fromRuntime(fact.code, withLog(howItEnded(fact), fact.logTail ?? [])))
  // a clock that runs ahead elsewhere must not put the end into the future
  return failedWith(head, benchmark, { error, at: fact.at > now ? now : fact.at, wire: fact.wire }, now)
}

/** the benchmark can not run or can not go on: refused or failed launch, lost unit, exceeded deadline */
export const decideFailure = (head: JobHead, benchmark: Benchmark, failure: Failure, now: string): BenchmarkChange =>
  concerns(benchmark, failure.attempt)
    ? failedWith(
        head,
        benchmark,
        { error: fromRuntime(failure.code, failure.message), at: now, wire: failure.wire },
        now
      )
    : unchanged
