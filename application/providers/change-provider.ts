/**
 * Replaces the definition of a provider of the tenant. `next` computes it from the stored one under the row's lock (a PUT ignores the
 * stored one, a PATCH works on it, both check their precondition) and may run more than once. Decisions 1, "Writes".
 */
import { DateTime, Effect, Either } from "effect"
import { later } from "../../domain/job/iso-time.ts"
import { checkProvider } from "../../domain/provider/check-provider.ts"
import type { Provider, ProviderDefinition } from "../../domain/provider/provider.ts"
import type { Caller } from "../access/caller.ts"
import { Invalid, type PreconditionFailed, ReadOnly } from "../errors.ts"
import { ProviderStore } from "../ports/provider-store.ts"
import { findDefinedProvider } from "./find-provider.ts"

export type NextProvider = (current: Provider) => Either.Either<ProviderDefinition, Invalid | PreconditionFailed>

const checked = (definition: ProviderDefinition): Either.Either<ProviderDefinition, Invalid> =>
  Either.mapLeft(checkProvider(definition), (violations) => new Invalid({ violations }))

export const changeProvider = Effect.fn("providers.change")(function* (caller: Caller, id: string, next: NextProvider) {
  if ((yield* findDefinedProvider(caller.tenant, id)) !== undefined) return yield* new ReadOnly({ kind: "provider", id })
  const now = DateTime.formatIso(yield* DateTime.now)
  return yield* (yield* ProviderStore).change(caller.tenant, id, (current) =>
    Either.map(Either.flatMap(next(current), checked), (definition): Provider => {
      const { tenant, owner, createdAt, updatedAt, scope, readOnly } = current
      const origin = { id: current.id, createdAt, updatedAt: later(now, updatedAt), scope, readOnly }
      return { ...definition, ...origin, ...(tenant === undefined ? {} : { tenant }), ...(owner === undefined ? {} : { owner }) }
    })
  )
})
