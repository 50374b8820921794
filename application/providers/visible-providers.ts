/** All providers that a tenant sees: built-in ones, those of files (general, or of this tenant), and its own. */
import { Effect } from "effect"
import type { Provider } from "../../domain/provider/provider.ts"
import { Catalog } from "../ports/catalog.ts"
import { ProviderStore } from "../ports/provider-store.ts"

/** `errors`: one line per definition or record that could not be read and is left out */
export const visibleProviders = Effect.fnUntraced(function* (tenant: string) {
  const { providers, errors } = yield* (yield* Catalog).current
  const stored = yield* (yield* ProviderStore).list(tenant)
  const shared = providers.filter((provider) => provider.tenant === undefined || provider.tenant === tenant)
  const records: ReadonlyArray<Provider> = stored.records.length === 0 ? shared : [...shared, ...stored.records]
  return { records, errors: stored.errors.length === 0 ? errors : [...errors, ...stored.errors] }
})
