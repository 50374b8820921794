/** What this server asks of the cluster's API, for metrics. Without a cluster there is nothing. Reference: cluster-objects.md, "Launching", "Observing". */
import { Context, Effect } from "effect"

export interface ClusterActivity {
  /** calls since the start by lane and outcome: `ok`, or the class of the error */
  readonly calls: ReadonlyArray<{ readonly lane: string; readonly outcome: string; readonly count: number }>
  /** calls that the limit of calls per second holds back now */
  readonly waiting: ReadonlyArray<{ readonly lane: string; readonly count: number }>
  /** lines of watches that could not be read since the start */
  readonly unreadableLines: number
}

export class ClusterStatistics extends Context.Reference<ClusterStatistics>()(
  "evald/application/ports/ClusterStatistics",
  {
    defaultValue: (): { readonly activity: Effect.Effect<ClusterActivity> } => ({
      activity: Effect.succeed({ calls: [], waiting: [], unreadableLines: 0 })
    })
  }
) {}
