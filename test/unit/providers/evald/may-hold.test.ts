import { assert, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { mayHold } from "../../../../providers/evald/may-hold.ts"

const sign = fc.constantFrom(
  "k",
  "K",
  "\u212A",
  "s",
  "S",
  "\u017F",
  "i",
  "I",
  "\u0130",
  "\u0131",
  "\u00DF",
  "\u00E9",
  "7",
  " "
)

it("a word that a pattern without regard to case finds is never denied, whatever its letters have for the same", () => {
  fc.assert(
    fc.property(fc.string({ unit: sign, minLength: 1, maxLength: 2 }), fc.string({ unit: sign }), (word, text) => {
      if (new RegExp(word, "iu").test(text)) assert.isTrue(mayHold(text, word))
    }),
    { numRuns: 500 }
  )
  assert.isFalse(mayHold("Answer: B", "Sydney"))
  assert.isTrue(mayHold("in sydney", "Sydney"))
})
