/**
 * A creating request under an idempotency key: the first one creates, later ones with the same body get the first one's answer, and
 * another body is a conflict. The key is stored with the record in one transaction. Reference: api.md, "Bodies".
 */
import { DateTime, Effect } from "effect"
import type { Caller } from "./access/caller.ts"
import { Conflict, type Unavailable } from "./errors.ts"
import { Idempotency, type IdempotencyClaim, type InsertOutcome, type KeptAnswer } from "./ports/stores/idempotency.ts"

/** what the caller sent: its key, and a digest of the body */
export interface OnceKey {
  readonly key: string
  readonly bodyDigest: string
}

/** how long a key is kept */
const keptFor = "24 hours"

const reused = new Conflict({
  code: "idempotency_key_reused",
  message: "this Idempotency-Key was used with another body; use a new key for a new request"
})

const answerOf = (
  scope: string,
  { key, bodyDigest }: OnceKey
): Effect.Effect<KeptAnswer | undefined, Conflict | Unavailable, Idempotency> =>
  Effect.gen(function* () {
    const kept = yield* (yield* Idempotency).find(scope, key)
    if (kept !== undefined && kept.bodyDigest !== bodyDigest) return yield* reused
    return kept
  })

/**
 * The kept answer, or what `create` makes of the claim; `create` is not run when the key is known. `kind`: what is created, so that one
 * key may be used for a job and for a provider.
 */
export const once = <A, E, R>(
  caller: Caller,
  kind: "job" | "provider" | "collection",
  key: OnceKey,
  create: (claim: IdempotencyClaim) => Effect.Effect<{ readonly outcome: InsertOutcome; readonly created: A }, E, R>
): Effect.Effect<
  { readonly _tag: "Created"; readonly created: A } | { readonly _tag: "Replayed"; readonly kept: KeptAnswer },
  E | Conflict | Unavailable,
  R | Idempotency
> =>
  Effect.gen(function* () {
    const scope = JSON.stringify([caller.tenant, caller.owner, kind])
    const before = yield* answerOf(scope, key)
    if (before !== undefined) return { _tag: "Replayed", kept: before }
    const expiresAt = DateTime.formatIso(DateTime.addDuration(yield* DateTime.now, keptFor))
    const { outcome, created } = yield* create({ scope, key: key.key, bodyDigest: key.bodyDigest, expiresAt })
    if (outcome === "inserted") return { _tag: "Created", created }
    // another request with the same key was faster
    const after = yield* answerOf(scope, key)
    return after === undefined ? yield* reused : { _tag: "Replayed", kept: after }
  })
