/**
 * Telling how a unit ended: events it could not deliver first, then its end, and only after that its entry among the live units goes.
 * Reference: adapter-contract.md, "Exit".
 */
import { Effect, Queue, Runtime } from "effect"
import type { UnitFact, UnitId } from "../../../application/ports/runtime.ts"
import type { Sample } from "../../../domain/sample/sample.ts"
import { eachLeftBatch, type LeftBatch, leftAny } from "../files/left-samples.ts"
import { lastLines } from "../files/log-reader.ts"
import { spooledIn } from "../files/spool.ts"
import { directoryOf } from "../files/unit-directory.ts"
import type { LiveUnit, LiveUnits } from "./live-units.ts"

const shownLogLines = 20

export const idOf = ({ tenant, jobId, index, attempt }: UnitId): UnitId => ({ tenant, jobId, index, attempt })

/** files of a unit may be gone or the disk full: that is worth a line in the log, and must not stop what follows */
export const orLogged = <A>(what: string, run: () => A, otherwise: A): Effect.Effect<A> =>
  Effect.catchAll(Effect.try(run), (error) =>
    Effect.as(Effect.logWarning(`could not ${what} of a local benchmark`, error), otherwise)
  )

/** the same for what is read without holding the thread */
export const orLoggedLater = <A>(what: string, run: () => Promise<A>, otherwise: A): Effect.Effect<A> =>
  Effect.catchAll(Effect.tryPromise(run), ({ error }) =>
    Effect.as(Effect.logWarning(`could not ${what} of a local benchmark`, error), otherwise)
  )

/** sample records that are only in the unit's files; what is wrong with them is a line in the log */
const leftSamples = (entry: LiveUnit): Extract<UnitFact, { readonly _tag: "LeftSamples" }> => ({
  _tag: "LeftSamples",
  unit: idOf(entry),
  collect: <R>(take: (samples: ReadonlyArray<Sample>) => Effect.Effect<void, never, R>) =>
    Effect.flatMap(Effect.runtime<R>(), (runtime) => {
      const run = Runtime.runPromise(runtime)
      const use = ({ samples, unreadable, reason }: LeftBatch) =>
        run(
          Effect.zipRight(
            unreadable === 0
              ? Effect.void
              : Effect.logWarning(
                  `${unreadable} lines of sample files of benchmark ${entry.index} of job ${entry.jobId} can not be read: ${reason}`
                ),
            samples.length === 0 ? Effect.void : take(samples)
          )
        )
      return Effect.catchAll(
        Effect.tryPromise((signal) => eachLeftBatch(directoryOf(entry.root), use, signal)),
        ({ error }) => Effect.logWarning("could not read the samples of a local benchmark", error)
      )
    })
})

/** tells what an ended unit left, and its end whatever becomes of the rest */
export const report = (
  facts: Queue.Enqueue<UnitFact>,
  entry: LiveUnit,
  ended: NonNullable<LiveUnit["ended"]>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const directory = directoryOf(entry.root)
    for (const spooled of yield* orLoggedLater("read the spool", () => spooledIn(directory.spool), [])) {
      if (spooled._tag === "Unreadable")
        yield* Effect.logWarning(`event file ${spooled.path} can not be read: ${spooled.reason}`)
      else {
        const acknowledge = orLoggedLater("remove an applied event", spooled.remove, undefined)
        yield* Queue.offer(facts, { _tag: "Spooled", unit: idOf(entry), event: spooled.event, acknowledge })
      }
    }
    if (yield* orLoggedLater("look for samples", () => leftAny(directory.results), false))
      yield* Queue.offer(facts, leftSamples(entry))
    const logTail = yield* orLoggedLater("read the log", () => lastLines(directory.log, shownLogLines), [])
    yield* Queue.offer(facts, { _tag: "Ended", unit: idOf(entry), ...ended, logTail })
  })

/** the entry goes when the end had time to be told and no event waits any more */
export const settled = (liveUnits: LiveUnits, entry: LiveUnit, millis: number): Effect.Effect<void> =>
  Effect.sleep(millis).pipe(
    Effect.zipRight(
      orLoggedLater(
        "read the spool",
        async () => (await spooledIn(directoryOf(entry.root).spool)).some(({ _tag }) => _tag === "Event"),
        false
      )
    ),
    Effect.repeat({ while: (waiting) => waiting }),
    Effect.zipRight(orLogged("forget an entry", () => liveUnits.remove(entry), undefined))
  )
