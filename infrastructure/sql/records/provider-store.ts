/** Providers of tenants in a database. A provider that a collection of its tenant names cannot be deleted. */
import { Effect, Layer } from "effect"
import { Conflict } from "../../../application/errors.ts"
import { ProviderStore } from "../../../application/ports/stores/provider-store.ts"
import type { Provider } from "../../../domain/provider/provider.ts"
import { Database } from "../connection/client.ts"
import type { Session } from "../connection/session.ts"
import * as TenantRecords from "./tenant-records.ts"

const user = `SELECT c.id, c.name FROM collection_providers p JOIN collections c ON c.tenant = p.tenant AND c.id = p.collection_id
  WHERE p.tenant = ? AND p.provider_id = ? ORDER BY c.name, c.id LIMIT 1`

const unused = (session: Session, tenant: string, id: string) =>
  Effect.flatMap(session.query<{ id: string; name: string }>(user, [tenant, id]), ([collection]) =>
    collection === undefined
      ? Effect.void
      : Effect.fail(
          new Conflict({
            code: "resource_in_use",
            message: `provider ${id} can not be deleted because collection '${collection.name}' (${collection.id}) names it; change or delete that collection first`
          })
        )
  )

const make = Effect.map(Database, (database) => {
  const { insert, insertOnce, load, list, change, remove } = TenantRecords.make<Provider>(
    { table: "providers", kind: "provider", stored: () => Effect.void },
    database
  )
  return ProviderStore.of({
    ...{ insert, insertOnce, load, list, change },
    remove: (tenant, id, decide) =>
      remove(tenant, id, (session, provider) => Effect.zipRight(decide(provider), unused(session, tenant, id)))
  })
})

export const layer: Layer.Layer<ProviderStore, never, Database> = Layer.effect(ProviderStore, make)
