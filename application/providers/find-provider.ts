/** One provider as a tenant sees it: built in, from a file (general, or of this tenant), or stored by the tenant. */
import { Effect } from "effect"
import type { Provider } from "../../domain/provider/provider.ts"
import { Catalog } from "../ports/catalog.ts"
import { ProviderStore } from "../ports/provider-store.ts"

/** the definition of a file; undefined when there is none for this tenant */
export const findDefinedProvider = Effect.fnUntraced(function* (tenant: string, id: string) {
  const { providers } = yield* (yield* Catalog).current
  const found: Provider | undefined = providers.find((provider) => provider.id === id && (provider.tenant === undefined || provider.tenant === tenant))
  return found
})

/** undefined when the tenant sees none of this id */
export const findProvider = Effect.fnUntraced(function* (tenant: string, id: string) {
  const defined = yield* findDefinedProvider(tenant, id)
  if (defined !== undefined) return defined
  const stored: Provider | undefined = yield* (yield* ProviderStore).load(tenant, id).pipe(Effect.catchTag("NotFound", () => Effect.sync(() => undefined)))
  return stored
})
