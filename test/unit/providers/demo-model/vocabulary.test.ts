import { assert, describe, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { countTokens } from "../../../../providers/demo-model/tokens.ts"
import { endToken, makeVocabulary } from "../../../../providers/demo-model/vocabulary.ts"

describe("vocabulary", () => {
  it("gives every text back from its numbers, one for each token", () => {
    const vocabulary = makeVocabulary()
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const ids = vocabulary.encode(text)
        return ids?.length === countTokens(text) && vocabulary.decode(ids) === text
      })
    )
  })
  it("numbers stay: of known words from the start, of new ones from the first time on", () => {
    const [one, other] = [makeVocabulary(), makeVocabulary()]
    other.encode("quartz vexes")
    assert.deepStrictEqual(one.encode("The river runs"), other.encode("The river runs"))
    assert.deepStrictEqual(other.encode("quartz"), other.encode("quartz"))
    assert.deepStrictEqual(one.encode(endToken), [0])
  })
  it("what it has not given out is no text, and a full one refuses new tokens alone", () => {
    const full = makeVocabulary(1)
    assert.isUndefined(full.encode("quartz"))
    assert.lengthOf(full.encode(" the river runs") ?? [], 3)
    assert.strictEqual(full.decode([]), "")
    for (const id of [999_999_999, -1, 0.5, "0", null]) assert.isUndefined(full.decode([0, id]))
  })
})
