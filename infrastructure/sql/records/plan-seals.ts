/** Seals with a key of the database. */
import { Effect, Layer } from "effect"
import { PlanSeals } from "../../../application/ports/stores/plan-seals.ts"
import { sealedWith } from "../../in-process/plan-seals.ts"
import { sharedKey } from "./shared-key.ts"

export const layer = Layer.effect(PlanSeals, Effect.map(sharedKey("plan_seal_key"), sealedWith))
