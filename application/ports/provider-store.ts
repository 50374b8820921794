/**
 * Providers that a tenant made through the API. Built-ins and definition files are in the `Catalog`. `decide` functions are pure, run
 * under the row's lock, and may run more than once.
 */
import { Context, type Effect, type Either } from "effect"
import type { Provider } from "../../domain/provider/provider.ts"
import type { Conflict, NotFound, Unavailable } from "../errors.ts"
import type { IdempotencyClaim, InsertOutcome } from "./idempotency.ts"

export interface StoredProviders {
  /** by name, then id */
  readonly records: ReadonlyArray<Provider>
  /** one line (id and reason) per record that could not be read and is left out */
  readonly errors: ReadonlyArray<string>
}

export class ProviderStore extends Context.Tag("evald/application/ports/ProviderStore")<
  ProviderStore,
  {
    /** a repeated id is a defect; `provider.tenant` is required */
    readonly insert: (provider: Provider) => Effect.Effect<void, Unavailable>
    /** stores the record and the key in one transaction, or neither */
    readonly insertOnce: (provider: Provider, claim: IdempotencyClaim) => Effect.Effect<InsertOutcome, Unavailable>
    readonly load: (tenant: string, id: string) => Effect.Effect<Provider, NotFound | Unavailable>
    readonly list: (tenant: string) => Effect.Effect<StoredProviders, Unavailable>
    readonly change: <E>(
      tenant: string,
      id: string,
      decide: (provider: Provider) => Either.Either<Provider, E>
    ) => Effect.Effect<Provider, E | NotFound | Unavailable>
    /** refused with `resource_in_use` while a collection of the tenant names it; `decide` may refuse for other reasons first */
    readonly remove: <E>(
      tenant: string,
      id: string,
      decide: (provider: Provider) => Either.Either<void, E>
    ) => Effect.Effect<void, E | NotFound | Conflict | Unavailable>
  }
>() {}
