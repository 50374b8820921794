/** Values whose true mean is known, drawn from a seed, and how often limits made of them miss it. */

import { seededRandom } from "../../providers/evald/random.ts"
import { binomialAtMost } from "../../values/distributions.ts"
import { type Limits, summaryOf, type ValueSums } from "../../values/mean-limits.ts"

/** uniform in [0, 1) */
export type Draw = () => number

export const chance = (...parts: ReadonlyArray<string | number>): Draw => seededRandom("trust", ...parts).next

export const unit = { min: 0, max: 1 }

export interface Population {
  readonly name: string
  readonly mean: number
  readonly value: (draw: Draw) => number
}

/** values with their probabilities; the last one takes the rest */
export const discrete = (
  name: string,
  points: ReadonlyArray<readonly [value: number, probability: number]>
): Population => ({
  name,
  mean: points.reduce((sum, [value, probability]) => sum + value * probability, 0),
  value: (draw) => {
    let left = draw()
    for (const [value, probability] of points) {
      left -= probability
      if (left < 0) return value
    }
    return points.at(-1)?.[0] ?? Number.NaN
  }
})

export const normal = (draw: Draw): number => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())

/** Marsaglia and Tsang 2000 */
const gamma = (shape: number, draw: Draw): number => {
  if (shape < 1) return gamma(shape + 1, draw) * draw() ** (1 / shape)
  const d = shape - 1 / 3
  for (;;) {
    const x = normal(draw)
    const v = (1 + x / Math.sqrt(9 * d)) ** 3
    if (v > 0 && Math.log(1 - draw()) < x ** 2 / 2 + d - d * v + d * Math.log(v)) return d * v
  }
}

export const betaValue = (a: number, b: number, draw: Draw): number => {
  const [x, y] = [gamma(a, draw), gamma(b, draw)]
  return x / (x + y)
}

export const beta = (a: number, b: number): Population => ({
  name: `Beta(${a}, ${b})`,
  mean: a / (a + b),
  value: (draw) => betaValue(a, b, draw)
})

/** shares of runs in which the truth lies below the lower or above the upper limit */
export interface Misses {
  readonly below: number
  readonly above: number
  readonly covered: number
}

/** `runs` times: limits, and the truth they should hold; runs without limits do not count */
export const missesOf = (
  runs: number,
  run: (at: number) => { readonly truth: number; readonly limits: Pick<Limits, "low" | "high"> | undefined }
): Misses => {
  let [made, below, above] = [0, 0, 0]
  for (let at = 0; at < runs; at++) {
    const { truth, limits } = run(at)
    if (limits === undefined) continue
    made++
    if (truth < limits.low - 1e-12) below++
    if (truth > limits.high + 1e-12) above++
  }
  if (made === 0) return { below: Number.NaN, above: Number.NaN, covered: Number.NaN }
  return { below: below / made, above: above / made, covered: 1 - (below + above) / made }
}

export const sumsOf = (values: ReadonlyArray<number>): ValueSums => ({
  n: values.length,
  sum: values.reduce((sum, value) => sum + value, 0),
  sumOfSquares: values.reduce((sum, value) => sum + value * value, 0)
})

export const drawn = (n: number, population: Population, draw: Draw): ReadonlyArray<number> =>
  Array.from({ length: n }, () => population.value(draw))

/** the summary of n values of a population on 0..1 */
export const drawnSummary = (n: number, population: Population, draw: Draw) =>
  summaryOf(sumsOf(drawn(n, population, draw)), unit)

/** probabilities of 0..n successes */
export const binomial = (n: number, p: number): ReadonlyArray<number> => {
  const logs = [n * Math.log1p(-p)]
  for (let k = 1; k <= n; k++) logs.push((logs[k - 1] ?? 0) + Math.log((n - k + 1) / k) + Math.log(p) - Math.log1p(-p))
  return logs.map(Math.exp)
}

/** one-sided 95 % upper limit of a share */
export const upperLimit = (count: number, of: number): number => {
  let [low, high] = [count / of, 1]
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2
    if (binomialAtMost(count, of, middle) > 0.05) low = middle
    else high = middle
  }
  return high
}
