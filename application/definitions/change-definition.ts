/**
 * Replaces the definition of a provider or collection of the tenant, or deletes it. `next` computes it from the stored one under the row's
 * lock (a PUT ignores the stored one, a PATCH works on it, both check their precondition) and may run more than once; the stored one itself
 * stands for no change. Jobs keep their snapshots. Reference: api.md, "Bodies".
 */

import { Effect, Either } from "effect"
import { later } from "../../domain/job/iso-time.ts"
import { defined } from "../../values/defined.ts"
import type { Caller } from "../access/caller.ts"
import { Invalid, type PreconditionFailed } from "../errors.ts"
import { isoNow } from "../iso-now.ts"
import { checkedAgain } from "./checked-again.ts"
import type { DefinitionKind, DefinitionRecord } from "./definition-kind.ts"
import { mayChange } from "./find-definition.ts"

export const changeDefinition = <D, K extends D & DefinitionRecord, S>(
  kind: DefinitionKind<D, K, S>,
  { tenant }: Caller,
  id: string,
  next: (current: K) => Either.Either<D, Invalid | PreconditionFailed>
) =>
  Effect.gen(function* () {
    yield* mayChange(kind, tenant, id)
    const { check, needs } = yield* kind.checkFor(tenant)
    const checked = (definition: D): Either.Either<D, Invalid> =>
      Either.mapLeft(check(definition), (violations) => new Invalid({ violations }))
    const now = yield* isoNow
    const store = yield* kind.store
    const kept = (current: K) => (definition: D) => {
      const { owner, createdAt, updatedAt, scope, readOnly } = current
      return kind.keep(definition, {
        id,
        tenant,
        createdAt,
        updatedAt: later(now, updatedAt),
        scope,
        readOnly,
        ...defined({ owner })
      })
    }
    const decide = (current: K) =>
      Either.flatMap(next(current), (definition) =>
        Object.is(definition, current) ? Either.right(current) : Either.map(checked(definition), kept(current))
      )
    return yield* store.change(tenant, id, decide, needs)
  }).pipe(checkedAgain, Effect.withSpan(`${kind.name}s.change`))

/** a provider that a collection of the tenant names stays; `permit` checks the caller's precondition under the row's lock */
export const removeDefinition = <D, K extends D & DefinitionRecord, S>(
  kind: DefinitionKind<D, K, S>,
  { tenant }: Caller,
  id: string,
  permit: (current: K) => Either.Either<void, PreconditionFailed>
) =>
  Effect.gen(function* () {
    yield* mayChange(kind, tenant, id)
    const store = yield* kind.store
    yield* store.remove(tenant, id, permit)
  }).pipe(Effect.withSpan(`${kind.name}s.remove`))
