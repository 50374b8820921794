/**
 * Who asked for which write, and what came of it: append-only, each entry chained to the one before by its hash. One implementation per
 * database and one in memory; all pass the same contract suite. Reference: signing.md, "Audit log".
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../../errors.ts"

interface Said {
  /** ISO time by the server's clock */
  readonly at: string
  /** identifier of the exchange, which joins what was asked and what was answered */
  readonly trace: string
}

export type AuditEntry =
  | (Said & {
      readonly phase: "asked"
      readonly tenant: string
      readonly owner: string
      readonly method: string
      /** with its query */
      readonly path: string
    })
  | (Said & {
      readonly phase: "answered"
      /** of the answer; 0: the caller had left */
      readonly status: number
      /** of what was made */
      readonly location?: string
    })

export interface AuditLink {
  /** from 1, without gaps */
  readonly sequence: number
  /** canonical JSON of the entry */
  readonly entry: string
  /** SHA-256 (hex) over the hash before it, a line feed, the number, a line feed and the entry; 64 zeros before the first */
  readonly hash: string
}

export class AuditLog extends Context.Tag("evald/application/ports/AuditLog")<
  AuditLog,
  {
    /** durable when it returns */
    readonly append: (entry: AuditEntry) => Effect.Effect<void, Unavailable>
    /** in their order; fewer than `limit` when there are no more */
    readonly after: (sequence: number, limit: number) => Effect.Effect<ReadonlyArray<AuditLink>, Unavailable>
    /** the last one as it was written apart from the entries; sequence 0 and 64 zeros before the first */
    readonly head: Effect.Effect<Omit<AuditLink, "entry">, Unavailable>
  }
>() {}
