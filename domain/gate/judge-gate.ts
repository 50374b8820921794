/**
 * From criteria to a decision. GO: every gating criterion passes, for which no correction is needed. NO-GO: a breach that
 * survives Holm's correction over the gating ones. Else INCONCLUSIVE. Reference: comparison-and-gates.md, "Decision".
 */
import { defined } from "../../values/defined.ts"
import { holmRatios } from "../comparison/holm.ts"
import type { Criterion } from "./criteria.ts"
import { judgeCriterion } from "./judge-criterion.ts"
import type { CriterionEvidence, Judged } from "./measured.ts"

export const gateOutcomes = ["GO", "NO-GO", "INCONCLUSIVE"] as const
export type GateOutcome = (typeof gateOutcomes)[number]

export interface JudgedCriterion extends Judged {
  readonly criterion: Criterion
  /** after the correction for earlier looks */
  readonly alpha: number
  /** of a gating one: corrected for their number */
  readonly pHolm?: number
}

export interface JudgedGate {
  readonly outcome: GateOutcome
  readonly criteria: ReadonlyArray<JudgedCriterion>
}

/** what is left of alpha when the same question was asked before: a quarter the second time, then half of that each time */
export const alphaAt = (alpha: number, look: number): number => (look <= 1 ? alpha : alpha / 2 ** look)

export const judgeGate = (evidence: ReadonlyArray<CriterionEvidence>): JudgedGate => {
  const gating = evidence.filter(({ criterion }) => criterion.tier === "gating").length
  const judged = evidence.map((one) => ({
    ...judgeCriterion({ ...one, gating }),
    criterion: one.criterion,
    alpha: one.alpha
  }))
  const ratios = holmRatios(
    judged.map(({ criterion, alpha, p = 1 }) => (criterion.tier === "gating" ? p / alpha : undefined))
  )
  const criteria = judged.map((one, at): JudgedCriterion => {
    const ratio = ratios[at]
    const pHolm = one.p === undefined || ratio === undefined ? undefined : Math.min(1, ratio * one.alpha)
    return { ...one, ...defined({ pHolm }) }
  })
  const deciding = criteria.filter(({ criterion }) => criterion.tier === "gating")
  const isBroken = criteria.some(({ outcome }, at) => outcome === "BREACH" && (ratios[at] ?? Infinity) <= 1)
  const outcome = isBroken ? "NO-GO" : deciding.every((one) => one.outcome === "PASS") ? "GO" : "INCONCLUSIVE"
  return { outcome, criteria }
}
