/** Filters of the provider list. Reference: api.md, "Lists". */
import { matchesName, matchesTags, type TagFilter } from "../list-filter.ts"
import type { Scope } from "./definition-page.ts"
import type { Provider } from "./provider.ts"

export interface ProviderFilter {
  /** looked for in the provider's name */
  readonly name?: string
  readonly tags?: TagFilter
  /** absent: all */
  readonly scope?: Scope
}

export const matchesProvider =
  (filter: ProviderFilter) =>
  (provider: Pick<Provider, "name" | "tags" | "scope">): boolean =>
    (filter.scope === undefined || provider.scope === filter.scope) &&
    matchesName(provider.name, filter.name) &&
    matchesTags(provider.tags, filter.tags)
