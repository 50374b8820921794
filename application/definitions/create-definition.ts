/** Creates a provider or collection of the tenant. Reference: api.md, "Bodies". */

import { Effect, Either } from "effect"
import type { Caller } from "../access/caller.ts"
import { Invalid } from "../errors.ts"
import { isoNow } from "../iso-now.ts"
import { type OnceKey, once } from "../once.ts"
import { Identifiers } from "../ports/identifiers.ts"
import { checkedAgain } from "./checked-again.ts"
import type { DefinitionKind, DefinitionRecord } from "./definition-kind.ts"

const prepared = <D, K extends D & DefinitionRecord, S, E, R>(
  kind: DefinitionKind<D, K, S>,
  { tenant, owner }: Caller,
  definition: Effect.Effect<D, E, R>
) =>
  Effect.gen(function* () {
    const { check, needs } = yield* kind.checkFor(tenant)
    const checked = check(yield* definition)
    if (Either.isLeft(checked)) return yield* new Invalid({ violations: checked.left })
    const now = yield* isoNow
    const id = yield* (yield* Identifiers).next
    return {
      record: kind.keep(checked.right, {
        id,
        tenant,
        owner,
        createdAt: now,
        updatedAt: now,
        scope: "tenant",
        readOnly: false
      }),
      needs
    }
  })

/** `key`: create at most once under this idempotency key; a replay answers the record as it was created, and does not ask for the definition */
export const createDefinition = <D, K extends D & DefinitionRecord, S, E = never, R = never>(
  kind: DefinitionKind<D, K, S>,
  caller: Caller,
  definition: Effect.Effect<D, E, R>,
  key?: OnceKey
) =>
  Effect.gen(function* () {
    const store = yield* kind.store
    if (key === undefined) {
      const { record, needs } = yield* prepared(kind, caller, definition)
      yield* store.insert(record, needs)
      return { record, replayed: false }
    }
    const result = yield* once(caller, kind.name, key, (claim) =>
      Effect.gen(function* () {
        const { record: created, needs } = yield* prepared(kind, caller, definition)
        return { outcome: yield* store.insertOnce(created, claim, needs), created }
      })
    )
    return result._tag === "Created"
      ? { record: result.created, replayed: false }
      : { record: JSON.parse(result.kept.answer) as K, replayed: true }
  }).pipe(checkedAgain, Effect.withSpan(`${kind.name}s.create`))
