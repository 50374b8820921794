/** Finds jobs that have been finished for long, for retention. */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../../errors.ts"

export interface FinishedJob {
  readonly tenant: string
  readonly id: string
}

export class FinishedJobs extends Context.Tag("evald/application/ports/FinishedJobs")<
  FinishedJobs,
  {
    /** at most `limit` terminal jobs of any tenant that have not changed since `before` (ISO time), oldest first */
    readonly unchangedSince: (before: string, limit: number) => Effect.Effect<ReadonlyArray<FinishedJob>, Unavailable>
  }
>() {}
