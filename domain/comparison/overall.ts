/** The weighted mean of independent differences, with an error and its degrees of freedom (Welch 1947, Satterthwaite 1946). */
import { tQuantile } from "../../values/distributions.ts"
import type { Ends } from "../../values/paired-estimate.ts"

export interface Part {
  /** from 0 */
  readonly weight: number
  readonly mean: number
  readonly centre: number
  readonly error: number
  readonly degrees: number
}

export interface Overall {
  readonly mean: number
  readonly error: number
  readonly degrees: number
  readonly limits: Ends
}

/** limits with at most `tail` beyond either of them; undefined without a part that weighs something */
export const overallOf = (parts: ReadonlyArray<Part>, tail: number): Overall | undefined => {
  const weights = parts.reduce((sum, { weight }) => sum + weight, 0)
  if (!(weights > 0)) return undefined
  let [mean, centre, squares, fourths] = [0, 0, 0, 0]
  for (const part of parts) {
    const weight = part.weight / weights
    mean += weight * part.mean
    centre += weight * part.centre
    squares += (weight * part.error) ** 2
    fourths += (weight * part.error) ** 4 / part.degrees
  }
  const [error, degrees] = [Math.sqrt(squares), squares ** 2 / fourths]
  const half = tQuantile(1 - tail, degrees) * error
  return { mean, error, degrees, limits: { low: centre - half, high: centre + half } }
}
