/** From paired items to what is known of their difference. A positive one is better, whichever way the metric points. Reference: comparison-and-gates.md, "Intervals". */
import { headsAtLeast } from "../../values/distributions.ts"
import type { Range } from "../../values/mean-limits.ts"
import { type CountedPairs, type Estimate, errorOf, estimateOf } from "../../values/paired-estimate.ts"
import type { Pairs } from "./pair-samples.ts"
import { pSignFlips } from "./sign-flips.ts"
import type { Spread } from "./sizes.ts"

export interface Orientation {
  readonly range: Range | undefined
  readonly lowerIsBetter: boolean
}

export const widthOf = (range: Range | undefined): number => (range === undefined ? Infinity : range.max - range.min)

/** candidate minus baseline, item by item, turned so that more is better */
const differencesOf = ({ baseline, candidate }: Pairs, { lowerIsBetter }: Orientation): ReadonlyArray<number> =>
  baseline.map((before, at) => (lowerIsBetter ? before - (candidate[at] ?? 0) : (candidate[at] ?? 0) - before))

const count = (differences: ReadonlyArray<number>, width: number): CountedPairs => {
  let [down, up] = [0, 0]
  for (const one of differences) {
    if (one < 0) down += 1
    if (one > 0) up += 1
  }
  return { _tag: "Counted", n: differences.length, down, up, width }
}

export interface Difference {
  readonly estimate: Estimate
  /** one-sided: that it got no worse, and that it got no better */
  readonly pWorse: number
  readonly pBetter: number
  readonly spread: Spread
}

const varianceOf = (differences: ReadonlyArray<number>): number => {
  const n = differences.length
  const mean = differences.reduce((sum, one) => sum + one, 0) / n
  return n < 2 ? 0 : differences.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (n - 1)
}

export const differenceOf = (pairs: Pairs, orientation: Orientation): Difference => {
  const differences = differencesOf(pairs, orientation)
  const width = widthOf(orientation.range)
  const n = differences.length
  if (pairs.binary) {
    const estimate = count(differences, width)
    const { down, up } = estimate
    const variance = Math.max((down + up) / n, 1 / n) * width ** 2
    return {
      estimate,
      pWorse: headsAtLeast(down, down + up),
      pBetter: headsAtLeast(up, down + up),
      spread: { n, variance, inflation: 1 }
    }
  }
  const { clusters } = pairs
  const estimate = estimateOf(differences, width, clusters)
  const variance = varianceOf(differences)
  const squared = (errorOf(estimate)?.error ?? Number.NaN) ** 2
  return {
    estimate,
    pWorse: pSignFlips(differences, clusters),
    pBetter: pSignFlips(
      differences.map((one) => -one),
      clusters
    ),
    spread: {
      n,
      variance,
      inflation: clusters === undefined || variance === 0 ? 1 : Math.max(1, squared / (variance / n))
    }
  }
}

/** how alike the two runs' items are, -1 to 1; undefined where all items of a run are worth the same */
export const correlationOf = ({ baseline, candidate }: Pairs): number | undefined => {
  const n = baseline.length
  const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / n
  const [a, b] = [mean(baseline), mean(candidate)]
  let [xx, yy, xy] = [0, 0, 0]
  for (const [at, x] of baseline.entries()) {
    const y = candidate[at] ?? b
    xx += (x - a) ** 2
    yy += (y - b) ** 2
    xy += (x - a) * (y - b)
  }
  return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : undefined
}
