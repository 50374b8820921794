/**
 * What the local gateway saw of a unit's model traffic. In a cluster the sidecar stands on that way and sends its counts with the terminal
 * event, so that the default knows nothing. Reference: validity.md, "What the gateway sees".
 */
import { Context, Effect } from "effect"
import type { CountedSpent } from "../../domain/budget/usage.ts"
import type { WireCounts } from "../../domain/validity/wire-counts.ts"
import type { UnitId } from "./runtime.ts"

export class WireWitness extends Context.Reference<WireWitness>()("evald/application/ports/WireWitness", {
  defaultValue: (): {
    /** called before a unit is launched: what is not seen from then on was not asked */
    readonly watch: (unit: UnitId) => Effect.Effect<void>
    /** what was seen up to now; looking goes on. undefined: nothing of it was seen */
    readonly seen: (unit: { readonly jobId: string; readonly index: number }) => Effect.Effect<WireCounts | undefined>
    /** what was used up to now, at no cost: asked with every event */
    readonly spent: (unit: { readonly jobId: string; readonly index: number }) => CountedSpent | undefined
    /** at its end, once and for all; undefined: nothing of it was seen */
    readonly counts: (unit: { readonly jobId: string; readonly index: number }) => Effect.Effect<WireCounts | undefined>
  } => ({
    watch: () => Effect.void,
    seen: () => Effect.sync(() => undefined),
    spent: () => undefined,
    counts: () => Effect.sync(() => undefined)
  })
}) {}
