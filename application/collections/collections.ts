/** Collections as a kind of definition: they are checked against the providers that their tenant sees. */
import { Effect } from "effect"
import { checkCollection } from "../../domain/collection/check-collection.ts"
import type { Collection, CollectionDefinition } from "../../domain/collection/collection.ts"
import type { DefinitionKind } from "../definitions/definition-kind.ts"
import { visibleDefinitions } from "../definitions/find-definition.ts"
import { CollectionStore } from "../ports/stores/collection-store.ts"
import { providers } from "../providers/providers.ts"

export const collections: DefinitionKind<CollectionDefinition, Collection, CollectionStore> = {
  name: "collection",
  store: CollectionStore,
  inCatalog: ({ collections: known }) => known,
  checkFor: (tenant) =>
    Effect.map(visibleDefinitions(providers, tenant), ({ records }) => {
      const byId = new Map(records.map((provider) => [provider.id, provider]))
      const isStored = (id: string) => byId.get(id)?.scope === "tenant"
      return {
        check: (definition) =>
          checkCollection(
            definition,
            (id) => byId.get(id),
            () => records
          ),
        needs: ({ benchmarks }) => [...new Set(benchmarks.map(({ providerId }) => providerId))].filter(isStored)
      }
    }),
  keep: (definition, origin) => ({ ...definition, ...origin })
}
