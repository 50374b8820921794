/** Creates a provider of the tenant. Decisions 1, "Writes". */
import { DateTime, Effect, Either } from "effect"
import { checkProvider } from "../../domain/provider/check-provider.ts"
import type { Provider, ProviderDefinition } from "../../domain/provider/provider.ts"
import type { Caller } from "../access/caller.ts"
import { Invalid } from "../errors.ts"
import { type OnceKey, once } from "../once.ts"
import { Identifiers } from "../ports/identifiers.ts"
import { ProviderStore } from "../ports/provider-store.ts"

const prepared = (caller: Caller, definition: ProviderDefinition) =>
  Effect.gen(function* () {
    const checked = checkProvider(definition)
    if (Either.isLeft(checked)) return yield* new Invalid({ violations: checked.left })
    const now = DateTime.formatIso(yield* DateTime.now)
    const id = yield* (yield* Identifiers).next
    const provider: Provider = {
      ...checked.right,
      id,
      tenant: caller.tenant,
      owner: caller.owner,
      createdAt: now,
      updatedAt: now,
      scope: "tenant",
      readOnly: false
    }
    return provider
  })

/** `key`: create at most once under this idempotency key; a replay answers the record as it was created */
export const createProvider = Effect.fn("providers.create")(function* (caller: Caller, definition: ProviderDefinition, key?: OnceKey) {
  const store = yield* ProviderStore
  if (key === undefined) {
    const provider = yield* prepared(caller, definition)
    yield* store.insert(provider)
    return { provider, replayed: false }
  }
  const result = yield* once(caller, "provider", key, (claim) =>
    Effect.gen(function* () {
      const created = yield* prepared(caller, definition)
      return { outcome: yield* store.insertOnce(created, claim), created }
    })
  )
  return result._tag === "Created" ? { provider: result.created, replayed: false } : { provider: JSON.parse(result.kept.answer) as Provider, replayed: true }
})
