/**
 * Answers of creating requests, kept so that a repeated request gets the first answer instead of a second record. The key is stored in
 * the transaction that stores the record (`insertOnce` of the stores), so that a crash leaves both or neither. Reference: api.md, "Bodies".
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../../errors.ts"

/** what a creating request claims: its key within the scope of tenant, caller and route */
export interface IdempotencyClaim {
  readonly scope: string
  readonly key: string
  /** of the body: another body under the same key is a conflict */
  readonly bodyDigest: string
  /** ISO time; later the key is free again */
  readonly expiresAt: string
}

export interface KeptAnswer {
  readonly bodyDigest: string
  readonly recordId: string
  /** a job: its record's text as it was answered. A provider or collection: the domain record as JSON. */
  readonly answer: string
}

/** "taken": the key is in use, nothing was stored; ask `Idempotency.find` what to answer */
export type InsertOutcome = "inserted" | "taken"

export class Idempotency extends Context.Tag("evald/application/ports/Idempotency")<
  Idempotency,
  {
    /** the answer kept under the key; undefined when there is none or it has expired */
    readonly find: (scope: string, key: string) => Effect.Effect<KeptAnswer | undefined, Unavailable>
    /** forgets at most `limit` answers that have expired, oldest first; answers how many */
    readonly removeExpired: (limit: number) => Effect.Effect<number, Unavailable>
  }
>() {}
