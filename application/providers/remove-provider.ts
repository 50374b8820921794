/** Deletes a provider of the tenant; refused while a collection of the tenant names it. Jobs keep their snapshots. Decisions 1, "Writes". */
import { Effect, type Either } from "effect"
import type { Provider } from "../../domain/provider/provider.ts"
import type { Caller } from "../access/caller.ts"
import { type PreconditionFailed, ReadOnly } from "../errors.ts"
import { ProviderStore } from "../ports/provider-store.ts"
import { findDefinedProvider } from "./find-provider.ts"

/** `permit` checks the caller's precondition under the row's lock */
export const removeProvider = Effect.fn("providers.remove")(function* (
  caller: Caller,
  id: string,
  permit: (current: Provider) => Either.Either<void, PreconditionFailed>
) {
  if ((yield* findDefinedProvider(caller.tenant, id)) !== undefined) return yield* new ReadOnly({ kind: "provider", id })
  yield* (yield* ProviderStore).remove(caller.tenant, id, permit)
})
