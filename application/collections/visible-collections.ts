/** All collections that a tenant sees: built-in ones, those of files (general, or of this tenant), and its own. */
import { Effect } from "effect"
import type { Collection } from "../../domain/collection/collection.ts"
import { Catalog } from "../ports/catalog.ts"
import { CollectionStore } from "../ports/collection-store.ts"

/** `errors`: one line per definition or record that could not be read and is left out */
export const visibleCollections = Effect.fnUntraced(function* (tenant: string) {
  const { collections, errors } = yield* (yield* Catalog).current
  const stored = yield* (yield* CollectionStore).list(tenant)
  const shared = collections.filter((collection) => collection.tenant === undefined || collection.tenant === tenant)
  const records: ReadonlyArray<Collection> = stored.records.length === 0 ? shared : [...shared, ...stored.records]
  return { records, errors: stored.errors.length === 0 ? errors : [...errors, ...stored.errors] }
})
