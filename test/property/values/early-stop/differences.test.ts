/** Laws of an early stop of pairs: limits hold what the gate would tell, more differences widen them, failures bring no certainty, the ends mirror each other. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { fractionLoss } from "../../../../domain/gate/judge-criterion.ts"
import {
  decidingGains,
  type Gains,
  gainsLeft,
  gainsOf,
  limitsOfGains,
  watchGains
} from "../../../../values/early-stop/differences.ts"
import { estimateOf, limitsOf, tangoLimits } from "../../../../values/paired-estimate.ts"

const runs = { numRuns: 60 }
const anyTail = fc.double({ min: 0.005, max: 0.2, noNaN: true })
const anyLeast = fc.double({ min: -0.3, max: 0, noNaN: true })
const anyScore = fc.double({ min: 0, max: 1, noNaN: true })
const anyAnswer = fc.constantFrom(0, 1)
const pairsOf = (value: fc.Arbitrary<number>) => fc.array(fc.tuple(value, value), { minLength: 10, maxLength: 300 })
const plain = { isSkewed: false }
const scale = { range: { min: 0, max: 1 }, isLower: false }
const totalsOf = (gains: ReadonlyArray<number>) => ({
  sum: gains.reduce((sum, gain) => sum + gain, 0),
  squares: gains.reduce((sum, gain) => sum + gain * gain, 0)
})

describe("limits of a mean gain", () => {
  it("hold those that the gate has of the same pairs: yes or no, and scores in between", () => {
    fc.assert(
      fc.property(pairsOf(anyAnswer), pairsOf(anyScore), anyTail, (answers, scores, tail) => {
        const gains = answers.map(([before, after]) => after - before)
        const own = limitsOfGains(gains.length, totalsOf(gains), tail, plain)
        const count = (one: number) => gains.filter((gain) => gain === one).length
        const counted = { _tag: "Counted", n: gains.length, down: count(-1), up: count(1), width: 1 } as const
        for (const limits of [limitsOf(counted, tail), tangoLimits(counted, tail)]) {
          assert.isAtMost(own.low, (limits?.low ?? 0) + 1e-9)
          assert.isAtLeast(own.high, (limits?.high ?? 0) - 1e-9)
        }
        const between = scores.map(([before, after]) => after - before)
        const measured = limitsOf(estimateOf(between, 1), tail)
        const wide = limitsOfGains(between.length, totalsOf(between), tail, plain)
        assert.isAtMost(wide.low, (measured?.low ?? 0) + 1e-9)
        assert.isAtLeast(wide.high, (measured?.high ?? 0) - 1e-9)
      }),
      runs
    )
  })
  it("of a share that must be kept hold those that the gate moves for skewness, higher or lower being better", () => {
    fc.assert(
      fc.property(
        pairsOf(anyScore),
        anyTail,
        fc.double({ min: 0, max: 0.9, noNaN: true }),
        fc.boolean(),
        (pairs, tail, tolerance, isLower) => {
          const gains = gainsOf({ kind: "relative_fraction", tolerance }, { ...scale, isLower })
          const values = pairs.map(([before, after]) => gains.of(before, after))
          const own = limitsOfGains(values.length, totalsOf(values), tail, gains)
          const loss = fractionLoss(
            { baseline: pairs.map(([before]) => before), candidate: pairs.map(([, after]) => after) },
            tolerance,
            { direction: isLower ? "lower" : "higher", range: scale.range }
          )
          const limits = loss === undefined ? undefined : limitsOf(loss, tail)
          assert.isAtLeast(-own.low * gains.unit, (limits?.high ?? 0) - 1e-9)
          assert.isAtMost(-own.high * gains.unit, (limits?.low ?? 0) + 1e-9)
        }
      ),
      runs
    )
  })
  it("widen with what differs, and mirror each other", () => {
    const anyTotals = fc
      .integer({ min: 10, max: 500 })
      .chain((items) =>
        fc
          .tuple(fc.constant(items), fc.integer({ min: 2, max: items }))
          .chain(([of, squares]) =>
            fc.tuple(
              fc.constant(of),
              fc.constant(squares),
              fc.integer({ min: -Math.floor(squares / 2), max: Math.floor(squares / 2) })
            )
          )
      )
    fc.assert(
      fc.property(anyTotals, anyTail, ([items, squares, sum], tail) => {
        const at = (more: number, of = sum) =>
          limitsOfGains(items, { sum: of, squares: Math.min(items, squares + more) }, tail, plain)
        assert.isAtMost(at(5).low, at(0).low + 1e-9)
        assert.isAtLeast(at(5).high, at(0).high - 1e-9)
        assert.closeTo(at(0).low, -at(0, -sum).high, 1e-9)
      }),
      runs
    )
  })
})

const anyGains = pairsOf(anyScore).map((pairs) => pairs.map(([before, after]) => after - before))
const asked = (gains: ReadonlyArray<number | undefined>, watch: ReturnType<typeof watchGains>) => {
  for (const gain of gains) watch.take(gain)
  return watch.chances()
}
const deciding = (items: number, least: number, tail: number, given: Pick<Gains, "isSkewed"> = plain) =>
  decidingGains(items, { least, ...given }, { pass: tail, breach: tail })

describe("a watch of pairs", () => {
  it("no cell passes and breaches at once, and those that hold more differences ask for more", () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 400 }), anyLeast, anyTail, (items, least, tail) => {
        const { cells } = deciding(items, least, tail)
        assert.deepStrictEqual([cells[0]?.above, cells.at(-1)?.upTo], [-1, items])
        for (const [at, { above, upTo, passes, breaches }] of cells.entries()) {
          assert.isBelow(breaches, passes)
          assert.isBelow(above, upTo)
          const before = cells[at - 1]
          if (before === undefined) continue
          assert.strictEqual(above, before.upTo)
          assert.isAtLeast(passes, before.passes)
          assert.isAtMost(breaches, before.breaches)
        }
      }),
      runs
    )
  })
  it("further pairs never take back a certainty, and failures never bring one", () => {
    fc.assert(
      fc.property(anyGains, anyLeast, anyTail, (gains, least, tail) => {
        const all = deciding(gains.length, least, tail)
        const [watch, failing] = [watchGains(all), watchGains(all)]
        let before = watch.chances()
        for (const gain of gains) {
          watch.take(gain)
          failing.take(undefined)
          const now = watch.chances()
          assert.isAtMost(now.pass, before.pass)
          assert.isAtMost(now.breach, before.breach)
          before = now
        }
        const { pass, breach } = failing.chances()
        assert.isAtLeast(Math.min(pass, breach), 0.5)
      }),
      runs
    )
  })
  it("all pairs asked: what is certain is what the limits of their totals say", () => {
    fc.assert(
      fc.property(anyGains, anyLeast, anyTail, (gains, least, tail) => {
        const { pass, breach } = asked(gains, watchGains(deciding(gains.length, least, tail)))
        const { low, high } = limitsOfGains(gains.length, totalsOf(gains), tail, plain)
        if (pass < 1e-8) assert.isAtLeast(low, least - 1e-9)
        if (breach < 1e-8) assert.isBelow(high, least + 1e-9)
      }),
      runs
    )
  })
})

describe("what is left open of the gains", () => {
  it("holds no less than the pairs asked allow, and mirrors itself", () => {
    const anyPart = fc.tuple(anyGains, fc.double({ min: 0.1, max: 1, noNaN: true }))
    fc.assert(
      fc.property(anyPart, anyTail, ([gains, share], tail) => {
        const part = gains.slice(0, Math.max(1, Math.floor(gains.length * share)))
        const tails = { pass: tail, breach: tail }
        const { least, most } = gainsLeft(part, gains.length, tails)
        const { sum, squares } = totalsOf(part)
        const rest = gains.length - part.length
        assert.isAtLeast(least.sum, sum - rest - 1e-9)
        assert.isAtMost(most.sum, sum + rest + 1e-9)
        assert.isAtMost(least.squares, squares + rest + 1e-9)
        const turned = gainsLeft(
          part.map((gain) => -gain),
          gains.length,
          tails
        )
        assert.closeTo(turned.least.sum, -most.sum, 1e-6)
      }),
      runs
    )
  })
})
