/**
 * What paired items show of a mean difference: an estimate from which limits to any level and tests against any value are read. One of three
 * kinds: counts of pairs that differ, values with an error of known degrees of freedom, or nothing but the mean. Pure; a positive
 * difference is larger. Reference: comparison-and-gates.md, "Intervals".
 */
import { normalAbove, normalQuantile, tAbove, tQuantile } from "./distributions.ts"

/** yes-or-no pairs, of which `down` fell and `up` rose; a difference of one pair is worth `width` */
export interface CountedPairs {
  readonly _tag: "Counted"
  readonly n: number
  readonly down: number
  readonly up: number
  readonly width: number
}

export interface MeasuredPairs {
  readonly _tag: "Measured"
  readonly n: number
  readonly mean: number
  /** around which limits lie, and how sure it is */
  readonly centre: number
  readonly error: number
  readonly degrees: number
  /** largest difference that there can be */
  readonly most: number
  /** of skewed values: how far that moves the limits of their mean, in the middle of its distribution */
  readonly lean?: number
  /** how many independent items those are worth that belong together */
  readonly clusters?: number
}

/** no limits can be told, and why */
export interface UnmeasuredPairs {
  readonly _tag: "Unmeasured"
  readonly n: number
  readonly mean: number
  readonly reason: "few_clusters" | "no_interval"
  readonly clusters?: number
}

export type Estimate = CountedPairs | MeasuredPairs | UnmeasuredPairs

/** fewer clusters say nothing about their spread */
const minClusters = 5
const [minUnbounded, minNonZero] = [30, 20]

const total = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0)

/** squares of the sums by cluster of what deviates from `centre`, the number of clusters, and how many independent items they are worth */
const clusterSpread = (values: ReadonlyArray<number>, centre: number, clusters: ReadonlyArray<number>) => {
  const sums = new Map<number, { sum: number; n: number }>()
  for (const [at, value] of values.entries()) {
    const cluster = clusters[at] ?? 0
    const known = sums.get(cluster)
    if (known === undefined) sums.set(cluster, { sum: value - centre, n: 1 })
    else {
      known.sum += value - centre
      known.n += 1
    }
  }
  const groups = [...sums.values()]
  return {
    squares: total(groups.map(({ sum }) => sum * sum)),
    count: groups.length,
    worth: values.length ** 2 / total(groups.map(({ n }) => n * n))
  }
}

/**
 * Of differences of which none is larger than `most` (infinite: unbounded). Two more differences, the largest up and down, keep the error
 * above zero and stand for what few items have not shown; each of them is a cluster of its own.
 */
export const estimateOf = (
  differences: ReadonlyArray<number>,
  most: number,
  clusters?: ReadonlyArray<number>
): MeasuredPairs | UnmeasuredPairs => {
  const n = differences.length
  const mean = total(differences) / n
  const bounded = Number.isFinite(most)
  const more = bounded ? 2 : 0
  const centre = (n * mean) / (n + more)
  const extra = bounded ? (most - centre) ** 2 + (most + centre) ** 2 : 0
  const unmeasured = { _tag: "Unmeasured", n, mean } as const
  if (!bounded && (n < minUnbounded || differences.filter((one) => one !== 0).length < minNonZero))
    return { ...unmeasured, reason: "no_interval" }
  const measured = { _tag: "Measured", n, mean, centre, most } as const
  if (clusters === undefined) {
    const squares = total(differences.map((one) => (one - centre) ** 2)) + extra
    return { ...measured, error: Math.sqrt(squares / ((n + more - 1) * (n + more))), degrees: n + more - 1 }
  }
  const { squares, count, worth } = clusterSpread(differences, centre, clusters)
  if (worth < minClusters) return { ...unmeasured, reason: "few_clusters", clusters: worth }
  const groups = count + more
  const error = Math.sqrt((groups / (groups - 1)) * (squares + extra)) / (n + more)
  return { ...measured, error, degrees: worth - 1, clusters: worth }
}

export const meanOf = (estimate: Estimate): number =>
  estimate._tag === "Counted" ? ((estimate.up - estimate.down) / estimate.n) * estimate.width : estimate.mean

/** centre and error by Bonett and Price 2012: one more pair that falls and one that rises */
const bonettPrice = ({ n, down, up }: CountedPairs) => {
  const [fell, rose] = [(down + 1) / (n + 2), (up + 1) / (n + 2)]
  const centre = rose - fell
  return { centre, error: Math.sqrt((fell + rose - centre ** 2) / (n + 2)) }
}

/** centre, error and degrees of freedom; undefined where limits cannot be told */
export const errorOf = (estimate: Estimate) => {
  switch (estimate._tag) {
    case "Counted": {
      const { centre, error } = bonettPrice(estimate)
      return { centre: centre * estimate.width, error: error * estimate.width, degrees: estimate.n + 1 }
    }
    case "Measured":
      return { centre: estimate.centre, error: estimate.error, degrees: estimate.degrees }
    case "Unmeasured":
      return undefined
  }
}

export interface Ends {
  readonly low: number
  readonly high: number
}

const around = (centre: number, half: number, most: number, shifts: ReadonlyArray<number> = [0]): Ends => ({
  low: Math.max(-most, centre - half + Math.min(...shifts)),
  high: Math.min(most, centre + half + Math.max(...shifts))
})

/** Johnson 1978: in the middle, and as far out as `tail`, where a skewed mean strays several times as far; limits hold for both */
const shiftsOf = (lean: number, tail: number): ReadonlyArray<number> => [
  lean,
  lean * (1 + 2 * normalQuantile(1 - tail) ** 2)
]

/** limits with at most `tail` (below a half) beyond either of them; undefined where they cannot be told */
export const limitsOf = (estimate: Estimate, tail: number): Ends | undefined => {
  switch (estimate._tag) {
    case "Counted": {
      const { centre, error } = bonettPrice(estimate)
      const { low, high } = around(centre, normalQuantile(1 - tail) * error, 1)
      return { low: low * estimate.width, high: high * estimate.width }
    }
    case "Measured":
      return around(
        estimate.centre,
        tQuantile(1 - tail, estimate.degrees) * estimate.error,
        estimate.most,
        estimate.lean === undefined ? undefined : shiftsOf(estimate.lean, tail)
      )
    case "Unmeasured":
      return undefined
  }
}

/** how many errors the counts lie above a true share difference, under the likeliest shares that have it (Tango 1998) */
const tangoScore = ({ n, down, up }: CountedPairs, difference: number): number => {
  const b = -up - down + (2 * n - up + down) * difference
  const c = -down * difference * (1 - difference)
  const fell = Math.max(0, (Math.sqrt(Math.max(0, b * b - 8 * n * c)) - b) / (4 * n))
  const excess = up - down - n * difference
  const variance = n * Math.max(0, 2 * fell + difference * (1 - difference))
  return variance > 0 ? excess / Math.sqrt(variance) : Math.abs(excess) < 1e-9 ? 0 : Math.sign(excess) * Infinity
}

/** the difference at which the score is `z`: the score falls as the difference grows */
const tangoEnd = (counts: CountedPairs, z: number): number => {
  let [low, high] = [-1, 1]
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (tangoScore(counts, middle) > z) low = middle
    else high = middle
  }
  return (low + high) / 2
}

export const tangoLimits = (counts: CountedPairs, tail: number): Ends => {
  const z = normalQuantile(1 - tail)
  return { low: tangoEnd(counts, z) * counts.width, high: tangoEnd(counts, -z) * counts.width }
}

/** the least tail at which the limits lie beyond something; between 0 and a half, else 1 */
export const pBeyond = (isBeyond: (tail: number) => boolean): number => {
  let [low, high] = [Math.log(1e-12), Math.log(0.5)]
  if (!isBeyond(0.5)) return 1
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2
    if (isBeyond(Math.exp(middle))) high = middle
    else low = middle
  }
  return Math.exp(high)
}

/**
 * One-sided p of "the true difference is at most `value`"; of counts the larger of Bonett and Price's and Tango's. At most `tail` exactly
 * where all lower limits to that tail lie at or above `value`.
 */
export const pAtMost = (estimate: Estimate, value: number): number => {
  switch (estimate._tag) {
    case "Counted": {
      const { centre, error } = bonettPrice(estimate)
      const share = value / estimate.width
      if (share >= 1) return 1
      return Math.max(normalAbove((centre - share) / error), share < -1 ? 0 : normalAbove(tangoScore(estimate, share)))
    }
    case "Measured":
      if (value >= estimate.most) return 1
      if (estimate.lean !== undefined) return pBeyond((tail) => (limitsOf(estimate, tail)?.low ?? -Infinity) > value)
      return tAbove((estimate.centre - value) / estimate.error, estimate.degrees)
    case "Unmeasured":
      return 1
  }
}

/** the same differences with the other sign */
export const turned = (estimate: Estimate): Estimate => {
  switch (estimate._tag) {
    case "Counted":
      return { ...estimate, down: estimate.up, up: estimate.down }
    case "Measured":
      return {
        ...estimate,
        mean: -estimate.mean,
        centre: -estimate.centre,
        ...(estimate.lean === undefined ? {} : { lean: -estimate.lean })
      }
    case "Unmeasured":
      return { ...estimate, mean: -estimate.mean }
  }
}
