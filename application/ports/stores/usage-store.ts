/**
 * What benchmarks used of their models. Written by the job store with the end of a benchmark, and
 * again when more is told of it; stays when its job is removed. One
 * implementation per database and one in memory; all pass the same contract suite.
 */
import { Context, type Effect } from "effect"
import type { Usage } from "../../../domain/budget/usage.ts"
import type { Unavailable } from "../../errors.ts"

export interface UsageQuery {
  /** ISO times: ended at or after, and before */
  readonly from?: string
  readonly to?: string
  readonly model?: string
}

export interface ModelUsage {
  readonly model: string
  /** benchmarks that ended */
  readonly benchmarks: number
  readonly usage: Usage
}

export class UsageStore extends Context.Tag("evald/application/ports/UsageStore")<
  UsageStore,
  {
    /** sums of the tenant by model, in the order of their names; a cost is known where each benchmark's is */
    readonly byModel: (tenant: string, query: UsageQuery) => Effect.Effect<ReadonlyArray<ModelUsage>, Unavailable>
    /** of the last so many benchmarks of this kind that the tenant ran to their good end, newest first */
    readonly lately: (
      tenant: string,
      benchmark: { readonly providerId: string; readonly id: string },
      limit: number
    ) => Effect.Effect<ReadonlyArray<Usage>, Unavailable>
  }
>() {}
