/** What every store of a tenant's providers and collections does, and the idempotency keys of creating requests. */
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect, Either, TestClock } from "effect"
import { CollectionStore } from "../../../application/ports/stores/collection-store.ts"
import { Idempotency } from "../../../application/ports/stores/idempotency.ts"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import { ProviderStore } from "../../../application/ports/stores/provider-store.ts"
import type { Collection } from "../../../domain/collection/collection.ts"
import type { StorageLayer } from "../../support/storage.ts"
import { makeCollection, makeProvider } from "../../support/stored-definitions.ts"
import { jobId, makeJob } from "../../support/stored-jobs.ts"

const inMillis = (millis: number) => Effect.map(Clock.currentTimeMillis, (now) => new Date(now + millis).toISOString())
const allow = () => Either.right(undefined)
const tagOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.either(effect), (either) =>
    Either.isLeft(either) && typeof either.left === "object" && either.left !== null && "_tag" in either.left
      ? either.left._tag
      : "done"
  )

export const tenantRecordsSuite = (name: string, storage: StorageLayer) =>
  describe(`tenant records: ${name}`, () => {
    layer(storage)((it) => {
      it.effect("providers come back as they were, by name, and only to their tenant", () =>
        Effect.gen(function* () {
          const store = yield* ProviderStore
          const second = makeProvider("p", "id-1", { name: "zeta", tags: ["a"], agent: { summary: "s" } })
          const first = makeProvider("p", "id-2", { name: "alpha" })
          yield* store.insert(second)
          yield* store.insert(first)
          yield* store.insert(makeProvider("q", "id-1"))
          assert.deepEqual(yield* store.load("p", "id-1"), second)
          assert.deepEqual(yield* store.list("p"), { records: [first, second], errors: [] })
          assert.strictEqual(yield* tagOf(store.load("p", "id-3")), "NotFound")
          assert.strictEqual(yield* tagOf(store.load("r", "id-1")), "NotFound")
        })
      )

      it.effect("a change is what was decided, or nothing", () =>
        Effect.gen(function* () {
          const store = yield* ProviderStore
          yield* store.insert(makeProvider("change", "a"))
          const next = yield* store.change("change", "a", (provider) => Either.right({ ...provider, name: "renamed" }))
          assert.deepEqual(yield* store.load("change", "a"), next)
          assert.strictEqual(
            yield* tagOf(store.change("change", "a", () => Either.left({ _tag: "Refused" } as const))),
            "Refused"
          )
          assert.strictEqual((yield* store.load("change", "a")).name, "renamed")
          assert.strictEqual(yield* tagOf(store.change("other", "a", Either.right)), "NotFound")
        })
      )

      it.effect("a provider that a collection of the tenant names stays until the collection lets go of it", () =>
        Effect.gen(function* () {
          const providers = yield* ProviderStore
          const collections = yield* CollectionStore
          yield* providers.insert(makeProvider("use", "kept"))
          yield* providers.insert(makeProvider("foreign", "kept"))
          yield* collections.insert(makeCollection("use", "c", ["kept", "built-in", "kept"]))
          const refused = yield* Effect.flip(providers.remove("use", "kept", allow))
          assert.deepInclude(refused, { _tag: "Conflict", code: "resource_in_use" })
          yield* providers.remove("foreign", "kept", allow)
          yield* collections.change("use", "c", (collection) =>
            Either.right({ ...collection, benchmarks: [{ id: "b", providerId: "built-in" }] })
          )
          assert.strictEqual(
            yield* tagOf(providers.remove("use", "kept", () => Either.left({ _tag: "Refused" } as const))),
            "Refused"
          )
          yield* providers.remove("use", "kept", allow)
          assert.strictEqual(yield* tagOf(providers.load("use", "kept")), "NotFound")
          assert.strictEqual(yield* tagOf(providers.remove("use", "kept", allow)), "NotFound")
        })
      )

      it.effect("a collection whose provider went after its check is not stored (both succeeded)", () =>
        Effect.gen(function* () {
          const providers = yield* ProviderStore
          const collections = yield* CollectionStore
          yield* providers.insert(makeProvider("gone", "stays"))
          const needs = ({ benchmarks }: Collection) =>
            benchmarks.map(({ providerId }) => providerId).filter((id) => id !== "built-in")
          const named = makeCollection("gone", "c", ["stays", "built-in", "went"])
          assert.deepInclude(yield* Effect.flip(collections.insert(named, needs)), { _tag: "ProviderGone", id: "went" })
          const claim = { scope: "g", key: "k", bodyDigest: "d", expiresAt: yield* inMillis(1e9) }
          assert.strictEqual(yield* tagOf(collections.insertOnce(named, claim, needs)), "ProviderGone")
          assert.strictEqual(yield* tagOf(collections.load("gone", "c")), "NotFound")
          const whole = makeCollection("gone", "c", ["stays", "built-in"])
          assert.strictEqual(yield* collections.insertOnce(whole, claim, needs), "inserted")
          assert.strictEqual(
            yield* tagOf(collections.change("gone", "c", () => Either.right(named), needs)),
            "ProviderGone"
          )
          assert.deepEqual(yield* collections.load("gone", "c"), whole)
          assert.strictEqual(yield* tagOf(providers.remove("gone", "stays", allow)), "Conflict")
        })
      )

      it.effect("a deleted collection lets go of its providers", () =>
        Effect.gen(function* () {
          const providers = yield* ProviderStore
          const collections = yield* CollectionStore
          yield* providers.insert(makeProvider("let-go", "p"))
          const collection = makeCollection("let-go", "c", ["p"], { custom: { any: [1] } })
          yield* collections.insert(collection)
          assert.deepEqual(yield* collections.load("let-go", "c"), collection)
          assert.deepEqual(yield* collections.list("let-go"), { records: [collection], errors: [] })
          assert.strictEqual(yield* tagOf(collections.remove("other", "c", allow)), "NotFound")
          yield* collections.remove("let-go", "c", allow)
          assert.strictEqual(yield* tagOf(collections.load("let-go", "c")), "NotFound")
          yield* providers.remove("let-go", "p", allow)
        })
      )

      it.effect("a key is stored with its record and answer, once, and is free again when it has expired", () =>
        Effect.gen(function* () {
          const jobs = yield* JobStore
          const keys = yield* Idempotency
          const claim = { scope: "t/ann/jobs", key: "k-1", bodyDigest: "d", expiresAt: yield* inMillis(60_000) }
          const job = makeJob({ id: jobId(1), tenant: "keys" })
          assert.isUndefined(yield* keys.find(claim.scope, claim.key))
          assert.strictEqual(yield* jobs.insertOnce(job, [], claim), "inserted")
          const { json } = yield* jobs.render("keys", job.id)
          assert.deepEqual(yield* keys.find(claim.scope, claim.key), {
            bodyDigest: "d",
            recordId: job.id,
            answer: json
          })
          assert.strictEqual(yield* jobs.insertOnce(makeJob({ id: jobId(2), tenant: "keys" }), [], claim), "taken")
          assert.strictEqual(yield* tagOf(jobs.load("keys", jobId(2))), "NotFound")
          assert.isUndefined(yield* keys.find("t/bob/jobs", claim.key))
          yield* TestClock.adjust("2 minutes")
          assert.isUndefined(yield* keys.find(claim.scope, claim.key))
          assert.strictEqual(
            yield* jobs.insertOnce(makeJob({ id: jobId(3), tenant: "keys" }), [], {
              ...claim,
              expiresAt: yield* inMillis(9e6)
            }),
            "inserted"
          )
        })
      )

      it.effect("keys that nobody uses again are forgotten in bounded steps once they have expired", () =>
        Effect.gen(function* () {
          const providers = yield* ProviderStore
          const keys = yield* Idempotency
          const keep = (key: string, millis: number) =>
            Effect.flatMap(inMillis(millis), (expiresAt) =>
              providers.insertOnce(makeProvider("forgetful", key), { scope: "f", key, bodyDigest: "d", expiresAt })
            )
          for (const key of ["a", "b", "c"]) yield* keep(key, 1000)
          yield* keep("later", 600_000)
          assert.strictEqual(yield* keys.removeExpired(10), 0)
          yield* TestClock.adjust("1 minute")
          assert.deepStrictEqual(
            [yield* keys.removeExpired(2), yield* keys.removeExpired(2), yield* keys.removeExpired(2)],
            [2, 1, 0]
          )
          assert.isDefined(yield* keys.find("f", "later"))
        })
      )

      it.effect("of many requests with one key one stores its record", () =>
        Effect.gen(function* () {
          const providers = yield* ProviderStore
          const claim = { scope: "s", key: "race", bodyDigest: "d", expiresAt: yield* inMillis(1e9) }
          const outcomes = yield* Effect.all(
            Array.from({ length: 8 }, (_, number) => providers.insertOnce(makeProvider("keyed", `p-${number}`), claim)),
            { concurrency: "unbounded" }
          )
          assert.strictEqual(outcomes.filter((outcome) => outcome === "inserted").length, 1)
          const { records } = yield* providers.list("keyed")
          assert.strictEqual(records.length, 1)
          const kept = yield* (yield* Idempotency).find("s", "race")
          assert.deepEqual(JSON.parse(kept?.answer ?? ""), records[0])
          const collections = yield* CollectionStore
          assert.strictEqual(yield* collections.insertOnce(makeCollection("keyed", "c", ["p-0"]), claim), "taken")
          assert.strictEqual(
            yield* collections.insertOnce(makeCollection("keyed", "c", ["p-0"]), { ...claim, key: "other" }),
            "inserted"
          )
        })
      )
    })
  })
