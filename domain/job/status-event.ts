/** A decoded benchmark status event, and what it does to a benchmark. Reference: adapter-contract.md, "Events"; states-and-scores.md, "Transitions". */

import { Either } from "effect"
import type { Phase } from "../../values/benchmark/phases.ts"
import { defined } from "../../values/defined.ts"
import type { ValueSums } from "../../values/mean-limits.ts"
import type { CountedSpent } from "../budget/usage.ts"
import type { FreeForm } from "../free-form.ts"
import { stoppedIn } from "../gate/early-stop.ts"
import type { Member } from "../path.ts"
import type { SampleSeal } from "../sample/summary.ts"
import type { Validity } from "../score/validity.ts"
import { say, unquoted } from "../sentence.ts"
import type { WireCounts } from "../validity/wire-counts.ts"
import { shown, type Violation, violation } from "../violation.ts"
import { canReport, isTerminal } from "./benchmark-state.ts"
import { notBefore } from "./iso-time.ts"
import type {
  Benchmark,
  BenchmarkResult,
  JobHead,
  Message,
  MetricDescription,
  Metrics,
  MetricValue,
  Progress
} from "./job.ts"
import { type BenchmarkChange, changed, isTerminalJob, unchanged } from "./job-state.ts"
import { benchmarkFailed, budgetExhausted, isWaiting } from "./message.ts"
import { deferrableFailure } from "./message-codes.ts"
import { orderedMetrics, orderedSchema } from "./metric-order.ts"
import { benchmarkTest, resolveMetric } from "./scoring.ts"
import { decideSpent, withSpent } from "./spending.ts"

export interface StatusEvent {
  readonly benchmarkId: string
  readonly providerId?: string
  /** identity of the benchmark within the job; absent: (providerId, benchmarkId) must be unique */
  readonly index?: number
  readonly status: "pending" | "running" | "completed" | "failed"
  readonly phase?: Phase
  readonly progress?: Progress
  readonly error?: Message
  readonly warning?: Message
  readonly metrics?: Metrics
  /** beyond what is kept: only the primary metric is taken from here */
  readonly moreMetrics?: ReadonlyArray<readonly [name: string, value: MetricValue]>
  readonly metricsSchema?: ReadonlyArray<MetricDescription>
  readonly artifacts?: FreeForm
  readonly additionalInfo?: FreeForm
  readonly trackerRunId?: string
  readonly logsPath?: string
  /** ISO 8601 UTC, milliseconds */
  readonly startedAt?: string
  readonly completedAt?: string
  /** what of the result is not stored as it was sent, a sentence each */
  readonly notes?: ReadonlyArray<string>
  /** what the sidecar saw of the model's traffic until then; not part of the digest */
  readonly wire?: WireCounts
  /** what was used until then, and who counted; with the status `pending` the sidecar says nothing else. As above */
  readonly spent?: CountedSpent
  /** whether the result can be believed; never sent by adapters, not part of the digest */
  readonly validity?: Validity
  /** sums over the stored items; as above */
  readonly samples?: ValueSums
  /** the stored items themselves; as above */
  readonly seal?: SampleSeal
  /** SHA-256 (hex) of the canonical event: equal digests are the same event */
  readonly digest: string
}

/** why an event is not taken; nothing changes */
export type EventRefusal =
  | { readonly _tag: "JobTerminal"; readonly code: "job_can_not_be_updated"; readonly message: string }
  | { readonly _tag: "BenchmarkTerminal"; readonly code: "benchmark_can_not_be_updated"; readonly message: string }
  | { readonly _tag: "InvalidEvent"; readonly violations: readonly [Violation, ...ReadonlyArray<Violation>] }

export interface EventOptions {
  /** hold a tracker failure until the adapter's next event or exit (`compat.defer_tracker_failure`) */
  readonly deferTrackerFailure: boolean
}

/** an event that names its benchmark by index must name the same benchmark by its ids */
const mismatches = (benchmark: Benchmark, event: StatusEvent): ReadonlyArray<Violation> => {
  const { id, providerId } = benchmark.entry
  const differs = (name: Member, given: string, wanted: string): ReadonlyArray<Violation> =>
    given === wanted
      ? []
      : [
          violation(
            ["statusEvent", name],
            say`${unquoted([name])} ${shown(given)} does not match benchmark ${benchmark.index} of the job, which is ${shown(`${providerId}/${id}`)}.`
          )
        ]
  return [
    ...differs("benchmarkId", event.benchmarkId, id),
    ...(event.providerId === undefined ? [] : differs("providerId", event.providerId, providerId))
  ]
}

/** the metrics of the event; the primary one takes the place of another where it stands beyond the limit */
const withPrimary = ({ metrics, moreMetrics: more }: StatusEvent, primary: string | undefined): Metrics | undefined => {
  if (metrics === undefined || more === undefined || primary === undefined || Object.hasOwn(metrics, primary))
    return metrics
  const exact = more.some(([name]) => name === primary)
  const match = exact
    ? { _tag: "Found" as const, name: primary }
    : resolveMetric({ ...metrics, ...Object.fromEntries(more) }, primary)
  if (match._tag !== "Found" || Object.hasOwn(metrics, match.name)) return metrics
  const taken = more.filter(([name]) => name === match.name || name === `${match.name}_stderr`)
  return Object.fromEntries([...Object.entries(metrics).slice(0, -taken.length), ...taken])
}

const maxNotes = 50

/** those of before and those of the event, each once */
const mergedNotes = (before: BenchmarkResult | undefined, event: StatusEvent) =>
  event.notes === undefined ? undefined : [...new Set([...(before?.notes ?? []), ...event.notes])].slice(0, maxNotes)

/** what a person looks for comes first: the primary metric under the name it was reported with; nothing where the event has no metrics */
const readable = (event: StatusEvent, { primaryScore }: Benchmark["snapshot"], before: BenchmarkResult | undefined) => {
  if (event.metrics === undefined && event.metricsSchema === undefined) return undefined
  const reported = withPrimary(event, primaryScore?.metric) ?? before?.metrics ?? {}
  const match = primaryScore === undefined ? undefined : resolveMetric(reported, primaryScore.metric)
  const metrics = orderedMetrics(reported, match?._tag === "Found" ? match.name : primaryScore?.metric)
  return {
    metrics: event.metrics === undefined ? undefined : metrics,
    metricsSchema: event.metricsSchema === undefined ? undefined : orderedSchema(event.metricsSchema, metrics)
  }
}

/** what the event adds to the result; members it does not carry stay as they were */
const mergedResult = ({ result: before, snapshot }: Benchmark, event: StatusEvent): BenchmarkResult | undefined => {
  const added = defined({
    ...readable(event, snapshot, before),
    artifacts: event.artifacts,
    additionalInfo: event.additionalInfo,
    trackerRunId: event.trackerRunId,
    logsPath: event.logsPath,
    validity: event.validity,
    earlyStopped: stoppedIn(snapshot.earlyStop, event.additionalInfo),
    samples: event.seal,
    wire: event.wire
  })
  if (before === undefined && Object.keys(added).length === 0) return undefined
  return { metrics: {}, ...before, ...added, ...defined({ notes: mergedNotes(before, event) }) }
}

/** the parts of a benchmark that any accepted event carries on, without what belongs to a state or to a moment */
const carriedOn = (benchmark: Benchmark, event: StatusEvent): Benchmark => {
  const {
    phase: _phase,
    progress: _progress,
    error: _error,
    warning,
    heldFailure: _held,
    result: _result,
    ...rest
  } = benchmark
  const merged = mergedResult(benchmark, event)
  const kept = event.warning ?? (warning !== undefined && isWaiting(warning) ? undefined : warning)
  return {
    ...rest,
    ...defined({ result: merged, warning: kept, startedAt: event.startedAt ?? benchmark.startedAt })
  }
}

const running = (benchmark: Benchmark, event: StatusEvent, now: string): Benchmark => {
  const next = carriedOn(benchmark, event)
  const progress = event.progress === undefined ? benchmark.progress : { ...benchmark.progress, ...event.progress }
  return {
    ...next,
    state: "running",
    startedAt: next.startedAt ?? now,
    ...defined({ progress, phase: event.phase ?? benchmark.phase, error: event.error ?? benchmark.error })
  }
}

/** a failure of the tracker after a finished evaluation: shown as a warning, in force only if the adapter ends without another event */
const held = (benchmark: Benchmark, event: StatusEvent, failure: Message, now: string): Benchmark => {
  const { phase: _phase, error: _error, ...rest } = event
  return { ...running(benchmark, { ...rest, status: "running" }, now), warning: failure, heldFailure: failure }
}

const ended = (benchmark: Benchmark, event: StatusEvent, now: string): Benchmark => {
  const next = carriedOn(benchmark, event)
  const startedAt = next.startedAt ?? next.spawnedAt
  return {
    ...next,
    ...defined({ startedAt }),
    completedAt: notBefore(event.completedAt ?? now, startedAt),
    ...(event.completedAt === undefined ? {} : { endedAt: now }),
    terminalDigest: event.digest
  }
}

const completed = (benchmark: Benchmark, event: StatusEvent, now: string): Benchmark => {
  const next = ended(benchmark, event, now)
  const metrics = next.result?.metrics ?? {}
  const { metricsSchema: schema, validity } = next.result ?? {}
  const { test, notes } = benchmarkTest(
    benchmark.snapshot,
    metrics,
    defined({ schema, samples: event.samples, validity, earlyStopped: next.result?.earlyStopped })
  )
  // an error reported on the way to success is no error of a completed benchmark, and must not get lost either
  const warning = next.warning ?? event.error ?? benchmark.error
  return {
    ...next,
    state: "completed",
    ...defined({ warning }),
    result: {
      ...next.result,
      metrics,
      ...defined({ test }),
      ...(notes.length > 0 ? { notes: [...(next.result?.notes ?? []), ...notes] } : {})
    }
  }
}

const failed = (benchmark: Benchmark, event: StatusEvent, now: string): Benchmark => ({
  ...ended(benchmark, event, now),
  state: "failed",
  error: event.error ?? benchmark.heldFailure ?? benchmark.error ?? benchmarkFailed
})

/** what an adapter makes of refused requests is no score, and its error is not the first cause */
const withinBudget = (event: StatusEvent): StatusEvent => {
  if ((event.status !== "completed" && event.status !== "failed") || (event.wire?.overBudget ?? 0) === 0) return event
  const { metrics: _metrics, moreMetrics: _more, metricsSchema: _schema, validity: _validity, ...rest } = event
  return { ...rest, status: "failed", error: budgetExhausted }
}

const next = (benchmark: Benchmark, event: StatusEvent, now: string, options: EventOptions): Benchmark => {
  if (event.status === "completed") return completed(benchmark, event, now)
  if (event.status !== "failed") return running(benchmark, event, now)
  const deferrable = options.deferTrackerFailure && event.error?.code === deferrableFailure
  return deferrable && event.error !== undefined
    ? held(benchmark, event, event.error, now)
    : failed(benchmark, event, now)
}

/**
 * What an event does to its benchmark and to the job's head. Pure; runs under the lock of the job and may run more than once.
 * `now` is the server's clock. The job's own `test` is not computed here: it needs all benchmarks (`job-score.jobTest`).
 */
export const decideEvent = (
  head: JobHead,
  benchmark: Benchmark,
  given: StatusEvent,
  now: string,
  options: EventOptions
): Either.Either<BenchmarkChange, EventRefusal> => {
  const event = withinBudget(given)
  const told = { told: event.spent, wire: event.wire }
  if (event.status === "pending" && event.spent !== undefined)
    return Either.right(decideSpent(head, benchmark, told, now))
  if (isTerminalJob(head.state)) {
    const message = `job ${head.id} can not be updated because it is ${head.state}`
    return Either.left({ _tag: "JobTerminal", code: "job_can_not_be_updated", message })
  }
  const [first, ...rest] = mismatches(benchmark, event)
  if (first !== undefined) return Either.left({ _tag: "InvalidEvent", violations: [first, ...rest] })
  if (isTerminal(benchmark.state) && benchmark.terminalDigest === event.digest) return Either.right(unchanged)
  const answer = canReport(benchmark.state, event.status)
  if (answer === "refuse") {
    const message = `benchmark ${benchmark.index} of job ${head.id} can not become ${event.status} because it is ${benchmark.state}`
    return Either.left({ _tag: "BenchmarkTerminal", code: "benchmark_can_not_be_updated", message })
  }
  if (answer === "unchanged") return Either.right(unchanged)
  // a clock that was set back must not make the benchmark begin before its job
  const used = withSpent(benchmark, told)
  return Either.right(changed(head, benchmark, next(used, event, notBefore(now, head.createdAt), options), now))
}
