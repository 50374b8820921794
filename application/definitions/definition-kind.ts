/** Providers and collections are found, listed and changed by the same use cases; a kind says where the two differ. */
import type { Context, Effect, Either } from "effect"
import type { RecordOrigin } from "../../domain/provider/provider.ts"
import type { Invalid, Unavailable } from "../errors.ts"
import type { Catalog, CatalogSnapshot } from "../ports/catalog.ts"
import type { DefinitionStore } from "../ports/stores/definition-store.ts"
import type { ProviderStore } from "../ports/stores/provider-store.ts"

/** what every kept definition has besides its own members */
export interface DefinitionRecord extends RecordOrigin {
  readonly id: string
  readonly name: string
  readonly tenant?: string
  readonly owner?: string
  readonly createdAt: string
  readonly updatedAt: string
}

/** pure, so that it may run under a lock */
export interface Check<Definition> {
  /** the definition, or everything that is wrong with it */
  readonly check: (definition: Definition) => Either.Either<Definition, Invalid["violations"]>
  /** stored providers of the tenant that the definition names, as far as they were there */
  readonly needs: (definition: Definition) => ReadonlyArray<string>
}

/** `Definition`: as a caller writes it; `Kept`: as it is stored; `Store`: identifier of the store's tag */
export interface DefinitionKind<Definition, Kept extends Definition & DefinitionRecord, Store> {
  readonly name: "provider" | "collection"
  readonly store: Context.Tag<Store, DefinitionStore<Kept>>
  /** the built-in ones and those of files */
  readonly inCatalog: (snapshot: CatalogSnapshot) => ReadonlyArray<Kept>
  /** reads what the check needs to know about the tenant */
  readonly checkFor: (tenant: string) => Effect.Effect<Check<Definition>, Unavailable, Catalog | ProviderStore>
  /** a record from its definition and its origin; the types of the two do not overlap */
  readonly keep: (definition: Definition, origin: Omit<DefinitionRecord, "name">) => Kept
}
