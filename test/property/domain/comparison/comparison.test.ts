/** Laws of comparisons: no side is favoured, the order of items does not matter, more doubt never decides. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { holm } from "../../../../domain/comparison/holm.ts"
import { pairSamples, type ScoredSample } from "../../../../domain/comparison/pair-samples.ts"
import { pSignFlips } from "../../../../domain/comparison/sign-flips.ts"
import { judgeDamage } from "../../../../domain/comparison/tolerance.ts"
import {
  type CountedPairs,
  estimateOf,
  limitsOf,
  pAtMost,
  tangoLimits,
  turned
} from "../../../../values/paired-estimate.ts"

const runs = { numRuns: 200 }
const anyCounts: fc.Arbitrary<CountedPairs> = fc
  .tuple(fc.nat(60), fc.nat(60), fc.nat(2000))
  .map(([down, up, same]) => ({ _tag: "Counted", n: down + up + same + 1, down, up, width: 1 }))
const anyTail = fc.double({ min: 0.001, max: 0.2, noNaN: true })
const anyDifferences = fc.array(fc.constantFrom(-1, -0.5, 0, 0, 0, 0.25, 1), { minLength: 1, maxLength: 60 })
const anyTolerance = fc.double({ min: 0, max: 0.3, noNaN: true })

describe("counts", () => {
  it("exchanging the runs turns limits round", () => {
    fc.assert(
      fc.property(anyCounts, anyTail, (counts, tail) => {
        for (const make of [limitsOf, tangoLimits] as const) {
          const one = make(counts, tail)
          const other = make({ ...counts, down: counts.up, up: counts.down }, tail)
          assert.closeTo(one?.low ?? 1, -(other?.high ?? 0), 1e-9)
          assert.closeTo(one?.high ?? 1, -(other?.low ?? 0), 1e-9)
        }
      }),
      runs
    )
  })
  it("p and limits say the same: a breach is a p of at most alpha", () => {
    fc.assert(
      fc.property(anyCounts, anyTolerance, anyTail, (counts, tolerance, alpha) => {
        const damage = turned(counts)
        const p = pAtMost(damage, tolerance)
        fc.pre(Math.abs(p - alpha) > 1e-6)
        assert.strictEqual(judgeDamage(damage, tolerance, alpha) === "breach", p < alpha)
      }),
      runs
    )
  })
  it("a larger tolerance or a smaller alpha never turns a pass into a breach", () => {
    fc.assert(
      fc.property(anyCounts, anyTolerance, anyTail, (counts, tolerance, alpha) => {
        const damage = turned(counts)
        const judged = judgeDamage(damage, tolerance, alpha)
        if (judged === "pass") assert.strictEqual(judgeDamage(damage, tolerance + 0.1, alpha), "pass")
        if (judgeDamage(damage, tolerance, alpha / 2) !== "inconclusive")
          assert.strictEqual(judgeDamage(damage, tolerance, alpha / 2), judged)
      }),
      runs
    )
  })
})

describe("scores", () => {
  it("limits hold the mean, are never of width nought, and turn with their differences", () => {
    fc.assert(
      fc.property(anyDifferences, anyTail, (differences, tail) => {
        const limits = limitsOf(estimateOf(differences, 1), tail)
        const other = limitsOf(
          estimateOf(
            differences.map((one) => -one),
            1
          ),
          tail
        )
        assert.isAbove((limits?.high ?? 0) - (limits?.low ?? 0), 0)
        assert.closeTo(limits?.low ?? 1, -(other?.high ?? 0), 1e-9)
      }),
      runs
    )
  })
  it("clusters of one item each are no clusters", () => {
    fc.assert(
      fc.property(anyDifferences, (differences) => {
        fc.pre(differences.length >= 5)
        const alone = estimateOf(differences, 1)
        const clustered = estimateOf(
          differences,
          1,
          differences.map((_, at) => at)
        )
        assert.isTrue(
          alone._tag === "Measured" && clustered._tag === "Measured" && Math.abs(alone.error - clustered.error) < 1e-9
        )
      }),
      runs
    )
  })
  it("sign flips: p of falling and of rising together are at least one", () => {
    fc.assert(
      fc.property(anyDifferences, (differences) => {
        const rising = pSignFlips(differences.map((one) => -one))
        assert.isAtLeast(pSignFlips(differences) + rising, 1 - 0.03)
      }),
      { numRuns: 50 }
    )
  })
})

describe("Holm's correction", () => {
  it("never lowers a p, keeps their order, and corrects the least by their number", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 12 }), (values) => {
        const adjusted = holm(values).map((p) => p ?? Number.NaN)
        for (const [at, p] of values.entries()) {
          assert.isAtLeast(adjusted[at] ?? 0, p)
          for (const [other, q] of values.entries()) if (p < q) assert.isAtMost(adjusted[at] ?? 2, adjusted[other] ?? 0)
        }
        assert.closeTo(Math.min(...adjusted), Math.min(1, values.length * Math.min(...values)), 1e-12)
      }),
      runs
    )
  })
})

describe("pairs", () => {
  const anyVerdicts = fc.array(fc.tuple(fc.nat(20), fc.constantFrom("correct", "incorrect", "invalid", "error")), {
    minLength: 1,
    maxLength: 30
  })
  it("the order of samples does not matter, and every item is counted once", () => {
    fc.assert(
      fc.property(anyVerdicts, anyVerdicts, (first, second) => {
        const samples = (given: typeof first): ReadonlyArray<ScoredSample> => [
          ...new Map(
            given.map(([id, verdict]) => [id, { sampleId: `${id}`, task: "t", repeat: 0, verdict } as ScoredSample])
          ).values()
        ]
        const run = (all: ReadonlyArray<ScoredSample>) => {
          const scored = all.filter(({ verdict }) => verdict !== "error")
          return {
            samples: all,
            reported: scored.filter(({ verdict }) => verdict === "correct").length / scored.length
          }
        }
        const [a, b] = [samples(first), samples(second)]
        const unit = { min: 0, max: 1 }
        const found = pairSamples(run(a), run(b), unit)
        const other = pairSamples(run(a.toReversed()), run(b.toReversed()), unit)
        if (found._tag === "NotPaired" || other._tag === "NotPaired") {
          assert.strictEqual(found._tag, other._tag)
          return
        }
        assert.strictEqual(found.union, new Set([...a, ...b].map(({ sampleId }) => sampleId)).size)
        assert.strictEqual(
          found.baseline.length + found.unscored + found.baselineOnly + found.candidateOnly,
          found.union
        )
        assert.sameMembers([...found.candidate], [...other.candidate])
      }),
      runs
    )
  })
})
