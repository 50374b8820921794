/**
 * How far apart the percentiles of two runs' request times are. The limits are those of the bootstrap over requests, whose percentiles are
 * drawn from their exact distribution instead of from resampled lists (Hutson and Ernst 2000). Reference: comparison-and-gates.md, "Times of requests".
 */
import { binomialAtMost } from "../../values/distributions.ts"
import type { Ends } from "../../values/paired-estimate.ts"
import { sfc32 } from "../../values/sfc32.ts"

export const percents = [50, 90, 95, 99] as const

export interface PercentileDifference {
  readonly percent: number
  readonly baseline: number
  readonly candidate: number
  /** candidate minus baseline; absent when too few requests lie beyond the percentile */
  readonly limits?: Ends
}

const draws = 10_000
/** always the same, so that a comparison made again has the same figures */
const seed = [0x9e3779b9, 0x243f6a88, 0xb7e15162] as const
/** requests that must lie beyond a percentile */
const minBeyond = 10

/** the rank, from 1, of the percentile among n sorted values */
const rankOf = (n: number, percent: number): number => Math.max(1, Math.ceil((percent / 100) * n))

/** for each sorted value the chance that the percentile of a resampled list is at most it, where that is neither nought nor one */
const rankDistribution = (n: number, rank: number) => {
  const spread = 9 * Math.sqrt((rank * (n - rank + 1)) / n) + 9
  const [first, last] = [Math.max(1, Math.floor(rank - spread)), Math.min(n, Math.ceil(rank + spread))]
  const chances = Array.from({ length: last - first + 1 }, (_, at) => 1 - binomialAtMost(rank - 1, n, (first + at) / n))
  return (chance: number): number => {
    let [low, high] = [0, chances.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((chances[middle] ?? 1) < chance) low = middle + 1
      else high = middle
    }
    return first + low
  }
}

const between = (n: number, percent: number): boolean => n * Math.min(percent / 100, 1 - percent / 100) >= minBeyond

/** times in any order, each list with at least one; at most `tail` lies beyond either limit */
export const percentileDifference = (
  baseline: ReadonlyArray<number>,
  candidate: ReadonlyArray<number>,
  percent: number,
  tail: number
): PercentileDifference => {
  const [first, second] = [Float64Array.from(baseline).sort(), Float64Array.from(candidate).sort()]
  const ranks = [rankOf(first.length, percent), rankOf(second.length, percent)] as const
  const at = (sorted: Float64Array, rank: number) => sorted[rank - 1] ?? Number.NaN
  const found = { percent, baseline: at(first, ranks[0]), candidate: at(second, ranks[1]) }
  if (!(between(first.length, percent) && between(second.length, percent))) return found
  const [one, other] = [rankDistribution(first.length, ranks[0]), rankDistribution(second.length, ranks[1])]
  const bits = sfc32(...seed)
  const chance = () => (bits() + 0.5) / 2 ** 32
  const differences = Float64Array.from({ length: draws }, () => at(second, other(chance())) - at(first, one(chance())))
  differences.sort()
  const beyond = Math.floor(tail * draws)
  return { ...found, limits: { low: differences[beyond] ?? 0, high: differences[draws - 1 - beyond] ?? 0 } }
}
