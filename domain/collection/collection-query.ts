/** Filters of the collection list. Reference: api.md, "Lists". */
import { matchesName, matchesTags, type TagFilter } from "../list-filter.ts"
import type { Scope } from "../provider/definition-page.ts"
import type { Collection } from "./collection.ts"

export interface CollectionFilter {
  readonly name?: string
  /** exact */
  readonly category?: string
  readonly tags?: TagFilter
  /** absent: all */
  readonly scope?: Scope
}

export const matchesCollection =
  (filter: CollectionFilter) =>
  (collection: Pick<Collection, "name" | "category" | "tags" | "scope">): boolean =>
    (filter.scope === undefined || collection.scope === filter.scope) &&
    (filter.category === undefined || collection.category === filter.category) &&
    matchesName(collection.name, filter.name) &&
    matchesTags(collection.tags, filter.tags)
