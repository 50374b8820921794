/** A page of the providers that a tenant sees, built-in ones first, then by name. Decisions 1, "Lists". */
import { Effect } from "effect"
import type { PageRequest } from "../../domain/paging.ts"
import { definitionPage } from "../../domain/provider/definition-page.ts"
import { matchesProvider, type ProviderFilter } from "../../domain/provider/provider-query.ts"
import type { Caller } from "../access/caller.ts"
import { visibleProviders } from "./visible-providers.ts"

export const listProviders = Effect.fnUntraced(function* (caller: Caller, filter: ProviderFilter, page: PageRequest) {
  const { records, errors } = yield* visibleProviders(caller.tenant)
  return { ...definitionPage(records, matchesProvider(filter), page), errors }
})
