import { assert, describe, it } from "@effect/vitest"
import { seededRandom } from "../../../../providers/evald/random.ts"
import { stratifiedSample } from "../../../../providers/evald/sampling.ts"
import {
  bootstrapOf,
  brier,
  expectedCalibrationError,
  mean,
  meanInterval,
  passAtK,
  percentile,
  standardError,
  wilson
} from "../../../../providers/evald/statistics.ts"

const close = (actual: number, expected: number, within = 1e-4) => assert.isTrue(Math.abs(actual - expected) <= within, `${actual} is not near ${expected}`)

describe("statistics", () => {
  it("Wilson intervals agree with worked values", () => {
    // z = 1.96: 8 of 10, 0 of 10, 10 of 10, 50 of 100, 1 of 3
    const cases = [
      [8, 10, 0.4902, 0.9433],
      [0, 10, 0, 0.2775],
      [10, 10, 0.7225, 1],
      [50, 100, 0.4038, 0.5962],
      [1, 3, 0.0615, 0.7923]
    ] as const
    for (const [successes, n, low, high] of cases) {
      const interval = wilson(successes, n)
      close(interval.low, low)
      close(interval.high, high)
    }
  })

  it("mean, standard error and percentiles", () => {
    close(mean([1, 2, 3, 4]), 2.5)
    assert.isNaN(mean([]))
    // deviation of 1..4 is sqrt(5/3); divided by sqrt(4)
    close(standardError([1, 2, 3, 4]) ?? Number.NaN, 0.6455)
    assert.isUndefined(standardError([1]))
    assert.strictEqual(percentile([1, 2, 3, 4], 50), 2.5)
    assert.strictEqual(percentile([1, 2, 3, 4], 25), 1.75)
    assert.strictEqual(percentile([7], 99), 7)
    assert.strictEqual(percentile([1, 2, 3], 100), 3)
  })

  it("unbiased pass@k equals 1 - C(n-c,k)/C(n,k)", () => {
    close(passAtK(10, 3, 1), 0.3)
    close(passAtK(5, 2, 2), 0.7)
    close(passAtK(4, 1, 3), 0.75)
    assert.strictEqual(passAtK(5, 0, 5), 0)
    assert.strictEqual(passAtK(5, 3, 3), 1)
  })

  it("calibration error and Brier score by hand", () => {
    // bin [0.9, 1]: confidence 0.95, half right → 0.45 × 2/4; bin [0.6, 0.7): confidence 0.6, all right → 0.4 × 2/4
    const predictions = [
      { confidence: 0.95, correct: true },
      { confidence: 0.95, correct: false },
      { confidence: 0.6, correct: true },
      { confidence: 0.6, correct: true }
    ]
    close(expectedCalibrationError(predictions), 0.425)
    assert.strictEqual(expectedCalibrationError([{ confidence: 1, correct: true }]), 0)
    close(brier([0.7, 0.1, 0.1, 0.1], 0), 0.12)
    assert.strictEqual(brier([0, 1], 0), 2)
  })

  it("bootstrap: seeded, holds the mean, and is about as wide as the normal interval", () => {
    const random = seededRandom("values")
    const values = Array.from({ length: 200 }, () => random.next())
    const interval = meanInterval(values, 7)
    assert.strictEqual(interval.method, "bootstrap")
    assert.deepStrictEqual(interval, meanInterval(values, 7))
    assert.notDeepEqual(interval, meanInterval(values, 8))
    assert.isTrue(interval.low < mean(values) && mean(values) < interval.high)
    const normal = 2 * 1.96 * (standardError(values) ?? 0)
    assert.isTrue(Math.abs(interval.high - interval.low - normal) < 0.2 * normal)
    assert.deepStrictEqual(bootstrapOf([3, 3, 3], mean, 1), { low: 3, high: 3, method: "bootstrap" })
    assert.strictEqual(meanInterval([0, 1, 1], 1).method, "wilson")
  })
})

describe("seeded randomness", () => {
  it("gives the same numbers for the same parts only", () => {
    const draw = (...parts: ReadonlyArray<string | number>) => {
      const random = seededRandom(...parts)
      return Array.from({ length: 5 }, () => random.int(0, 1_000_000))
    }
    assert.deepStrictEqual(draw("a", 1), draw("a", 1))
    assert.notDeepEqual(draw("a", 1), draw("a", 2))
    assert.notDeepEqual(draw("a", 1), draw("a1"))
    // fixed for ever: a change here changes every generated item
    assert.deepStrictEqual(draw("golden", 42), [150922, 995860, 152027, 243491, 72166])
  })

  it("is uniform", () => {
    const random = seededRandom("uniform")
    const counts = [0, 0, 0, 0, 0, 0]
    for (let i = 0; i < 60_000; i++) {
      const face = random.int(0, 5)
      counts[face] = (counts[face] ?? 0) + 1
    }
    // chi-square with 5 degrees of freedom: 20.5 is passed by chance once in a thousand
    const chi = counts.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0)
    assert.isTrue(chi < 20.5, `chi-square ${chi}`)
  })
})

describe("stratified sample", () => {
  const items = Array.from({ length: 90 }, (_, index) => ({ index, stratum: index < 60 ? "big" : "small" }))

  it("keeps the shares and the order, and is seeded", () => {
    const drawn = stratifiedSample(items, 30, 1)
    assert.strictEqual(drawn.filter(({ stratum }) => stratum === "big").length, 20)
    assert.deepStrictEqual(
      drawn.map(({ index }) => index),
      [...drawn.map(({ index }) => index)].sort((a, b) => a - b)
    )
    assert.deepStrictEqual(drawn, stratifiedSample(items, 30, 1))
    assert.notDeepEqual(drawn, stratifiedSample(items, 30, 2))
  })

  it("always draws exactly as many as asked, and all when there are not more", () => {
    for (let count = 1; count < 90; count++) assert.strictEqual(stratifiedSample(items, count, 5).length, count)
    assert.strictEqual(stratifiedSample(items, 91, 5), items)
  })
})
