/**
 * Takes a status event of an adapter: one short transaction that locks the job, decides purely, and writes the one benchmark. Slow
 * consequences are tasks; an adapter gets its answer at once. Reference: adapter-contract.md, "Events"; states-and-scores.md, "Transitions".
 */
import { DateTime, Effect, Either } from "effect"
import type { Benchmark, JobHead } from "../../domain/job/job.ts"
import { jobTest } from "../../domain/job/scoring.ts"
import { decideEvent, type EventRefusal, type StatusEvent } from "../../domain/job/status-event.ts"
import { shown, violation } from "../../domain/violation.ts"
import { Conflict, Forbidden, Invalid } from "../errors.ts"
import { type BenchmarkDecision, type BenchmarkSelector, JobStore, type SelectorProblem } from "../ports/job-store.ts"
import { JobPolicy } from "./job-policy.ts"

export interface EventTarget {
  /** undefined: the caller is authorised for this very job by other means, such as the callback secret */
  readonly tenant?: string
  readonly jobId: string
  /** the caller may report this benchmark and no other: what names another one is forbidden instead of invalid */
  readonly ownIndex?: number
  /** whether the caller's pod was made for this unit; absent: pods are not looked at */
  readonly isOwnUnit?: (unit: { readonly jobId: string; readonly index: number; readonly attempt: number; readonly backingName?: string }) => boolean
}

const at = "/benchmark_status_event"

const selectorOf = ({ ownIndex }: EventTarget, { index = ownIndex, benchmarkId, providerId }: StatusEvent): BenchmarkSelector =>
  index !== undefined ? { index } : { benchmarkId, ...(providerId === undefined ? {} : { providerId }) }

const notOwn = new Forbidden({ message: "this callback address belongs to another benchmark" })

const foreignPod = new Forbidden({ message: "the caller's pod belongs to another benchmark" })

const fromRefusal =
  ({ ownIndex }: EventTarget) =>
  (refusal: EventRefusal): Conflict | Invalid | Forbidden => {
    if (refusal._tag !== "InvalidEvent") return new Conflict({ code: refusal.code, message: refusal.message })
    return ownIndex === undefined ? new Invalid({ violations: refusal.violations }) : notOwn
  }

const fromSelector =
  ({ index, benchmarkId, providerId }: StatusEvent) =>
  ({ _tag }: SelectorProblem): Invalid => {
    const name = shown(providerId === undefined ? benchmarkId : `${providerId}/${benchmarkId}`)
    const problem =
      _tag === "AmbiguousBenchmark"
        ? violation(`${at}/id`, `benchmark ${name} appears several times in the job; name it by benchmark_index`)
        : index === undefined
          ? violation(`${at}/id`, `the job has no benchmark ${name}`)
          : violation(`${at}/benchmark_index`, `the job has no benchmark with index ${index}`)
    return new Invalid({ violations: [problem] })
  }

export const recordEvent = Effect.fnUntraced(function* (target: EventTarget, event: StatusEvent) {
  const { ownIndex } = target
  if (ownIndex !== undefined && event.index !== undefined && event.index !== ownIndex) return yield* notOwn
  const store = yield* JobStore
  const { deferTrackerFailure } = yield* JobPolicy
  const now = DateTime.formatIso(yield* DateTime.now)
  const isOwn = ({ index, attempt, backing }: Benchmark) =>
    target.isOwnUnit?.({ jobId: target.jobId, index, attempt, ...(backing === undefined ? {} : { backingName: backing.name }) }) ?? true
  const decide = (head: JobHead, benchmark: Benchmark): Either.Either<BenchmarkDecision, Conflict | Invalid | Forbidden> => {
    if (!isOwn(benchmark)) return Either.left(foreignPod)
    return Either.mapBoth(decideEvent(head, benchmark, event, now, { deferTrackerFailure }), {
      onLeft: fromRefusal(target),
      onRight: (change): BenchmarkDecision => (change._tag === "Unchanged" ? change : { ...change, tasks: [] })
    })
  }
  return yield* store.changeBenchmark({ ...target, select: selectorOf(target, event) }, decide, jobTest).pipe(
    Effect.catchTags({
      AmbiguousBenchmark: (problem) => Effect.fail(fromSelector(event)(problem)),
      UnknownBenchmark: (problem) => Effect.fail(fromSelector(event)(problem))
    })
  )
})
