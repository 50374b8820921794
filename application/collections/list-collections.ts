/** A page of the collections that a tenant sees, built-in ones first, then by name. Decisions 1, "Lists". */
import { Effect } from "effect"
import { type CollectionFilter, matchesCollection } from "../../domain/collection/collection-query.ts"
import type { PageRequest } from "../../domain/paging.ts"
import { definitionPage } from "../../domain/provider/definition-page.ts"
import type { Caller } from "../access/caller.ts"
import { visibleCollections } from "./visible-collections.ts"

export const listCollections = Effect.fnUntraced(function* (caller: Caller, filter: CollectionFilter, page: PageRequest) {
  const { records, errors } = yield* visibleCollections(caller.tenant)
  return { ...definitionPage(records, matchesCollection(filter), page), errors }
})
