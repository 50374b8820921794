/** Laws of an early stop: nothing that is certain is doubted, failures bring no certainty, the ends mirror each other, all items decide like their total. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { decidingTotals, limitsOfTotal, totalsLeft, watchFor } from "../../../../values/early-stop/totals.ts"
import { shareLimits } from "../../../../values/mean-limits.ts"

const runs = { numRuns: 100 }
const anyItems = fc.integer({ min: 10, max: 400 })
const anyTail = fc.double({ min: 0.005, max: 0.2, noNaN: true })
const anyPlace = fc.double({ min: 0.01, max: 0.99, noNaN: true })
const anyValue = fc.oneof(fc.constantFrom(0, 1, undefined), fc.double({ min: 0, max: 1, noNaN: true }))
const anyRun = anyItems.chain((items) =>
  fc.tuple(fc.constant(items), fc.array(anyValue, { minLength: 1, maxLength: items }))
)
const totalsAt = (items: number, threshold: number, tail: number) =>
  decidingTotals(items, { threshold, tails: { pass: tail, breach: tail } })

describe("deciding totals", () => {
  it("the least that passes does and one less does not; the greatest that breaches does and one more does not; none does both", () => {
    fc.assert(
      fc.property(anyItems, anyPlace, anyTail, (items, threshold, tail) => {
        const { passes, breaches } = totalsAt(items, threshold, tail)
        const at = (total: number) => limitsOfTotal(total, items, tail)
        assert.isBelow(breaches, passes)
        if (passes <= items) assert.isAtLeast(at(passes).low, threshold)
        if (passes > 0) assert.isBelow(at(passes - 1).low, threshold)
        if (breaches >= 0) assert.isBelow(at(breaches).high, threshold)
        if (breaches < items) assert.isAtLeast(at(breaches + 1).high, threshold)
      }),
      runs
    )
  })
  it("limits of a total hold the exact ones of right-or-wrong items, and mirror each other", () => {
    fc.assert(
      fc.property(anyItems, fc.double({ min: 0, max: 1, noNaN: true }), anyTail, (items, share, tail) => {
        const total = Math.round(share * items)
        const own = limitsOfTotal(total, items, tail)
        const exact = shareLimits(total, items, tail)
        assert.isTrue(own.low <= exact.low && own.high >= exact.high)
        assert.closeTo(own.low, 1 - limitsOfTotal(items - total, items, tail).high, 1e-9)
      }),
      runs
    )
  })
})

describe("what is left open", () => {
  it("lies among the totals that the items asked allow, and mirrors itself", () => {
    fc.assert(
      fc.property(anyRun, anyTail, ([items, values], tail) => {
        const { low, high } = totalsLeft(values, items, { low: tail, high: tail })
        const least = values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
        const most = values.reduce<number>((sum, value) => sum + (value ?? 1), 0) + items - values.length
        assert.isAtLeast(low, least - 1e-9)
        assert.isAtMost(high, most + 1e-9)
        const turned = values.map((value) => (value === undefined ? undefined : 1 - value))
        assert.closeTo(totalsLeft(turned, items, { low: tail, high: tail }).low, items - high, 1e-6)
      }),
      runs
    )
  })
  it("further items never take back a certainty, and failures never bring one", () => {
    fc.assert(
      fc.property(anyRun, anyPlace, anyTail, ([items, values], threshold, tail) => {
        const totals = totalsAt(items, threshold, tail)
        const [watch, failing] = [watchFor(items, totals), watchFor(items, totals)]
        let before = watch.chances()
        for (const value of values) {
          watch.take(value)
          failing.take(undefined)
          const { pass, breach } = watch.chances()
          assert.isAtMost(pass, before.pass)
          assert.isAtMost(breach, before.breach)
          before = { pass, breach }
        }
        if (totals.passes > 0) assert.isAtLeast(failing.chances().pass, 0.5)
        if (totals.breaches < items) assert.isAtLeast(failing.chances().breach, 0.5)
      }),
      runs
    )
  })
  it("all items asked: impossible otherwise exactly where their total decides", () => {
    const anyBinary = fc.array(fc.constantFrom(0, 1), { minLength: 10, maxLength: 300 })
    fc.assert(
      fc.property(anyBinary, anyPlace, anyTail, (values, threshold, tail) => {
        const totals = totalsAt(values.length, threshold, tail)
        const watch = watchFor(values.length, totals)
        for (const value of values) watch.take(value)
        const total = values.reduce<number>((sum, value) => sum + value, 0)
        const { pass, breach } = watch.chances()
        if (totals.passes <= values.length) assert.strictEqual(pass === 0, total >= totals.passes)
        if (totals.breaches >= 0) assert.strictEqual(breach === 0, total <= totals.breaches)
      }),
      runs
    )
  })
})
