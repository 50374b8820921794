/**
 * Units that live on after their benchmark is over: each holds one of the few places, and nobody waits for it any more. They get some time
 * to end by themselves, then they are ended like on a cancel.
 */
import { Clock, Effect } from "effect"
import type { Unavailable } from "../../../application/errors.ts"
import type { UnitId } from "../../../application/ports/runtime.ts"
import { unitKey } from "../../unit/names.ts"
import type { LiveUnit } from "./live-units.ts"

export interface LingerLimit {
  /** how long a unit may go on after its benchmark is over (`local.linger_seconds`) */
  readonly millis: number
  /** whether the benchmark of this unit has its final state, or is gone; asked every few seconds about the running units */
  readonly isOver: (unit: UnitId) => Effect.Effect<boolean, Unavailable>
}

export interface Lingering {
  /** units that have a process now */
  readonly running: () => ReadonlyArray<LiveUnit>
  /** returns once nothing of it runs */
  readonly end: (entry: LiveUnit) => Effect.Effect<void>
}

const longestPause = 5000
const shortestPause = 25

/** never ends; looks often enough that the limit is exceeded by a quarter of it at most, and by five seconds */
export const run = ({ millis, isOver }: LingerLimit, { running, end }: Lingering): Effect.Effect<never> => {
  const pause = Math.min(longestPause, Math.max(shortestPause, millis / 4))
  /** by unit: when its benchmark was first seen to be over */
  const overSince = new Map<string, number>()
  const ending = new Set<string>()

  const endOne = (entry: LiveUnit) => {
    const key = unitKey(entry)
    ending.add(key)
    const what = `the process of benchmark ${entry.index} of job ${entry.jobId} went on for ${Math.round(millis / 1000)} s after its end was reported, and is ended`
    return Effect.logWarning(what).pipe(
      Effect.zipRight(end(entry)),
      Effect.ensuring(Effect.sync(() => ending.delete(key))),
      Effect.forkDaemon
    )
  }
  const lookAt = (entry: LiveUnit, now: number) =>
    Effect.gen(function* () {
      const key = unitKey(entry)
      // a store that is away is asked again with the next look
      if (ending.has(key) || !(yield* Effect.orElseSucceed(isOver(entry), () => false))) return
      const since = overSince.get(key) ?? now
      overSince.set(key, since)
      if (now - since >= millis) yield* endOne(entry)
    })
  const look = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const entries = running()
    const known = new Set(entries.map(unitKey))
    for (const key of overSince.keys()) if (!known.has(key)) overSince.delete(key)
    yield* Effect.forEach(entries, (entry) => lookAt(entry, now), { discard: true })
  })
  const safely = Effect.catchAllCause(look, (cause) =>
    Effect.logError("units that outlive their benchmarks could not be looked for", cause)
  )
  return Effect.forever(Effect.delay(safely, pause))
}
