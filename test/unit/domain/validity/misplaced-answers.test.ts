import { assert, describe, it } from "vitest"
import { misplacedOf, type PlacedAnswer } from "../../../../domain/validity/misplaced-answers.ts"

const asked = (count: number, extracted: (at: number) => number): ReadonlyArray<PlacedAnswer> =>
  Array.from({ length: count }, (_, at) => ({
    id: `s${at}`,
    askedAt: new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString(),
    extracted: String(extracted(at)),
    reference: String(at * 7)
  }))

describe("answers to other questions than those that were asked", () => {
  it("each the one to the question before, in whatever order the records come", () => {
    const answers = asked(40, (at) => (at - 1) * 7)
    const ids = misplacedOf([...answers].reverse())
    assert.deepStrictEqual(
      ids,
      answers.slice(1).map(({ id }) => id)
    )
    assert.strictEqual(ids.length, 39)
  })
  it("of callers side by side, each the one of another before it", () =>
    assert.strictEqual(misplacedOf(asked(40, (at) => (at - 1 - (at % 4)) * 7)).length, 36))
  it("right ones, wrong ones that are right for nothing, and the same for all are none", () => {
    for (const extracted of [(at: number) => at * 7, (at: number) => at * 7 + 1, () => 140])
      assert.strictEqual(misplacedOf(asked(40, extracted)).length, 0)
  })
  it("wrong ones that are right for a question before as often as for one behind are chance", () =>
    assert.strictEqual(misplacedOf(asked(40, (at) => (at % 2 === 0 ? at - 1 : at + 1) * 7)).length, 0))
  it("of nineteen nothing is said", () => assert.strictEqual(misplacedOf(asked(19, (at) => (at - 1) * 7)).length, 0))
})
