/** A provider that is deleted while a collection that names it is being stored. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { collections } from "../../../../application/collections/collections.ts"
import { changeDefinition, removeDefinition } from "../../../../application/definitions/change-definition.ts"
import { createDefinition } from "../../../../application/definitions/create-definition.ts"
import { Catalog } from "../../../../application/ports/catalog.ts"
import { CollectionStore } from "../../../../application/ports/stores/collection-store.ts"
import { ProviderStore } from "../../../../application/ports/stores/provider-store.ts"
import { providers } from "../../../../application/providers/providers.ts"
import * as Memory from "../../../../infrastructure/memory/storage.ts"
import { makeCollection, makeProvider } from "../../../support/stored-definitions.ts"

const caller = { tenant: "t", owner: "user:ann" }
const catalog = Layer.succeed(Catalog, {
  current: Effect.succeed({ providers: [], collections: [], errors: [], version: "1" })
})
const definition = makeCollection("t", "c", ["p"])

/** the provider is deleted after the collection was checked, before it is stored */
const deletedBetween = Layer.effect(
  CollectionStore,
  Effect.gen(function* () {
    const store = yield* CollectionStore
    const removed = removeDefinition(providers, caller, "p", () => Either.void)
    const first = Effect.ignore(
      Effect.provide(Effect.provideService(removed, ProviderStore, yield* ProviderStore), catalog)
    )
    return CollectionStore.of({
      ...store,
      insert: (record, needs) => Effect.zipRight(first, store.insert(record, needs)),
      insertOnce: (record, claim, needs) => Effect.zipRight(first, store.insertOnce(record, claim, needs)),
      change: (tenant, id, decide, needs) => Effect.zipRight(first, store.change(tenant, id, decide, needs))
    })
  })
)
const storage = Layer.provideMerge(deletedBetween, Layer.merge(Memory.layer({ vendorAliases: true }), catalog))

const isMissing = (error: { readonly _tag: string }) => {
  assert.deepInclude(error, { _tag: "Invalid" })
  assert.include(JSON.stringify(error), "provider 'p' does not exist")
}

describe("a provider that is deleted while a collection names it", () => {
  for (const key of [undefined, { key: "k", bodyDigest: "d" }])
    it.effect(
      `${key === undefined ? "without" : "with"} an idempotency key the collection is refused like one that came later`,
      () =>
        Effect.gen(function* () {
          yield* (yield* ProviderStore).insert(makeProvider("t", "p"))
          isMissing(yield* Effect.flip(createDefinition(collections, caller, Effect.succeed(definition), key)))
          assert.deepEqual((yield* (yield* CollectionStore).list("t")).records, [])
        }).pipe(Effect.provide(storage))
    )

  it.effect("a change of a collection is refused as well", () =>
    Effect.gen(function* () {
      const store = yield* ProviderStore
      yield* store.insert(makeProvider("t", "q"))
      const { record } = yield* createDefinition(collections, caller, Effect.succeed(makeCollection("t", "c", ["q"])))
      yield* store.insert(makeProvider("t", "p"))
      isMissing(yield* Effect.flip(changeDefinition(collections, caller, record.id, () => Either.right(definition))))
      assert.deepEqual(yield* (yield* CollectionStore).load("t", record.id), record)
    }).pipe(Effect.provide(storage))
  )
})
