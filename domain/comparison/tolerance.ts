/** Whether a difference stays within what is tolerated. Reference: comparison-and-gates.md, "Tolerance". */
import { type Estimate, limitsOf, tangoLimits } from "../../values/paired-estimate.ts"

export type Tolerated = "pass" | "breach" | "inconclusive"

/**
 * `damage`: of what got worse. Pass: even its upper limit is tolerated; breach: even its lower limit is not; each of them is wrong in at
 * most `alpha` of runs. Of counts both kinds of limits must say so.
 */
export const judgeDamage = (damage: Estimate, tolerance: number, alpha: number): Tolerated => {
  const first = limitsOf(damage, alpha)
  if (first === undefined) return "inconclusive"
  const all = damage._tag === "Counted" ? [first, tangoLimits(damage, alpha)] : [first]
  if (all.every(({ high }) => high <= tolerance)) return "pass"
  return all.every(({ low }) => low > tolerance) ? "breach" : "inconclusive"
}
