/** One provider of the tenant. */
import { Effect } from "effect"
import type { Caller } from "../access/caller.ts"
import { NotFound } from "../errors.ts"
import { findProvider } from "./find-provider.ts"

export const getProvider = Effect.fnUntraced(function* (caller: Caller, id: string) {
  const found = yield* findProvider(caller.tenant, id)
  return found ?? (yield* new NotFound({ kind: "provider", id }))
})
