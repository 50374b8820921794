/** One collection of the tenant. */
import { Effect } from "effect"
import type { Caller } from "../access/caller.ts"
import { NotFound } from "../errors.ts"
import { findCollection } from "./find-collection.ts"

export const getCollection = Effect.fnUntraced(function* (caller: Caller, id: string) {
  const found = yield* findCollection(caller.tenant, id)
  return found ?? (yield* new NotFound({ kind: "collection", id }))
})
