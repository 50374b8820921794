/** Leases in memory: one process, so that they matter to tests alone. */
import { Effect, Layer } from "effect"
import { Leases, placeOf } from "../../application/ports/leases.ts"
import { step } from "./tables.ts"

interface Lease {
  readonly holder: string
  readonly term: number
  /** milliseconds */
  readonly until: number
}

const make = Effect.sync(() => {
  const roles = new Map<string, Lease>()
  return Leases.of({
    hold: (role, holder, leaseMillis) =>
      step((now) =>
        Effect.sync(() => {
          const lease = roles.get(role)
          const place = placeOf(holder)
          const isNext = place !== undefined && lease?.holder.startsWith(place) === true
          if (lease !== undefined && lease.holder !== holder && lease.until > now && !isNext) return undefined
          const term = lease === undefined ? 1 : lease.holder === holder ? lease.term : lease.term + 1
          roles.set(role, { holder, term, until: now + leaseMillis })
          return term
        })
      ),
    release: (role, holder) =>
      Effect.sync(() => {
        const lease = roles.get(role)
        if (lease?.holder === holder) roles.set(role, { ...lease, until: Number.NEGATIVE_INFINITY })
      })
  })
})

export const layer: Layer.Layer<Leases> = Layer.effect(Leases, make)
