/** What the cluster runtime needs to be told about its units: the seam between launching and observing. Reference: cluster-objects.md, "Observing". */
import { Context, type Effect, type Stream } from "effect"
import type { Runtime, UnitFact, UnitId } from "../../application/ports/runtime.ts"

export class Observation extends Context.Tag("evald/infrastructure/kubernetes/Observation")<
  Observation,
  {
    /** as `Runtime.facts` */
    readonly facts: Stream.Stream<UnitFact>
    /** as `Runtime.observe`; units that are being launched are answered by the runtime itself */
    readonly observe: Runtime["Type"]["observe"]
    /** a hint: the unit's objects exist now, its namespace is worth looking at */
    readonly launched: (unit: UnitId) => Effect.Effect<void>
  }
>() {}
