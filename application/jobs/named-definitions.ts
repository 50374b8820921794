/**
 * The providers and the collection that a job request needs, as its tenant sees them, read before the pure check runs; when one is
 * missing, all that there are, for a hint about what was meant.
 */
import { Effect } from "effect"
import type { Collection } from "../../domain/collection/collection.ts"
import type { JobRequest } from "../../domain/job/job.ts"
import type { Provider } from "../../domain/provider/provider.ts"
import { collections } from "../collections/collections.ts"
import { findDefinition, visibleDefinitions } from "../definitions/find-definition.ts"
import { providers as providerKind } from "../providers/providers.ts"

export const definitionsNamedBy = Effect.fnUntraced(function* (tenant: string, request: JobRequest) {
  const name = request.collection?.id
  const collection: Collection | undefined =
    name === undefined ? undefined : yield* findDefinition(collections, tenant, name.trim())
  const entries = [...(request.benchmarks ?? []), ...(collection?.benchmarks ?? [])]
  const providers = new Map<string, Provider | undefined>()
  for (const id of new Set(entries.map(({ providerId }) => providerId.trim())))
    providers.set(id, yield* findDefinition(providerKind, tenant, id))
  const missing = [...providers.values()].includes(undefined)
  const knownProviders = missing ? (yield* visibleDefinitions(providerKind, tenant)).records : []
  const knownCollections =
    name !== undefined && collection === undefined ? (yield* visibleDefinitions(collections, tenant)).records : []
  return {
    knownProviders: () => knownProviders,
    knownCollections: () => knownCollections,
    findProvider: (id: string) => providers.get(id),
    findCollection: (id: string) => (id === collection?.id ? collection : undefined)
  }
})
