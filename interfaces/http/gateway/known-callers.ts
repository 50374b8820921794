/**
 * Units whose secrets were looked up lately. Model traffic asks the database once a minute for each of them, and goes on with what is known
 * while the database is away: a benchmark must not fail for it. Reference: gateway.md, "Routes".
 */
import { Clock, Effect } from "effect"
import { LRUCache } from "lru-cache"
import type { Unavailable } from "../../../application/errors.ts"
import type { UnitId } from "../../../application/ports/runtime.ts"

type LookUp = Effect.Effect<UnitId | undefined, Unavailable>

const maxCallers = 1_000
const freshMillis = 60_000

export interface KnownCallers {
  /** `lookUp`: asks the database; what it does not know is forgotten */
  readonly identify: (secret: string, lookUp: LookUp) => LookUp
}

export const makeKnownCallers = (): KnownCallers => {
  const callers = new LRUCache<string, { readonly unit: UnitId; readonly at: number }>({ max: maxCallers })
  const again = (secret: string, lookUp: LookUp, now: number): LookUp =>
    Effect.tap(lookUp, (unit) =>
      Effect.sync(() => {
        if (unit === undefined) callers.delete(secret)
        else callers.set(secret, { unit, at: now })
      })
    )
  return {
    identify: (secret, lookUp) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const known = callers.get(secret)
        if (known === undefined) return again(secret, lookUp, now)
        if (now - known.at < freshMillis) return Effect.succeed(known.unit)
        return Effect.orElseSucceed(again(secret, lookUp, now), () => known.unit)
      })
  }
}
