/** Creates a collection of the tenant. Decisions 1, "Writes". */
import { DateTime, Effect, Either } from "effect"
import { checkCollection } from "../../domain/collection/check-collection.ts"
import type { Collection, CollectionDefinition } from "../../domain/collection/collection.ts"
import type { Caller } from "../access/caller.ts"
import { Invalid } from "../errors.ts"
import { type OnceKey, once } from "../once.ts"
import { CollectionStore } from "../ports/collection-store.ts"
import { Identifiers } from "../ports/identifiers.ts"
import { providerLookup } from "../providers/provider-lookup.ts"

const prepared = (caller: Caller, definition: CollectionDefinition) =>
  Effect.gen(function* () {
    const lookup = yield* providerLookup(caller.tenant)
    const checked = checkCollection(definition, lookup)
    if (Either.isLeft(checked)) return yield* new Invalid({ violations: checked.left })
    const now = DateTime.formatIso(yield* DateTime.now)
    const id = yield* (yield* Identifiers).next
    const collection: Collection = {
      ...checked.right,
      id,
      tenant: caller.tenant,
      owner: caller.owner,
      createdAt: now,
      updatedAt: now,
      scope: "tenant",
      readOnly: false
    }
    return collection
  })

/** `key`: create at most once under this idempotency key; a replay answers the record as it was created */
export const createCollection = Effect.fn("collections.create")(function* (caller: Caller, definition: CollectionDefinition, key?: OnceKey) {
  const store = yield* CollectionStore
  if (key === undefined) {
    const collection = yield* prepared(caller, definition)
    yield* store.insert(collection)
    return { collection, replayed: false }
  }
  const result = yield* once(caller, "collection", key, (claim) =>
    Effect.gen(function* () {
      const created = yield* prepared(caller, definition)
      return { outcome: yield* store.insertOnce(created, claim), created }
    })
  )
  return result._tag === "Created"
    ? { collection: result.created, replayed: false }
    : { collection: JSON.parse(result.kept.answer) as Collection, replayed: true }
})
