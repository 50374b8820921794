/** Keys of creating requests in memory. */
import { Effect, Layer } from "effect"
import { Idempotency, type IdempotencyClaim, type InsertOutcome } from "../../application/ports/stores/idempotency.ts"
import { step, Tables } from "./tables.ts"

const nameOf = (scope: string, key: string): string => JSON.stringify([scope, key])

const isKept = (expiresAt: string, now: number): boolean => Date.parse(expiresAt) > now

/** runs `insert` and keeps its answer when the key is free */
export const claim = <E>(
  tables: typeof Tables.Service,
  wanted: IdempotencyClaim,
  now: number,
  recordId: string,
  insert: Effect.Effect<string, E>
): Effect.Effect<InsertOutcome, E> => {
  const name = nameOf(wanted.scope, wanted.key)
  const kept = tables.answers.get(name)
  if (kept !== undefined && isKept(kept.expiresAt, now)) return Effect.succeed("taken")
  return Effect.map(insert, (answer) => {
    tables.answers.set(name, { bodyDigest: wanted.bodyDigest, recordId, answer, expiresAt: wanted.expiresAt })
    return "inserted"
  })
}

const make = Effect.map(Tables, (tables) =>
  Idempotency.of({
    find: (scope, key) =>
      step((now) =>
        Effect.sync(() => {
          const kept = tables.answers.get(nameOf(scope, key))
          if (kept === undefined || !isKept(kept.expiresAt, now)) return undefined
          return { bodyDigest: kept.bodyDigest, recordId: kept.recordId, answer: kept.answer }
        })
      ),
    removeExpired: (limit) =>
      step((now) =>
        Effect.sync(() => {
          const expired = [...tables.answers].filter(([, { expiresAt }]) => !isKept(expiresAt, now)).slice(0, limit)
          for (const [name] of expired) tables.answers.delete(name)
          return expired.length
        })
      )
  })
)

export const layer: Layer.Layer<Idempotency, never, Tables> = Layer.effect(Idempotency, make)
