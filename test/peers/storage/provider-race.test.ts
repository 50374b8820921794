/** POST of a collection beside DELETE of its provider on a real PostgreSQL, in either order of their locks. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Fiber, Layer } from "effect"
import { CollectionStore } from "../../../application/ports/stores/collection-store.ts"
import { ProviderStore } from "../../../application/ports/stores/provider-store.ts"
import { openTransaction, rowAwaited } from "../../support/open-transaction.ts"
import { freshSchema, postgresAt } from "../../support/postgres.ts"
import { makeCollection, makeProvider } from "../../support/stored-definitions.ts"

describe("a collection stored beside the deletion of its provider (both succeeded in 35 of 40 tries)", () => {
  it.scopedLive("waits for a deletion that came first, and is not stored", () =>
    Effect.gen(function* () {
      const url = yield* freshSchema
      yield* Effect.gen(function* () {
        const collections = yield* CollectionStore
        yield* (yield* ProviderStore).insert(makeProvider("t", "p"))
        const { finish } = yield* openTransaction(url, "SELECT 1 FROM providers WHERE id = 'p' FOR UPDATE")
        const storing = yield* Effect.fork(
          Effect.flip(collections.insert(makeCollection("t", "c", ["p"]), () => ["p"]))
        )
        yield* rowAwaited(url)
        yield* finish("DELETE FROM providers WHERE id = 'p'")
        assert.deepInclude(yield* Fiber.join(storing), { _tag: "ProviderGone", id: "p" })
        assert.deepEqual((yield* collections.list("t")).records, [])
      }).pipe(Effect.provide(yield* Layer.build(postgresAt(url))))
    })
  )

  it.scopedLive("that came first is seen by the deletion, which is refused", () =>
    Effect.gen(function* () {
      const url = yield* freshSchema
      yield* Effect.gen(function* () {
        const providers = yield* ProviderStore
        const collections = yield* CollectionStore
        yield* providers.insert(makeProvider("t", "p"))
        yield* collections.insert(makeCollection("t", "c", ["built-in"]), () => [])
        const { finish } = yield* openTransaction(url, "SELECT 1 FROM providers WHERE id = 'p' FOR SHARE")
        const deleting = yield* Effect.fork(Effect.flip(providers.remove("t", "p", () => Either.void)))
        yield* rowAwaited(url)
        yield* finish("INSERT INTO collection_providers (tenant, provider_id, collection_id) VALUES ('t', 'p', 'c')")
        assert.deepInclude(yield* Fiber.join(deleting), { _tag: "Conflict", code: "resource_in_use" })
      }).pipe(Effect.provide(yield* Layer.build(postgresAt(url))))
    })
  )
})
