/**
 * Turns facts of the runtime into changes of benchmarks. A fact is never given up because the store is away; a benchmark whose unit ended
 * without a terminal event gets a grace time for a late one, then fails with the reason. Reference: adapter-contract.md, "Exit".
 */

import { Deferred, Effect, Either, FiberMap, FiberSet, Stream } from "effect"
import { isTerminal } from "../../domain/job/benchmark-state.ts"
import { jobTest } from "../../domain/job/job-score.ts"
import {
  decideEnded,
  decideRecovered,
  decideStarted,
  decideWaiting,
  decideWarned
} from "../../domain/job/runtime-fact.ts"
import { decideEvent, type EventOptions } from "../../domain/job/status-event.ts"
import { defined } from "../../values/defined.ts"
import type { Unavailable } from "../errors.ts"
import { isoNow } from "../iso-now.ts"
import { Runtime, type UnitFact, type UnitId } from "../ports/runtime.ts"
import { JobStore } from "../ports/stores/job-store.ts"
import type { SampleStore } from "../ports/stores/sample-store.ts"
import { UnitSecrets } from "../ports/stores/unit-secrets.ts"
import { WireWitness } from "../ports/wire-witness.ts"
import { addSamples } from "../samples/add-samples.ts"
import { judgeSamples } from "../samples/close-samples.ts"
import { withValidity } from "../validity/validity-of.ts"
import { applyTo, untilAvailable, withTasks } from "./apply.ts"
import { secretGraceMillis } from "./cleaner.ts"
import { launchAgain } from "./reconcile.ts"

export interface ObserverOptions extends EventOptions {
  /** wait for a terminal event that may still arrive after the unit ended */
  readonly graceMillis: number
}

type Fact<Tag extends UnitFact["_tag"]> = Extract<UnitFact, { readonly _tag: Tag }>

/** facts handled at once */
const atOnce = 16

const keyOf = ({ jobId, index, attempt }: UnitId) => `${jobId}/${index}/${attempt}`

const nameOf = ({ jobId, index }: UnitId) => `benchmark ${index} of job ${jobId}`

/** a removed job needs nothing any more */
const ifPresent = <A, R>(
  effect: Effect.Effect<A, { readonly _tag: "NotFound" } | Unavailable, R>
): Effect.Effect<void, never, R> =>
  untilAvailable(effect).pipe(
    Effect.catchTag("NotFound", () => Effect.void),
    Effect.asVoid
  )

/** as if it had been posted: a refusal means delivered or superseded, so that the event is done with either way */
const applySpooled = (
  { unit, event, acknowledge }: Fact<"Spooled">,
  options: EventOptions
): Effect.Effect<void, never, JobStore> =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const now = yield* isoNow
    const select = event.index === undefined ? { index: unit.index } : { index: event.index }
    if (select.index !== unit.index)
      return yield* Effect.logWarning(`${nameOf(unit)} left an event of another benchmark, which is not applied`)
    yield* withValidity(unit, event).pipe(
      Effect.flatMap((judged) =>
        store.changeBenchmark(
          { jobId: unit.jobId, select },
          (head, benchmark) =>
            Either.map(decideEvent(head, benchmark, judged, now, options), (change) => withTasks(change, [])),
          jobTest
        )
      ),
      untilAvailable,
      Effect.catchAll((refusal) =>
        Effect.logInfo(`an event that ${nameOf(unit)} left behind is not applied: ${refusal._tag}`)
      )
    )
  }).pipe(Effect.zipRight(acknowledge))

/** what the server has already is recognised; what contradicts it, or comes too late for a removed job, is left out */
const collectSamples = ({ unit, collect }: Fact<"LeftSamples">) =>
  collect((samples) =>
    addSamples({ jobId: unit.jobId, index: unit.index, collected: true }, samples).pipe(
      untilAvailable,
      Effect.catchAll((refusal) =>
        Effect.logWarning(
          `samples that ${nameOf(unit)} left behind are not taken: ${refusal._tag === "Conflict" || refusal._tag === "Forbidden" ? refusal.message : refusal._tag}`
        )
      ),
      Effect.asVoid
    )
  ).pipe(Effect.zipRight(untilAvailable(judgeSamples(unit))))

/** a command that does not exist can not be late; one that reported something did start, whatever its exit code says */
const endOf = (fact: Fact<"Ended">, reported: boolean): Fact<"Ended"> =>
  fact.code === "adapter_failed_to_start" && reported
    ? { ...fact, code: "adapter_exited_without_result", message: "" }
    : fact

const applyEnded = (
  fact: Fact<"Ended">,
  options: ObserverOptions
): Effect.Effect<void, never, JobStore | UnitSecrets> =>
  Effect.gen(function* () {
    const { unit } = fact
    const store = yield* JobStore
    const secrets = yield* UnitSecrets
    const loaded = yield* untilAvailable(store.loadBenchmark(unit.jobId, unit.index)).pipe(Effect.option)
    if (loaded._tag === "Some" && !isTerminal(loaded.value.benchmark.state)) {
      const { benchmark } = loaded.value
      const end = endOf(fact, benchmark.state !== "pending")
      const late =
        fact.waited !== true && end.code === "adapter_exited_without_result" && benchmark.attempt === unit.attempt
      if (late) yield* Effect.sleep(options.graceMillis)
      // of a launch that was given up nothing is taken from the one that followed it
      const wire = benchmark.attempt === unit.attempt ? yield* (yield* WireWitness).counts(unit) : undefined
      const ended = { ...end, attempt: unit.attempt, ...defined({ wire }) }
      yield* ifPresent(applyTo(unit, (head, current, now) => decideEnded(head, current, ended, now)))
    }
    yield* untilAvailable(secrets.retire(unit, secretGraceMillis))
  })

/** runs effects of the same key one after the other, those of different keys at once */
const makeLanes = Effect.gen(function* () {
  const fibers = yield* FiberSet.make<void>()
  const room = yield* Effect.makeSemaphore(atOnce)
  const last = new Map<string, Deferred.Deferred<void>>()
  return <R>(key: string, effect: Effect.Effect<void, never, R>): Effect.Effect<void, never, R> =>
    Effect.gen(function* () {
      const before = last.get(key)
      const ended = yield* Deferred.make<void>()
      last.set(key, ended)
      const leave = Effect.zipRight(
        Effect.sync(() => (last.get(key) === ended ? last.delete(key) : false)),
        Deferred.succeed(ended, undefined)
      )
      const turn = before === undefined ? Effect.void : Deferred.await(before)
      yield* FiberSet.run(fibers, turn.pipe(Effect.zipRight(room.withPermits(1)(effect)), Effect.ensuring(leave)))
    })
})

/** never ends; facts of one unit are handled in order, and an end that waits for its grace time holds nobody up */
export const observer = (
  options: ObserverOptions
): Effect.Effect<void, never, JobStore | SampleStore | Runtime | UnitSecrets> =>
  Effect.scoped(
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const ending = yield* FiberMap.make<string>()
      const inLane = yield* makeLanes
      const handle = (fact: UnitFact): Effect.Effect<void, never, JobStore | SampleStore | UnitSecrets> => {
        const { unit } = fact
        switch (fact._tag) {
          case "Started":
            return ifPresent(
              applyTo(unit, (head, benchmark, now) =>
                decideStarted(head, benchmark, { attempt: unit.attempt, at: fact.at }, now)
              )
            )
          case "Waiting":
            return ifPresent(
              applyTo(unit, (head, benchmark, now) =>
                decideWaiting(head, benchmark, { ...fact, attempt: unit.attempt }, now)
              )
            )
          case "Warned":
            return ifPresent(
              applyTo(unit, (head, benchmark, now) =>
                decideWarned(head, benchmark, { ...fact, attempt: unit.attempt }, now)
              )
            )
          case "Recovered":
            return ifPresent(
              applyTo(unit, (head, benchmark, now) =>
                decideRecovered(head, benchmark, { ...fact, attempt: unit.attempt }, now)
              )
            )
          case "Incomplete":
            return ifPresent(launchAgain(unit))
          case "Spooled":
            return applySpooled(fact, options)
          case "LeftSamples":
            return collectSamples(fact)
          case "Ended":
            return Effect.asVoid(FiberMap.run(ending, keyOf(unit), applyEnded(fact, options), { onlyIfMissing: true }))
        }
      }
      const safely = (fact: UnitFact) =>
        Effect.catchAllDefect(handle(fact), (defect) =>
          Effect.logError(`fact ${fact._tag} about ${nameOf(fact.unit)} could not be handled`, defect)
        )
      yield* Stream.runForEach(runtime.facts, (fact) => inLane(keyOf(fact.unit), safely(fact)))
    })
  )
