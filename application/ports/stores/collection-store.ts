/** Collections that a tenant made through the API. */
import { Context } from "effect"
import type { Collection } from "../../../domain/collection/collection.ts"
import type { DefinitionStore } from "./definition-store.ts"

export class CollectionStore extends Context.Tag("evald/application/ports/CollectionStore")<
  CollectionStore,
  DefinitionStore<Collection>
>() {}
