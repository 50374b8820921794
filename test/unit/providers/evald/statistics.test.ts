import { assert, describe, it } from "@effect/vitest"
import { seededRandom } from "../../../../providers/evald/random.ts"
import { stratifiedSample } from "../../../../providers/evald/sampling.ts"
import {
  brier,
  expectedCalibrationError,
  jackknife,
  mean,
  passAtK,
  percentile,
  percentileInterval
} from "../../../../providers/evald/statistics.ts"

const close = (actual: number, expected: number, within = 1e-4) =>
  assert.isTrue(Math.abs(actual - expected) <= within, `${actual} is not near ${expected}`)

describe("statistics", () => {
  it("means and percentiles", () => {
    close(mean([1, 2, 3, 4]), 2.5)
    assert.isNaN(mean([]))
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

  it("the true percentile lies between two of the values, by the binomial distribution of those below it", () => {
    const values = (n: number) => Array.from({ length: n }, (_, index) => index + 1)
    // 10 values, median: at most 1 below has probability 11/1024 = 0.0107, at most 2 has 56/1024 = 0.0547
    assert.deepStrictEqual(percentileInterval(values(10), 50), { low: 2, high: 9, method: "order_statistics" })
    // 6 values: none below has probability 1/64; of 5 it has 1/32, which is too much
    assert.deepStrictEqual(percentileInterval(values(6), 50), { low: 1, high: 6, method: "order_statistics" })
    assert.isUndefined(percentileInterval(values(5), 50))
    assert.isUndefined(percentileInterval(values(367), 99))
    assert.strictEqual(percentileInterval(values(368), 99)?.high, 368)
    assert.isUndefined(percentileInterval([], 50))
  })

  it("the jackknife of a mean is Student's interval, and there is none for a few rows", () => {
    const rows = Array.from({ length: 20 }, (_, index) => index / 20)
    const interval = jackknife(rows, mean, { min: 0, max: 1 })
    // mean 0.475, deviation sqrt(35)/20, t of 19 degrees 2.093024
    const half = (2.093024 * Math.sqrt(35)) / 20 / Math.sqrt(20)
    close(interval?.low ?? Number.NaN, 0.475 - half)
    close(interval?.high ?? Number.NaN, 0.475 + half)
    assert.isUndefined(jackknife(rows.slice(1), mean, { min: 0, max: 1 }))
  })

  it("leaves out a hundred groups in turn where there are more rows", () => {
    let asked = 0
    const counted = (rows: ReadonlyArray<number>) => {
      asked++
      return mean(rows)
    }
    const interval = jackknife(
      Array.from({ length: 5000 }, (_, index) => index % 2),
      counted,
      { min: 0, max: 1 }
    )
    assert.strictEqual(asked, 101)
    assert.isTrue((interval?.low ?? 1) <= 0.5 && (interval?.high ?? 0) >= 0.5)
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

  it("a smaller sample is within every larger one of the same seed (50 items shared 44 with 60)", () => {
    const uneven = Array.from({ length: 200 }, (_, index) => ({ index, stratum: `s${Math.floor(Math.sqrt(index))}` }))
    for (const seed of [1, 2, 3]) {
      let smaller: ReadonlySet<unknown> = new Set()
      for (let count = 1; count <= 200; count++) {
        const drawn = stratifiedSample(uneven, count, seed)
        const all = new Set<unknown>(drawn)
        assert.isTrue(
          [...smaller].every((item) => all.has(item)),
          `${count} of seed ${seed}`
        )
        smaller = all
        const sizes = new Map<string, number>()
        for (const { stratum } of drawn) sizes.set(stratum, (sizes.get(stratum) ?? 0) + 1)
        for (const [stratum, size] of sizes) {
          const share = (count * uneven.filter((item) => item.stratum === stratum).length) / 200
          assert.isBelow(Math.abs(size - share), 1.5, `${stratum} of ${count}`)
        }
      }
    }
  })

  it("always draws exactly as many as asked, and all when there are not more", () => {
    for (let count = 1; count < 90; count++) assert.strictEqual(stratifiedSample(items, count, 5).length, count)
    assert.strictEqual(stratifiedSample(items, 91, 5), items)
  })
})
