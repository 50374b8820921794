/**
 * Replaces the definition of a collection of the tenant. `next` computes it from the stored one under the row's lock (a PUT ignores the
 * stored one, a PATCH works on it, both check their precondition) and may run more than once. Decisions 1, "Writes".
 */
import { DateTime, Effect, Either } from "effect"
import { checkCollection } from "../../domain/collection/check-collection.ts"
import type { Collection, CollectionDefinition } from "../../domain/collection/collection.ts"
import { later } from "../../domain/job/iso-time.ts"
import type { Caller } from "../access/caller.ts"
import { Invalid, type PreconditionFailed, ReadOnly } from "../errors.ts"
import { CollectionStore } from "../ports/collection-store.ts"
import { providerLookup } from "../providers/provider-lookup.ts"
import { findDefinedCollection } from "./find-collection.ts"

export type NextCollection = (current: Collection) => Either.Either<CollectionDefinition, Invalid | PreconditionFailed>

export const changeCollection = Effect.fn("collections.change")(function* (caller: Caller, id: string, next: NextCollection) {
  if ((yield* findDefinedCollection(caller.tenant, id)) !== undefined) return yield* new ReadOnly({ kind: "collection", id })
  const lookup = yield* providerLookup(caller.tenant)
  const checked = (definition: CollectionDefinition): Either.Either<CollectionDefinition, Invalid> =>
    Either.mapLeft(checkCollection(definition, lookup), (violations) => new Invalid({ violations }))
  const now = DateTime.formatIso(yield* DateTime.now)
  return yield* (yield* CollectionStore).change(caller.tenant, id, (current) =>
    Either.map(Either.flatMap(next(current), checked), (definition): Collection => {
      const { tenant, owner, createdAt, updatedAt, scope, readOnly } = current
      const origin = { id: current.id, createdAt, updatedAt: later(now, updatedAt), scope, readOnly }
      return { ...definition, ...origin, ...(tenant === undefined ? {} : { tenant }), ...(owner === undefined ? {} : { owner }) }
    })
  )
})
