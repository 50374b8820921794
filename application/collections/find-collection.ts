/** One collection as a tenant sees it: built in, from a file (general, or of this tenant), or stored by the tenant. */
import { Effect } from "effect"
import type { Collection } from "../../domain/collection/collection.ts"
import { Catalog } from "../ports/catalog.ts"
import { CollectionStore } from "../ports/collection-store.ts"

/** the definition of a file; undefined when there is none for this tenant */
export const findDefinedCollection = Effect.fnUntraced(function* (tenant: string, id: string) {
  const { collections } = yield* (yield* Catalog).current
  const found: Collection | undefined = collections.find(
    (collection) => collection.id === id && (collection.tenant === undefined || collection.tenant === tenant)
  )
  return found
})

/** undefined when the tenant sees none of this id */
export const findCollection = Effect.fnUntraced(function* (tenant: string, id: string) {
  const defined = yield* findDefinedCollection(tenant, id)
  if (defined !== undefined) return defined
  const stored: Collection | undefined = yield* (yield* CollectionStore).load(tenant, id).pipe(Effect.catchTag("NotFound", () => Effect.sync(() => undefined)))
  return stored
})
