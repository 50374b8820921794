/**
 * Providers or collections that a tenant made through the API. Built-ins and definition files are in the `Catalog`. `decide` functions are
 * pure, run under the row's lock, and may run more than once.
 */
import type { Effect, Either } from "effect"
import type { Conflict, NotFound, ProviderGone, Unavailable } from "../../errors.ts"
import type { IdempotencyClaim, InsertOutcome } from "./idempotency.ts"

export interface StoredDefinitions<A> {
  /** by name, then id */
  readonly records: ReadonlyArray<A>
  /** one line (id and reason) per record that could not be read and is left out */
  readonly errors: ReadonlyArray<string>
}

/** stored providers of the tenant that the record names: they are there when it is stored, and stay until it lets go of them */
export type Needs<A> = (record: A) => ReadonlyArray<string>

export interface DefinitionStore<A> {
  /** a repeated id is a defect; the record's `tenant` is required */
  readonly insert: (record: A, needs?: Needs<A>) => Effect.Effect<void, ProviderGone | Unavailable>
  /** stores the record and the key in one transaction, or neither */
  readonly insertOnce: (
    record: A,
    claim: IdempotencyClaim,
    needs?: Needs<A>
  ) => Effect.Effect<InsertOutcome, ProviderGone | Unavailable>
  readonly load: (tenant: string, id: string) => Effect.Effect<A, NotFound | Unavailable>
  readonly list: (tenant: string) => Effect.Effect<StoredDefinitions<A>, Unavailable>
  readonly change: <E>(
    tenant: string,
    id: string,
    decide: (record: A) => Either.Either<A, E>,
    needs?: Needs<A>
  ) => Effect.Effect<A, E | NotFound | ProviderGone | Unavailable>
  /** `Conflict`: another record of the tenant names this one, as a collection does a provider; `decide` may refuse for other reasons first */
  readonly remove: <E>(
    tenant: string,
    id: string,
    decide: (record: A) => Either.Either<void, E>
  ) => Effect.Effect<void, E | NotFound | Conflict | Unavailable>
}
