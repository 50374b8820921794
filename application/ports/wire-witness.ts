/**
 * What the local gateway saw of a unit's model traffic. In a cluster the sidecar stands on that way and sends its counts with the terminal
 * event, so that the default knows nothing. Reference: validity.md, "What the gateway sees".
 */
import { Context, Effect } from "effect"
import type { WireCounts } from "../../domain/validity/wire-counts.ts"

export class WireWitness extends Context.Reference<WireWitness>()("evald/application/ports/WireWitness", {
  defaultValue: (): {
    /** undefined: nothing of it was seen */
    readonly counts: (unit: { readonly jobId: string; readonly index: number }) => Effect.Effect<WireCounts | undefined>
  } => ({ counts: () => Effect.sync(() => undefined) })
}) {}
