/**
 * Collections that a tenant made through the API. Built-ins and definition files are in the `Catalog`. `decide` functions are pure,
 * run under the row's lock, and may run more than once.
 */
import { Context, type Effect, type Either } from "effect"
import type { Collection } from "../../domain/collection/collection.ts"
import type { NotFound, Unavailable } from "../errors.ts"
import type { IdempotencyClaim, InsertOutcome } from "./idempotency.ts"

export interface StoredCollections {
  /** by name, then id */
  readonly records: ReadonlyArray<Collection>
  /** one line (id and reason) per record that could not be read and is left out */
  readonly errors: ReadonlyArray<string>
}

export class CollectionStore extends Context.Tag("evald/application/ports/CollectionStore")<
  CollectionStore,
  {
    /** a repeated id is a defect; `collection.tenant` is required */
    readonly insert: (collection: Collection) => Effect.Effect<void, Unavailable>
    /** stores the record and the key in one transaction, or neither */
    readonly insertOnce: (collection: Collection, claim: IdempotencyClaim) => Effect.Effect<InsertOutcome, Unavailable>
    readonly load: (tenant: string, id: string) => Effect.Effect<Collection, NotFound | Unavailable>
    readonly list: (tenant: string) => Effect.Effect<StoredCollections, Unavailable>
    readonly change: <E>(
      tenant: string,
      id: string,
      decide: (collection: Collection) => Either.Either<Collection, E>
    ) => Effect.Effect<Collection, E | NotFound | Unavailable>
    readonly remove: <E>(
      tenant: string,
      id: string,
      decide: (collection: Collection) => Either.Either<void, E>
    ) => Effect.Effect<void, E | NotFound | Unavailable>
  }
>() {}
