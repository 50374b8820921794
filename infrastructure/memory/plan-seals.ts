/** Seals with a key of this process. */
import { Effect, Layer } from "effect"
import { Identifiers } from "../../application/ports/identifiers.ts"
import { PlanSeals } from "../../application/ports/stores/plan-seals.ts"
import { sealedWith } from "../in-process/plan-seals.ts"

export const layer: Layer.Layer<PlanSeals, never, Identifiers> = Layer.effect(
  PlanSeals,
  Effect.flatMap(Identifiers, ({ secret }) => Effect.map(secret, sealedWith))
)
