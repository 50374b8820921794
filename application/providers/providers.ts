/** Providers as a kind of definition. */
import { Effect } from "effect"
import { checkProvider } from "../../domain/provider/check-provider.ts"
import type { Provider, ProviderDefinition } from "../../domain/provider/provider.ts"
import type { DefinitionKind } from "../definitions/definition-kind.ts"
import { ProviderStore } from "../ports/stores/provider-store.ts"

export const providers: DefinitionKind<ProviderDefinition, Provider, ProviderStore> = {
  name: "provider",
  store: ProviderStore,
  inCatalog: ({ providers: known }) => known,
  checkFor: () => Effect.succeed({ check: checkProvider, needs: () => [] }),
  keep: (definition, origin) => ({ ...definition, ...origin })
}
