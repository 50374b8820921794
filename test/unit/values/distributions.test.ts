import { assert, describe, it } from "@effect/vitest"
import { betaQuantile, binomialAtMost, tQuantile } from "../../../values/distributions.ts"

const near = (actual: number, expected: number, within = 1e-9) =>
  assert.isAtMost(Math.abs(actual - expected), within * Math.max(1, Math.abs(expected)), `${actual} for ${expected}`)

describe("quantiles of the beta distribution", () => {
  it("of Beta(1, b) and Beta(a, 1), which have a formula", () => {
    for (const p of [1e-6, 0.025, 0.05, 0.5, 0.95, 0.975]) {
      for (const b of [1, 2, 20, 5000]) {
        near(betaQuantile(p, 1, b), -Math.expm1(Math.log1p(-p) / b))
        near(betaQuantile(p, b, 1), p ** (1 / b))
      }
    }
  })
  it("of Beta(2, 2): the root of 3x² − 2x³ = p", () => {
    for (const p of [0.025, 0.1, 0.5, 0.9]) {
      const x = betaQuantile(p, 2, 2)
      near(3 * x ** 2 - 2 * x ** 3, p)
    }
    near(betaQuantile(0.5, 2, 2), 0.5)
  })
  it("mirror each other", () => near(betaQuantile(0.03, 3.5, 700), 1 - betaQuantile(0.97, 700, 3.5)))
  it("reach from tables of one-sided limits: 8 of 10 and 17 of 20", () => {
    near(betaQuantile(0.05, 8, 3), 0.4930987, 1e-6)
    near(betaQuantile(0.05, 17, 4), 0.6563362, 1e-6)
  })
})

describe("quantiles of Student's distribution", () => {
  it("of one, two and four degrees of freedom, which have a formula", () => {
    for (const p of [0.9, 0.95, 0.975, 0.995]) {
      near(tQuantile(p, 1), Math.tan(Math.PI * (p - 0.5)))
      near(tQuantile(p, 2), (2 * p - 1) * Math.sqrt(2 / (4 * p * (1 - p))))
      const alpha = 4 * p * (1 - p)
      near(tQuantile(p, 4), 2 * Math.sqrt(Math.cos(Math.acos(Math.sqrt(alpha)) / 3) / Math.sqrt(alpha) - 1))
    }
  })
  it("of the usual tables, and of as many that it is the normal one", () => {
    near(tQuantile(0.95, 10), 1.812461, 1e-6)
    near(tQuantile(0.975, 29), 2.04523, 1e-6)
    near(tQuantile(0.975, 1e9), 1.959963984540054, 1e-6)
    near(tQuantile(0.95, 1e7), 1.6448536, 1e-6)
  })
})

describe("the binomial distribution", () => {
  it("adds its terms", () => {
    near(binomialAtMost(0, 3, 0.5), 0.125)
    near(binomialAtMost(1, 3, 0.5), 0.5)
    near(binomialAtMost(2, 3, 0.5), 0.875)
    assert.strictEqual(binomialAtMost(3, 3, 0.5), 1)
    near(binomialAtMost(1, 10, 0.1), 0.9 ** 10 + 10 * 0.1 * 0.9 ** 9)
  })
})
