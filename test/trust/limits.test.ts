/**
 * What limits of means promise: two-sided 95 % intervals hold the truth in at least 94 of 100 runs (92 with five values), one-sided bounds
 * miss it in at most 5.5. Shares are reckoned exactly over all counts, the rest is drawn from a fixed seed.
 */
import { afterEach, assert, describe, it } from "vitest"
import { type Limits, meanLimits, shareLimits, summaryOf } from "../../values/mean-limits.ts"
import {
  beta,
  betaValue,
  binomial,
  chance,
  discrete,
  drawnSummary,
  missesOf,
  normal,
  type Population,
  sumsOf,
  unit
} from "./simulation.ts"

// a worker that reckons for a minute without a turn for others counts as lost
afterEach(() => new Promise<void>((resolve) => setImmediate(resolve)))

const runs = 6000
const [interval, bound] = [0.025, 0.05]
const percent = (share: number) => `${(100 * share).toFixed(2)} %`

const holds = (
  what: string,
  n: number,
  both: { readonly covered: number },
  each: { readonly below: number; readonly above: number }
) => {
  const least = n < 20 ? 0.92 : 0.94
  assert.isAtLeast(both.covered, least, `${what}, n = ${n}: the interval holds the truth in ${percent(both.covered)}`)
  for (const [side, share] of Object.entries({ below: each.below, above: each.above }))
    assert.isAtMost(share, 0.055, `${what}, n = ${n}: the truth lies ${side} its bound in ${percent(share)}`)
}

describe("shares", () => {
  // the worst chances lie just beside the limits themselves
  const chances = (limits: ReadonlyArray<Limits>) => [
    ...Array.from({ length: 99 }, (_, at) => (at + 1) / 100),
    ...limits
      .flatMap(({ low, high }) => [low - 1e-9, low + 1e-9, high - 1e-9, high + 1e-9])
      .filter((p) => p > 0 && p < 1)
  ]
  for (const n of [1, 5, 10, 20, 50, 100, 500]) {
    it(`of ${n}: in at least 95 of 100 runs whatever the truth is, in at most 5 beyond either bound`, () => {
      const limitsOf = (tail: number) => Array.from({ length: n + 1 }, (_, k) => shareLimits(k, n, tail))
      const [both, each] = [limitsOf(interval), limitsOf(bound)]
      for (const p of chances(both)) {
        const weights = binomial(n, p)
        const covered = weights.reduce(
          (sum, weight, k) => sum + ((both[k]?.low ?? 1) <= p && p <= (both[k]?.high ?? 0) ? weight : 0),
          0
        )
        assert.isAtLeast(covered, 0.95 - 1e-9, `p = ${p}`)
      }
      for (const p of chances(each)) {
        const weights = binomial(n, p)
        assert.isAtMost(
          weights.reduce((sum, weight, k) => sum + ((each[k]?.low ?? 1) > p ? weight : 0), 0),
          0.05 + 1e-9,
          `p = ${p}`
        )
        assert.isAtMost(
          weights.reduce((sum, weight, k) => sum + ((each[k]?.high ?? 0) < p ? weight : 0), 0),
          0.05 + 1e-9,
          `p = ${p}`
        )
      }
    })
  }
})

/** scores as benchmarks give them: shares of words, ratings, partly right answers, nearly yes or no */
const populations: ReadonlyArray<Population> = [
  beta(1, 1),
  beta(2, 5),
  beta(9, 1),
  beta(0.5, 5),
  beta(0.2, 2),
  discrete("halves, rare", [
    [0.5, 0.15],
    [0, 0.85]
  ]),
  discrete("nearly all right", [
    [1, 0.93],
    [0.5, 0.05],
    [0, 0.02]
  ]),
  discrete("nearly yes or no", [
    [1, 0.135],
    [0.5, 0.002],
    [0, 0.863]
  ]),
  discrete("ratings of 1 to 5", [
    [0, 0.05],
    [0.25, 0.1],
    [0.5, 0.2],
    [0.75, 0.4],
    [1, 0.25]
  ])
]

describe("means of scores between 0 and 1", () => {
  for (const population of populations) {
    it(`${population.name}`, () => {
      for (const n of [5, 20, 100]) {
        const simulated = (tail: number) => {
          const draw = chance(population.name, n)
          return missesOf(n === 100 ? runs / 2 : runs, () => ({
            truth: population.mean,
            limits: meanLimits(drawnSummary(n, population, draw), tail)
          }))
        }
        holds(population.name, n, simulated(interval), simulated(bound))
      }
    })
  }
})

describe("shares of rules that hang together in prompts", () => {
  /** chance of each rule of one prompt to be followed: the same for all of them, the more different from prompt to prompt the more they hang together */
  const kinds: ReadonlyArray<readonly [name: string, chanceOf: (mean: number, draw: () => number) => number]> = [
    ["not at all", (mean) => mean],
    ["somewhat", (mean, draw) => betaValue(mean * 3, (1 - mean) * 3, draw)],
    ["entirely", (mean, draw) => (draw() < mean ? 1 : 0)]
  ]
  for (const [kind, chanceOf] of kinds) {
    it(`${kind}`, () => {
      for (const prompts of [7, 20, 150]) {
        for (const mean of [0.5, 0.8, 0.95]) {
          const simulated = (tail: number) => {
            const draw = chance(kind, prompts, mean)
            return missesOf(prompts === 150 ? runs / 4 : runs / 2, () => {
              const groups = Array.from({ length: prompts }, (_, at) => {
                const own = chanceOf(mean, draw)
                return {
                  n: 1 + (at % 3),
                  sum: Array.from({ length: 1 + (at % 3) }, () => (draw() < own ? 1 : 0)).reduce(
                    (sum: number, one) => sum + one,
                    0
                  )
                }
              })
              const [n, sum] = [
                groups.reduce((total, group) => total + group.n, 0),
                groups.reduce((total, group) => total + group.sum, 0)
              ]
              return { truth: mean, limits: meanLimits(summaryOf({ n, sum, sumOfSquares: sum, groups }, unit), tail) }
            })
          }
          holds(`${kind}, ${mean}`, prompts, simulated(interval), simulated(bound))
        }
      }
    })
  }
})

describe("means of unbounded values", () => {
  it("near a normal distribution, from thirty values on", () => {
    for (const n of [30, 100]) {
      const simulated = (tail: number) => {
        const draw = chance("normal", n)
        return missesOf(runs, () => {
          const { mean, standardError } = summaryOf(sumsOf(Array.from({ length: n }, () => 50 + 7 * normal(draw))))
          return {
            truth: 50,
            limits: meanLimits({ n, mean, ...(standardError === undefined ? {} : { standardError }) }, tail)
          }
        })
      }
      holds("normal", n, simulated(interval), simulated(bound))
    }
  })
})
