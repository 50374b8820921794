/**
 * Comparisons and gates as they were answered. They stay when their jobs are removed: a gate counts how often the same question was asked
 * before. One implementation per database and one in memory; all pass the same contract suite.
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../../errors.ts"

export type DecisionKind = "comparison" | "gate"

export interface StoredDecision {
  readonly tenant: string
  readonly kind: DecisionKind
  readonly id: string
  /** what is asked again and again; a comparison is asked once for each of its inputs */
  readonly series: string
  /** which time it is asked, from 1 */
  readonly look: number
  /** digest of everything that the answer was made of */
  readonly inputs: string
  readonly createdAt: string
  /** jobs that it is about */
  readonly jobs: ReadonlyArray<string>
  /** JSON text as it is answered */
  readonly record: string
}

export interface DecisionPage {
  /** newest first */
  readonly items: ReadonlyArray<string>
  readonly total: number
}

/** the text, and the id under which it is found */
export interface DecisionText {
  readonly id: string
  readonly record: string
}

export class DecisionStore extends Context.Tag("evald/application/ports/DecisionStore")<
  DecisionStore,
  {
    /** SHA-256 (hex) by which equal values are recognised, whatever the order of their members */
    readonly digest: (value: unknown) => string
    /** `taken`: the series has an answer to this look; nothing was stored. A repeated id is a defect. */
    readonly add: (decision: StoredDecision) => Effect.Effect<"added" | "taken", Unavailable>
    readonly find: (tenant: string, kind: DecisionKind, id: string) => Effect.Effect<string | undefined, Unavailable>
    /** how often the series was asked, and the answer that was made of these inputs */
    readonly earlier: (
      tenant: string,
      kind: DecisionKind,
      series: string,
      inputs: string
    ) => Effect.Effect<{ readonly looks: number; readonly same?: DecisionText }, Unavailable>
    readonly ofJob: (
      tenant: string,
      kind: DecisionKind,
      jobId: string,
      page: { readonly limit: number; readonly offset: number }
    ) => Effect.Effect<DecisionPage, Unavailable>
  }
>() {}
