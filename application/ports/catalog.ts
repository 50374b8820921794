/**
 * Providers and collections as a tenant sees them: built-ins and definition files (in memory, read-only, reloaded atomically) merged
 * with the tenant's stored records.
 */
import { Context, type Effect } from "effect"
import type { Collection } from "../../domain/collection/collection.ts"
import type { Provider } from "../../domain/provider/provider.ts"

/** a definition that could not be read and is left out */
export interface LeftOut {
  /** its id and the reason, on one line */
  readonly line: string
  /** the only tenant that may know of it; absent: all */
  readonly tenant?: string
}

export interface CatalogSnapshot {
  readonly providers: ReadonlyArray<Provider>
  readonly collections: ReadonlyArray<Collection>
  /** one for each definition that could not be read and is left out */
  readonly errors: ReadonlyArray<LeftOut>
  /** content hash of the whole set; changes with every reload that changed something */
  readonly version: string
}

export interface CatalogReloads {
  /** changes of the files since the start; refused ones left the previous catalogue in place */
  readonly applied: number
  readonly refused: number
  /** when the definitions in use were read, or read again without error; milliseconds since the epoch */
  readonly loadedAt: number
  /** what the last look found, refused or not */
  readonly problems: { readonly error: number; readonly warning: number; readonly info: number }
}

/** the file-defined part; one consistent snapshot per call */
export class Catalog extends Context.Tag("evald/application/ports/Catalog")<
  Catalog,
  {
    readonly current: Effect.Effect<CatalogSnapshot>
    /** absent where nothing is reloaded */
    readonly reloads?: Effect.Effect<CatalogReloads>
  }
>() {}
