/** Callback secrets in memory. */
import { Effect, Layer, Redacted } from "effect"
import { Identifiers } from "../../application/ports/identifiers.ts"
import type { UnitId } from "../../application/ports/runtime.ts"
import { UnitSecrets } from "../../application/ports/stores/unit-secrets.ts"
import { step, Tables } from "./tables.ts"

const isSame = (a: UnitId, b: UnitId): boolean => a.jobId === b.jobId && a.index === b.index && a.attempt === b.attempt

const make = Effect.gen(function* () {
  const tables = yield* Tables
  const identifiers = yield* Identifiers
  const retire = (concerns: (unit: UnitId) => boolean, graceMillis: number) =>
    step((now) =>
      Effect.sync(() => {
        for (const [secret, stored] of tables.secrets)
          if (concerns(stored.unit))
            tables.secrets.set(secret, { ...stored, expiresAt: Math.min(stored.expiresAt, now + graceMillis) })
      })
    )
  return UnitSecrets.of({
    issue: (unit) =>
      Effect.map(identifiers.secret, (secret) => {
        for (const [other, stored] of tables.secrets) if (isSame(stored.unit, unit)) tables.secrets.delete(other)
        tables.secrets.set(secret, { unit, expiresAt: Number.POSITIVE_INFINITY })
        return Redacted.make(secret)
      }),
    identify: (secret) =>
      step((now) =>
        Effect.sync(() => {
          const stored = tables.secrets.get(Redacted.value(secret))
          if (stored === undefined || stored.expiresAt <= now) return undefined
          const { tenant, jobId, index, attempt } = stored.unit
          return { tenant, jobId, index, attempt }
        })
      ),
    retire: (unit, graceMillis) => retire((other) => isSame(other, unit), graceMillis),
    retireJob: (jobId, graceMillis) => retire((other) => other.jobId === jobId, graceMillis)
  })
})

export const layer: Layer.Layer<UnitSecrets, never, Tables | Identifiers> = Layer.effect(UnitSecrets, make)
