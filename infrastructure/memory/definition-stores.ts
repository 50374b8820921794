/** Providers and collections of tenants in memory. */
import { Effect, Either, Layer } from "effect"
import { Conflict, NotFound, ProviderGone } from "../../application/errors.ts"
import { CollectionStore } from "../../application/ports/stores/collection-store.ts"
import type { Needs } from "../../application/ports/stores/definition-store.ts"
import type { IdempotencyClaim } from "../../application/ports/stores/idempotency.ts"
import { ProviderStore } from "../../application/ports/stores/provider-store.ts"
import { claim } from "./idempotency.ts"
import { recordKey, step, Tables } from "./tables.ts"

interface Definition {
  readonly id: string
  readonly tenant?: string
  readonly name: string
}

const byName = (a: Definition, b: Definition): number =>
  a.name === b.name ? (a.id < b.id ? -1 : 1) : a.name < b.name ? -1 : 1

const storeOf = <A extends Definition>(
  kind: "provider" | "collection",
  records: Map<string, A>,
  tables: typeof Tables.Service
) => {
  const keyOf = (record: A) => recordKey(record.tenant ?? "", record.id)
  const find = (tenant: string, id: string): Either.Either<A, NotFound> =>
    Either.fromNullable(records.get(recordKey(tenant, id)), () => new NotFound({ kind, id }))
  const needed = (record: A, needs: Needs<A>): Either.Either<A, ProviderGone> => {
    const gone = needs(record).find((provider) => !tables.providers.has(recordKey(record.tenant ?? "", provider)))
    return gone === undefined ? Either.right(record) : Either.left(new ProviderGone({ id: gone }))
  }
  return {
    insert: (record: A, needs: Needs<A> = () => []) =>
      Effect.suspend(() =>
        records.has(keyOf(record))
          ? Effect.dieMessage(`${kind} ${record.id} is stored already`)
          : Either.map(needed(record, needs), () => void records.set(keyOf(record), record))
      ),
    insertOnce: (record: A, wanted: IdempotencyClaim, needs: Needs<A> = () => []) =>
      step((now) =>
        Effect.flatMap(needed(record, needs), () =>
          claim(
            tables,
            wanted,
            now,
            record.id,
            Effect.sync(() => {
              records.set(keyOf(record), record)
              return JSON.stringify(record)
            })
          )
        )
      ),
    load: (tenant: string, id: string) => Effect.suspend(() => find(tenant, id)),
    list: (tenant: string) =>
      Effect.sync(() => ({
        records: [...records.values()].filter((record) => record.tenant === tenant).sort(byName),
        errors: []
      })),
    change: <E>(tenant: string, id: string, decide: (record: A) => Either.Either<A, E>, needs: Needs<A> = () => []) =>
      Effect.suspend(() =>
        Either.map(
          Either.flatMap(Either.flatMap(find(tenant, id), decide), (next: A) => needed(next, needs)),
          (next) => {
            records.set(recordKey(tenant, id), next)
            return next
          }
        )
      ),
    remove: <E>(tenant: string, id: string, check: (record: A) => Either.Either<void, E>) =>
      Effect.suspend(() =>
        Either.map(Either.flatMap(find(tenant, id), check), () => void records.delete(recordKey(tenant, id)))
      )
  }
}

const providers = Effect.map(Tables, (tables) => {
  const { remove, ...records } = storeOf("provider", tables.providers, tables)
  const unused = (tenant: string, id: string): Either.Either<void, Conflict> => {
    const [user] = [...tables.collections.values()]
      .filter(
        (collection) =>
          collection.tenant === tenant && collection.benchmarks.some(({ providerId }) => providerId === id)
      )
      .sort(byName)
    if (user === undefined) return Either.right(undefined)
    const message = `provider ${id} can not be deleted because collection '${user.name}' (${user.id}) names it; change or delete that collection first`
    return Either.left(new Conflict({ code: "resource_in_use", message }))
  }
  return ProviderStore.of({
    ...records,
    remove: (tenant, id, decide) =>
      remove(tenant, id, (provider) => Either.flatMap(decide(provider), () => unused(tenant, id)))
  })
})

const collections = Effect.map(Tables, (tables) =>
  CollectionStore.of(storeOf("collection", tables.collections, tables))
)

export const layer: Layer.Layer<ProviderStore | CollectionStore, never, Tables> = Layer.merge(
  Layer.effect(ProviderStore, providers),
  Layer.effect(CollectionStore, collections)
)
