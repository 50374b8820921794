import { assert, describe, it } from "@effect/vitest"
import { meanLimits, shareLimits, summaryOf } from "../../../values/mean-limits.ts"

const near = (actual: number | undefined, expected: number, within = 5e-5) =>
  assert.isAtMost(Math.abs((actual ?? Number.NaN) - expected), within, `${actual}`)
const unit = { min: 0, max: 1 }

describe("limits of a share", () => {
  // Clopper and Pearson, two-sided 95 %: from published tables
  const table = [
    [0, 10, 0, 0.3085],
    [8, 10, 0.4439, 0.9748],
    [10, 10, 0.6915, 1],
    [50, 100, 0.3983, 0.6017],
    [1, 3, 0.0084, 0.9057],
    [17, 20, 0.6211, 0.9679]
  ] as const
  for (const [successes, n, low, high] of table) {
    it(`${successes} of ${n}`, () => {
      const limits = shareLimits(successes, n, 0.025)
      near(limits.low, low)
      near(limits.high, high)
    })
  }
  it("all of n: the n-th root of the tail", () => near(shareLimits(20, 20, 0.05).low, 0.05 ** (1 / 20)))
})

describe("limits of a mean of bounded scores", () => {
  it("by hand: 0.5 four times and 0.25, 0.75", () => {
    // sum 3, squares 1.625; with 0 and 1: mean 0.5, squares of the differences 0.125 + 0.5, n + 1 = 7 degrees, t = 1.894579
    const summary = summaryOf({ n: 6, sum: 3, sumOfSquares: 1.625 }, unit)
    assert.isUndefined(summary.successes)
    const half = 1.894579 * Math.sqrt(0.625 / 7 / 8)
    const limits = meanLimits(summary, 0.05)
    near(limits?.low, 0.5 - half)
    near(limits?.high, 0.5 + half)
    assert.strictEqual(limits?.method, "t")
  })
  it("skewed ones are widened to the exact limits of as many shares: 0.5 ten times among a hundred", () => {
    const summary = summaryOf({ n: 100, sum: 5, sumOfSquares: 2.5 }, unit)
    // squared error (2.5 − 5²/100) / 99 / 100, so n alike 0.0475 / 0.000227273 = 209, times (1.644854 / 1.660391)² = 205.107
    near(meanLimits(summary, 0.05)?.low, shareLimits(0.05 * 205.1068, 205.1068, 0.05).low)
    // Student's with the pseudo-values alone would be 0.0298
    near(meanLimits(summary, 0.05)?.low, 0.027619)
  })
  it("are never of width zero, hold the mean, and stay on the scale", () => {
    const limits = meanLimits({ n: 50, mean: 0.999, standardError: 0, range: unit }, 0.05)
    assert.isBelow(limits?.low ?? 1, 0.98)
    assert.strictEqual(limits?.high, 1)
  })
  it("do not depend on the unit of the scale", () => {
    const share = meanLimits({ n: 40, mean: 0.7, standardError: 0.03, range: unit }, 0.05)
    const percent = meanLimits({ n: 40, mean: 70, standardError: 3, range: { min: 0, max: 100 } }, 0.05)
    const points = meanLimits({ n: 40, mean: 3.8, standardError: 0.12, range: { min: 1, max: 5 } }, 0.05)
    near((percent?.low ?? 0) / 100, share?.low ?? Number.NaN, 1e-12)
    near(((points?.high ?? 0) - 1) / 4, share?.high ?? Number.NaN, 1e-12)
  })
})

describe("limits of values that hang together", () => {
  // five prompts with rules 2/2, 1/2, 0/2, 2/2, 2/2: mean 0.7, Σ(sum − 2·0.7)² = 0.36·3 + 0.16 + 1.96 = 3.2
  const groups = [2, 1, 0, 2, 2].map((sum) => ({ n: 2, sum }))
  it("have the standard error of the groups and as many degrees of freedom as groups count", () => {
    const summary = summaryOf({ n: 10, sum: 7, sumOfSquares: 7, groups }, unit)
    near(summary.mean, 0.7)
    near(summary.clusters, 5)
    near(summary.standardError, Math.sqrt((5 / 4) * 3.2) / 10)
    assert.isUndefined(summary.successes)
    assert.strictEqual(meanLimits(summary, 0.05)?.method, "t")
  })
  it("weigh a heavy group by its size", () =>
    near(
      summaryOf(
        { n: 10, sum: 5, sumOfSquares: 5, groups: [{ n: 6, sum: 3 }, ...[1, 0, 1, 0].map((sum) => ({ n: 1, sum }))] },
        unit
      ).clusters,
      2.5
    ))
  it("are none for fewer than five groups", () =>
    assert.isUndefined(meanLimits({ n: 100, mean: 0.5, standardError: 0.05, clusters: 4.9, range: unit }, 0.05)))
  it("groups of one are no groups", () => {
    const alone = [1, 0, 1].map((sum) => ({ n: 1, sum }))
    assert.strictEqual(summaryOf({ n: 3, sum: 2, sumOfSquares: 2, groups: alone }, unit).successes, 2)
  })
})

describe("limits of unbounded values", () => {
  it("are Student's from thirty values on, none before and none without a spread", () => {
    const summary = { n: 30, mean: 100, standardError: 2 }
    near(meanLimits(summary, 0.05)?.low, 100 - 1.699127 * 2, 1e-4)
    assert.isUndefined(meanLimits({ ...summary, n: 29 }, 0.05))
    assert.isUndefined(meanLimits({ ...summary, standardError: 0 }, 0.05))
    assert.isUndefined(meanLimits({ n: 1000, mean: 1 }, 0.05))
  })
})

describe("summaries", () => {
  it("count successes only where every value lies at an end of the range", () => {
    assert.strictEqual(summaryOf({ n: 4, sum: 3, sumOfSquares: 3 }, unit).successes, 3)
    assert.isUndefined(summaryOf({ n: 4, sum: 3, sumOfSquares: 2.5 }, unit).successes)
    // 1 and 5, three times each
    assert.strictEqual(summaryOf({ n: 6, sum: 18, sumOfSquares: 78 }, { min: 1, max: 5 }).successes, 3)
    assert.isUndefined(summaryOf({ n: 4, sum: 3, sumOfSquares: 3 }).successes)
  })
  it("give the standard error of the sample", () =>
    near(summaryOf({ n: 4, sum: 10, sumOfSquares: 30 }).standardError, 0.6455))
})
