/** A collection of the tenant's own with the definition of one that it sees, built-in ones included. Reference: api.md, "Definitions". */

import { Effect } from "effect"
import type { Collection, CollectionDefinition } from "../../domain/collection/collection.ts"
import { defined } from "../../values/defined.ts"
import type { Caller } from "../access/caller.ts"
import { createDefinition } from "../definitions/create-definition.ts"
import { getDefinition } from "../definitions/find-definition.ts"
import type { OnceKey } from "../once.ts"
import { collections } from "./collections.ts"

const definitionOf = ({
  id: _id,
  tenant: _tenant,
  owner: _owner,
  createdAt: _createdAt,
  updatedAt: _updatedAt,
  scope: _scope,
  readOnly: _readOnly,
  ...definition
}: Collection): CollectionDefinition => definition

/** `name`: of the copy, default the original's. What the original names is checked again. */
export const cloneCollection = (caller: Caller, id: string, name: string | undefined, key?: OnceKey) =>
  createDefinition(
    collections,
    caller,
    Effect.map(getDefinition(collections, caller, id), (original) => ({
      ...definitionOf(original),
      ...defined({ name })
    })),
    key
  )
