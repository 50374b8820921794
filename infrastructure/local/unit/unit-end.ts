/**
 * Telling how a unit ended: events it could not deliver first, then its end, and only after that its entry among the live units goes.
 * Reference: adapter-contract.md, "Exit".
 */
import { Effect, Queue } from "effect"
import type { UnitFact, UnitId } from "../../../application/ports/runtime.ts"
import { lastLines } from "../files/log-reader.ts"
import { spooledIn } from "../files/spool.ts"
import { directoryOf } from "../files/unit-directory.ts"
import type { LiveUnit, LiveUnits } from "./live-units.ts"

const shownLogLines = 20

export const idOf = ({ tenant, jobId, index, attempt }: UnitId): UnitId => ({ tenant, jobId, index, attempt })

/** files of a unit may be gone or the disk full: that is worth a line in the log, and must not stop what follows */
export const orLogged = <A>(what: string, run: () => A, otherwise: A): Effect.Effect<A> =>
  Effect.catchAll(Effect.try(run), (error) => Effect.as(Effect.logWarning(`could not ${what} of a local benchmark`, error), otherwise))

/** the same for what is read without holding the thread */
export const orLoggedLater = <A>(what: string, run: () => Promise<A>, otherwise: A): Effect.Effect<A> =>
  Effect.catchAll(Effect.tryPromise(run), ({ error }) => Effect.as(Effect.logWarning(`could not ${what} of a local benchmark`, error), otherwise))

/** tells what an ended unit left, and its end whatever becomes of the rest */
export const report = (facts: Queue.Enqueue<UnitFact>, entry: LiveUnit, ended: NonNullable<LiveUnit["ended"]>): Effect.Effect<void> =>
  Effect.gen(function* () {
    const directory = directoryOf(entry.root)
    for (const spooled of yield* orLoggedLater("read the spool", () => spooledIn(directory.spool), [])) {
      if (spooled._tag === "Unreadable") yield* Effect.logWarning(`event file ${spooled.path} can not be read: ${spooled.reason}`)
      else {
        const acknowledge = orLoggedLater("remove an applied event", spooled.remove, undefined)
        yield* Queue.offer(facts, { _tag: "Spooled", unit: idOf(entry), event: spooled.event, acknowledge })
      }
    }
    const logTail = yield* orLoggedLater("read the log", () => lastLines(directory.log, shownLogLines), [])
    yield* Queue.offer(facts, { _tag: "Ended", unit: idOf(entry), ...ended, logTail })
  })

/** the entry goes when the end had time to be told and no event waits any more */
export const settled = (liveUnits: LiveUnits, entry: LiveUnit, millis: number): Effect.Effect<void> =>
  Effect.sleep(millis).pipe(
    Effect.zipRight(orLoggedLater("read the spool", async () => (await spooledIn(directoryOf(entry.root).spool)).some(({ _tag }) => _tag === "Event"), false)),
    Effect.repeat({ while: (waiting) => waiting }),
    Effect.zipRight(orLogged("forget an entry", () => liveUnits.remove(entry), undefined))
  )
