/**
 * The local gateway's witnesses, one for each unit that this server launched lately: one that asks nothing is seen to ask nothing, and one
 * that an earlier server launched was not seen from its beginning, so that nothing is said of it. With the good end of its benchmark a unit's counts are taken and
 * its memory is given back. Reference: validity.md, "What the gateway sees".
 */
import { Context, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import type { UnitId } from "../../../application/ports/runtime.ts"
import { WireWitness } from "../../../application/ports/wire-witness.ts"
import { countedHere } from "../../../domain/job/spending.ts"
import type { WireCounts } from "../../../domain/validity/wire-counts.ts"
import { makeWitness, type Witness } from "../../gateway/witness/witness.ts"

interface UnitWitness {
  readonly attempt: number
  /** undefined: the counts were taken */
  readonly looking: Witness | undefined
  readonly taken: WireCounts | undefined
}

/** the default sees nothing */
export class UnitWitnesses extends Context.Reference<UnitWitnesses>()("evald/interfaces/http/UnitWitnesses", {
  defaultValue: (): { readonly of: (unit: UnitId) => Witness | undefined } => ({ of: () => undefined })
}) {}

/** units that run or ended lately */
const maxUnits = 256

const nameOf = ({ jobId, index }: Pick<UnitId, "jobId" | "index">): string => `${jobId}/${index}`

export const layer: Layer.Layer<UnitWitnesses | WireWitness> = Layer.effectContext(
  Effect.sync(() => {
    const units = new LRUCache<string, UnitWitness>({ max: maxUnits })
    const watch = (unit: UnitId) =>
      Effect.sync(() => {
        const known = units.get(nameOf(unit))
        if (known !== undefined && known.attempt >= unit.attempt) return
        units.set(nameOf(unit), { attempt: unit.attempt, looking: makeWitness(), taken: undefined })
      })
    const of = (unit: UnitId): Witness | undefined => units.get(nameOf(unit))?.looking
    const counts = (unit: Pick<UnitId, "jobId" | "index">) =>
      Effect.promise(async () => {
        const known = units.get(nameOf(unit))
        if (known?.looking === undefined) return known?.taken
        const taken = await known.looking.counts()
        units.set(nameOf(unit), { attempt: known.attempt, looking: undefined, taken })
        return taken
      })
    const seen = (unit: Pick<UnitId, "jobId" | "index">) =>
      Effect.promise(async () => {
        const known = units.peek(nameOf(unit))
        return known?.looking === undefined ? known?.taken : known.looking.counts()
      })
    const spent = (unit: Pick<UnitId, "jobId" | "index">) => {
      const known = units.peek(nameOf(unit))
      const wire = known?.looking?.spent() ?? known?.taken
      return known === undefined || wire === undefined ? undefined : countedHere(known.attempt, wire)
    }
    return Context.make(UnitWitnesses, { of }).pipe(Context.add(WireWitness, { watch, seen, spent, counts }))
  })
)
