/** Deletes a collection of the tenant. Jobs keep their snapshots. Decisions 1, "Writes". */
import { Effect, type Either } from "effect"
import type { Collection } from "../../domain/collection/collection.ts"
import type { Caller } from "../access/caller.ts"
import { type PreconditionFailed, ReadOnly } from "../errors.ts"
import { CollectionStore } from "../ports/collection-store.ts"
import { findDefinedCollection } from "./find-collection.ts"

/** `permit` checks the caller's precondition under the row's lock */
export const removeCollection = Effect.fn("collections.remove")(function* (
  caller: Caller,
  id: string,
  permit: (current: Collection) => Either.Either<void, PreconditionFailed>
) {
  if ((yield* findDefinedCollection(caller.tenant, id)) !== undefined) return yield* new ReadOnly({ kind: "collection", id })
  yield* (yield* CollectionStore).remove(caller.tenant, id, permit)
})
