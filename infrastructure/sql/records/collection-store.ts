/** Collections of tenants in a database, with the providers they name, so that deleting one of those can be refused. */
import { Effect, Layer } from "effect"
import { CollectionStore } from "../../../application/ports/stores/collection-store.ts"
import type { Collection } from "../../../domain/collection/collection.ts"
import { Database } from "../connection/client.ts"
import { type Session, tuples } from "../connection/session.ts"
import * as TenantRecords from "./tenant-records.ts"

const forget = (session: Session, tenant: string, id: string) =>
  session.write("DELETE FROM collection_providers WHERE tenant = ? AND collection_id = ?", [tenant, id])

const remember = (session: Session, { tenant = "", id, benchmarks }: Collection) =>
  Effect.gen(function* () {
    const providers = [...new Set(benchmarks.map((benchmark) => benchmark.providerId))].sort()
    yield* forget(session, tenant, id)
    yield* session.write(
      `INSERT INTO collection_providers (tenant, provider_id, collection_id) VALUES ${tuples(providers.length, 3)}`,
      providers.flatMap((provider) => [tenant, provider, id])
    )
  })

const make = Effect.map(Database, (database) => {
  const { remove, ...records } = TenantRecords.make<Collection>(
    { table: "collections", kind: "collection", stored: remember },
    database
  )
  return CollectionStore.of({
    ...records,
    remove: (tenant, id, decide) =>
      remove(tenant, id, (session, collection) => Effect.zipRight(decide(collection), forget(session, tenant, id)))
  })
})

export const layer: Layer.Layer<CollectionStore, never, Database> = Layer.effect(CollectionStore, make)
