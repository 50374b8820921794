/** Differences of pairs against tables worked by hand and published examples. */
import { assert, describe, it } from "vitest"
import { holm } from "../../../../domain/comparison/holm.ts"
import { overallOf } from "../../../../domain/comparison/overall.ts"
import { percentileDifference } from "../../../../domain/comparison/percentiles.ts"
import { pSignFlips } from "../../../../domain/comparison/sign-flips.ts"
import { detectable, itemsNeeded } from "../../../../domain/comparison/sizes.ts"
import { judgeDamage } from "../../../../domain/comparison/tolerance.ts"
import { headsAtLeast, normalAbove, normalQuantile, tAbove } from "../../../../values/distributions.ts"
import {
  type CountedPairs,
  errorOf,
  estimateOf,
  limitsOf,
  pAtMost,
  tangoLimits,
  turned
} from "../../../../values/paired-estimate.ts"

const counted = (n: number, down: number, up: number, width = 1): CountedPairs => ({
  _tag: "Counted",
  n,
  down,
  up,
  width
})

/** the same to so many digits */
const near = (actual: number | undefined, expected: number, by = 5e-4) =>
  assert.closeTo(actual ?? Number.NaN, expected, by)

describe("heads of a fair coin", () => {
  for (const [k, n, p] of [
    // (286 + 78 + 13 + 1) / 8192
    [10, 13, 378 / 8192],
    [0, 0, 1],
    [0, 5, 1],
    [5, 5, 1 / 32],
    [1, 5, 31 / 32],
    [6, 5, 0],
    [3, 6, 42 / 64]
  ] as const)
    it(`${k} of ${n}`, () => near(headsAtLeast(k, n), p, 1e-12))
  it("far out, where a difference to one would be nothing", () => {
    near(Math.log(headsAtLeast(1000, 1000)), -1000 * Math.LN2, 1e-9)
    assert.isAbove(headsAtLeast(6000, 10_000), 0)
    near(headsAtLeast(5000, 10_000), 0.503989, 1e-6)
  })
})

describe("the normal distribution", () => {
  for (const [z, above] of [
    [0, 0.5],
    [1, 0.15865525393145707],
    [-1, 0.8413447460685429],
    [1.959963984540054, 0.025],
    [2.5, 0.006209665325776132],
    [3, 0.0013498980316300957],
    [6, 9.865876450377018e-10]
  ] as const) {
    it(`above ${z}`, () => assert.closeTo(normalAbove(z) / above, 1, 1e-9))
    it(`the quantile that leaves ${above} above it`, () => assert.closeTo(normalQuantile(1 - above), z, 1e-6))
  }
  it("Student's with many degrees is the normal one, and with one is Cauchy's", () => {
    near(tAbove(1.959963984540054, 1e7), 0.025, 1e-6)
    near(tAbove(1, 1), 0.25, 1e-12)
    near(tAbove(-1, 1), 0.75, 1e-12)
  })
})

describe("yes-or-no pairs", () => {
  it("Bonett and Price by hand: 100 items, 12 fell, 4 rose", () => {
    // 13/102 fell, 5/102 rose, centre -8/102, error √((18/102 − (8/102)²)/102)
    const limits = limitsOf(counted(100, 12, 4), 0.025)
    near(limits?.low, -0.15852, 1e-5)
    near(limits?.high, 0.00166, 1e-5)
  })
  it("the airways of 21 children (Fagerland, Lydersen and Laake 2014): Tango −0.517 to −0.026, Bonett and Price −0.508 to −0.013", () => {
    const children = counted(21, 7, 1)
    const tango = tangoLimits(children, 0.025)
    near(tango.low, -0.517)
    near(tango.high, -0.026)
    const limits = limitsOf(children, 0.025)
    near(limits?.low, -0.508)
    near(limits?.high, -0.0134)
  })
  it("without a pair that differs limits have a width, and Tango's are z²/(n + z²)", () => {
    const z = normalQuantile(0.975)
    const { low, high } = tangoLimits(counted(50, 0, 0), 0.025)
    near(high, z ** 2 / (50 + z ** 2), 1e-6)
    near(low, -high, 1e-9)
    assert.isAbove(limitsOf(counted(50, 0, 0), 0.025)?.high ?? 0, 0)
  })
  it("limits stay on the scale, and a percent scale is a hundred times as wide", () => {
    const [one, hundred] = [limitsOf(counted(3, 3, 0), 0.025), limitsOf(counted(3, 3, 0, 100), 0.025)]
    assert.strictEqual(one?.low, -1)
    near((one?.high ?? 0) * 100, hundred?.high ?? Number.NaN, 1e-9)
  })
  it("p and limits agree: p of 'at most the lower limit' is the tail", () => {
    const pairs = counted(200, 9, 30)
    const low = Math.min(limitsOf(pairs, 0.05)?.low ?? 1, tangoLimits(pairs, 0.05).low)
    near(pAtMost(pairs, low), 0.05, 1e-6)
    near(pAtMost(turned(pairs), -1), 0, 1e-9)
    assert.strictEqual(pAtMost(pairs, 1), 1)
  })
})

describe("scores", () => {
  it("by hand: 0.5, 0, −0.5 and 0.25 on 0..1, with 1 and −1 beside them", () => {
    // centre 0.25/6, squares 0.5625 + 2 − 0.25²/6, over 5·6
    const error = errorOf(estimateOf([0.5, 0, -0.5, 0.25], 1))
    near(error?.centre, 0.25 / 6, 1e-12)
    near(error?.error, Math.sqrt((2.5625 - 0.0625 / 6) / 30), 1e-12)
    assert.strictEqual(error?.degrees, 5)
  })
  it("clusters by hand: five pairs of equal differences are worth five items", () => {
    const clusters = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    const estimate = estimateOf(
      clusters.map((cluster) => (cluster - 2) / 10),
      1,
      clusters
    )
    const error = errorOf(estimate)
    // sums of clusters: −0.4, −0.2, 0, 0.2, 0.4; two more of one item: 1 and −1; seven clusters, twelve items
    near(error?.error, Math.sqrt((7 / 6) * (0.4 + 2)) / 12, 1e-12)
    assert.strictEqual(error?.degrees, 4)
  })
  it("fewer than five clusters' worth have no interval", () => {
    const estimate = estimateOf([0.1, 0.2, 0.3, 0.4], 1, [0, 0, 1, 2])
    assert.deepInclude(estimate, { _tag: "Unmeasured", reason: "few_clusters" })
    assert.isUndefined(limitsOf(estimate, 0.05))
    assert.strictEqual(pAtMost(estimate, 0), 1)
  })
  it("unbounded scores need 30 items of which 20 differ", () => {
    const differing = Array.from({ length: 20 }, (_, at) => at + 1)
    const same = Array.from({ length: 10 }, () => 0)
    assert.strictEqual(estimateOf([...differing, ...same], Infinity)._tag, "Measured")
    assert.strictEqual(estimateOf([...differing.slice(1), 0, ...same], Infinity)._tag, "Unmeasured")
    assert.strictEqual(estimateOf(differing, Infinity)._tag, "Unmeasured")
  })
})

describe("sign flips", () => {
  it("all patterns of few: three losses of one size are one pattern of eight", () => {
    assert.strictEqual(pSignFlips([-1, -1, -1]), 1 / 8)
    assert.strictEqual(pSignFlips([1, 1, 1]), 1)
    assert.strictEqual(pSignFlips([0, -1, 0]), 1 / 2)
    assert.strictEqual(pSignFlips([0, 0]), 1)
  })
  it("a cluster turns as one", () => {
    assert.strictEqual(pSignFlips([-1, -1, -1, -1], [0, 0, 1, 1]), 1 / 4)
  })
  it("draws of many agree with the binomial, and are the same each time", () => {
    const differences = Array.from({ length: 40 }, (_, at) => (at < 26 ? -1 : 1))
    near(pSignFlips(differences), headsAtLeast(26, 40), 0.01)
    assert.strictEqual(pSignFlips(differences), pSignFlips(differences))
  })
  it("very many are normal", () => {
    const differences = Array.from({ length: 60_000 }, (_, at) => (at % 2 === 0 ? 1 : -1.001))
    near(pSignFlips(differences), 0.451, 0.01)
  })
})

describe("several tests", () => {
  it("Holm by hand: 0.01, 0.04, 0.03 become 0.03, 0.06, 0.06", () => {
    const [a, b, c, d] = holm([0.01, 0.04, undefined, 0.03])
    near(a, 0.03, 1e-12)
    near(b, 0.06, 1e-12)
    assert.isUndefined(c)
    near(d, 0.06, 1e-12)
  })
  it("two equal parts: the error is that of a mean, and their degrees add up", () => {
    const part = { weight: 3, mean: 0.1, centre: 0.1, error: 0.02, degrees: 10 }
    const found = overallOf([part, { ...part, mean: 0.3, centre: 0.3 }], 0.025)
    near(found?.mean, 0.2, 1e-12)
    near(found?.error, 0.02 / Math.SQRT2, 1e-12)
    near(found?.degrees, 20, 1e-9)
    // t of 20 degrees is 2.086
    near(found?.limits.low, 0.2 - 2.086 * 0.01414, 1e-4)
    assert.isUndefined(overallOf([{ ...part, weight: 0 }], 0.025))
  })
})

describe("sizes", () => {
  it("a tenth of pairs that differ, two points tolerated: 1546 items", () => {
    // (1.644854 + 0.841621)² · 0.1 / 0.02²
    assert.strictEqual(itemsNeeded({ n: 100, variance: 0.1, inflation: 1 }, 0.05, 0.02), 1546)
    assert.isUndefined(itemsNeeded({ n: 100, variance: 0.1, inflation: 1 }, 0.05, 0))
    near(detectable({ n: 1546, variance: 0.1, inflation: 1 }, 0.05), 0.02, 1e-5)
  })
})

describe("tolerance", () => {
  it("passes, breaches or neither", () => {
    assert.strictEqual(judgeDamage(counted(2000, 40, 40), 0.02, 0.05), "pass")
    assert.strictEqual(judgeDamage(counted(2000, 40, 160), 0.02, 0.05), "breach")
    assert.strictEqual(judgeDamage(counted(100, 4, 4), 0.02, 0.05), "inconclusive")
    assert.strictEqual(judgeDamage(estimateOf([0, 0, 0], 1, [0, 1, 1]), 1, 0.05), "inconclusive")
  })
})

describe("percentiles", () => {
  const times = (from: number) => Array.from({ length: 200 }, (_, at) => from + at)
  it("a shift of all times is seen in the median", () => {
    const found = percentileDifference(times(100), times(200), 50, 0.025)
    assert.deepInclude(found, { baseline: 199, candidate: 299 })
    assert.isAbove(found.limits?.low ?? 0, 60)
    assert.isBelow(found.limits?.high ?? 1000, 140)
  })
  it("too few requests beyond the percentile have no limits", () => {
    assert.isUndefined(percentileDifference(times(100), times(200), 99, 0.025).limits)
  })
})
