/**
 * Takes a status event of an adapter: one short transaction that locks the job, decides purely, and writes the one benchmark. Slow
 * consequences are tasks; an adapter gets its answer at once. Reference: adapter-contract.md, "Events"; states-and-scores.md, "Transitions".
 */

import { Effect, Either } from "effect"
import {
  foreignBenchmark,
  foreignIndex,
  foreignUnit,
  type Reporter,
  reportedUnit
} from "../../domain/access/reporting.ts"
import type { Benchmark, JobHead } from "../../domain/job/job.ts"
import { jobTest } from "../../domain/job/job-score.ts"
import { unchanged } from "../../domain/job/job-state.ts"
import { decideSpent } from "../../domain/job/spending.ts"
import { decideEvent, type EventRefusal, type StatusEvent } from "../../domain/job/status-event.ts"
import type { Path } from "../../domain/path.ts"
import { say, unquoted } from "../../domain/sentence.ts"
import { shown, violation } from "../../domain/violation.ts"
import { defined } from "../../values/defined.ts"
import { Conflict, Forbidden, Invalid, type NotFound, type Unavailable } from "../errors.ts"
import { isoNow } from "../iso-now.ts"
import {
  type BenchmarkDecision,
  type BenchmarkSelector,
  JobStore,
  type SelectorProblem
} from "../ports/stores/job-store.ts"
import { applyTo } from "../runtime/apply.ts"
import { withValidity } from "../validity/validity-of.ts"
import { JobPolicy } from "./job-policy.ts"

/** what is reported about, and what its reporter may report */
export interface EventTarget extends Reporter {
  readonly jobId: string
  /** a sidecar stands between adapter and server, and says what it saw */
  readonly behindSidecar?: boolean
}

const selectorOf = (index: number | undefined, { benchmarkId, providerId }: StatusEvent): BenchmarkSelector =>
  index !== undefined ? { index } : { benchmarkId, ...defined({ providerId }) }

const fromRefusal =
  ({ ownIndex }: EventTarget) =>
  (refusal: EventRefusal): Conflict | Invalid | Forbidden => {
    if (refusal._tag !== "InvalidEvent") return new Conflict({ code: refusal.code, message: refusal.message })
    return ownIndex === undefined
      ? new Invalid({ violations: refusal.violations })
      : new Forbidden({ message: foreignBenchmark })
  }

const fromSelector =
  ({ index, benchmarkId, providerId }: StatusEvent) =>
  ({ _tag }: SelectorProblem): Invalid => {
    const atId: Path = ["statusEvent", "benchmarkId"]
    const name = shown(providerId === undefined ? benchmarkId : `${providerId}/${benchmarkId}`)
    const problem =
      _tag === "AmbiguousBenchmark"
        ? violation(
            atId,
            say`benchmark ${name} appears several times in the job; name it by ${unquoted(["benchmarkIndex"])}`
          )
        : index === undefined
          ? violation(atId, `the job has no benchmark ${name}`)
          : violation(["statusEvent", "benchmarkIndex"], `the job has no benchmark with index ${index}`)
    return new Invalid({ violations: [problem] })
  }

/** an event that comes too late is refused; what it says was used was used all the same */
const noteSpent = (target: EventTarget, index: number | undefined, event: StatusEvent) => {
  const { spent: told, wire } = event
  return (refusal: Conflict | Invalid | Forbidden | NotFound | Unavailable) =>
    refusal._tag !== "Conflict" || index === undefined || (told === undefined && wire === undefined)
      ? Effect.void
      : Effect.ignore(
          applyTo({ jobId: target.jobId, index }, (head, benchmark, now) =>
            foreignUnit(target, reportedUnit(target.jobId, benchmark)) === undefined
              ? decideSpent(head, benchmark, { told, wire }, now)
              : unchanged
          )
        )
}

export const recordEvent = Effect.fnUntraced(function* (target: EventTarget, given: StatusEvent) {
  const foreign = foreignIndex(target, given.index)
  if (foreign !== undefined) return yield* new Forbidden({ message: foreign })
  const store = yield* JobStore
  const named = given.index ?? target.ownIndex
  const index = named ?? (yield* store.indexOf(target.jobId, selectorOf(undefined, given)))
  const event = yield* withValidity({ jobId: target.jobId, index }, given)
  const { deferTrackerFailure } = yield* JobPolicy
  const now = yield* isoNow
  const decide = (
    head: JobHead,
    benchmark: Benchmark
  ): Either.Either<BenchmarkDecision, Conflict | Invalid | Forbidden> => {
    const other = foreignUnit(target, reportedUnit(target.jobId, benchmark))
    if (other !== undefined) return Either.left(new Forbidden({ message: other }))
    return Either.mapBoth(decideEvent(head, benchmark, event, now, { deferTrackerFailure }), {
      onLeft: fromRefusal(target),
      onRight: (change): BenchmarkDecision => (change._tag === "Unchanged" ? change : { ...change, tasks: [] })
    })
  }
  return yield* store.changeBenchmark({ ...target, select: selectorOf(named, event) }, decide, jobTest).pipe(
    Effect.catchTags({
      AmbiguousBenchmark: (problem) => Effect.fail(fromSelector(event)(problem)),
      UnknownBenchmark: (problem) => Effect.fail(fromSelector(event)(problem))
    }),
    Effect.tapError(noteSpent(target, index, event))
  )
})
