/** Limits of validity that a job brings. Reference: validity.md, "Limits". */
import { nearest } from "../../../values/nearest.ts"
import { given, type Path } from "../../path.ts"
import { member, say } from "../../sentence.ts"
import { isLimitCode, limitCodes, limitProblem, type OwnLimits } from "../../validity/limits.ts"
import { shown, type Violation, violation } from "../../violation.ts"

/** every name that is no code of a limit, and every value that can be none */
export const checkLimits = (limits: OwnLimits, path: Path): ReadonlyArray<Violation> =>
  Object.entries(limits).flatMap(([name, value]) => {
    const at = [...path, given(name)]
    if (!isLimitCode(name)) {
      const meant = nearest(name, limitCodes)
      const hint = meant === undefined ? `known are ${limitCodes.join(", ")}` : `did you mean ${meant}?`
      return [violation(at, say`${member(at)} is no flag with a limit; ${hint}`)]
    }
    const wanted = limitProblem(name, value)
    return wanted === undefined ? [] : [violation(at, say`${member(at)} is ${shown(value)}; it must be ${wanted}`)]
  })
