import { assert, describe, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { echoedLogprobs, generatedLogprobs } from "../../../../providers/demo-model/token-logprobs.ts"
import { countTokens, splitTokens } from "../../../../providers/demo-model/tokens.ts"

describe("tokens", () => {
  it("joined are the text", () =>
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => splitTokens(text).join("") === text)))
  it("are about words", () =>
    assert.deepStrictEqual(splitTokens("Answer: 12345, naïvely so."), [
      "Answer",
      ":",
      " 123",
      "45",
      ",",
      " naïvely",
      " so",
      "."
    ]))
})

describe("log-probabilities", () => {
  it("of any text are finite and below zero, the first token has none", () =>
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        const [first, ...rest] = echoedLogprobs(splitTokens(text), 3)
        return (
          first === undefined &&
          rest.every((one) => one !== undefined && Number.isFinite(one.logprob) && one.logprob < 0)
        )
      })
    ))

  it("prefer familiar prose", () => {
    const perToken = (text: string) =>
      echoedLogprobs(splitTokens(text), 1).reduce((sum, one) => sum + (one?.logprob ?? 0), 0) / countTokens(text)
    assert.isAbove(perToken("The river runs through the old town"), perToken("Quarterly turbines vex jazz fjord"))
  })

  it("of a generated option letter follow the confidence and never name another letter as better", () => {
    const prompt = "Which?\nA) one\nB) two\nC) three\nD) four"
    const share = (confidence: number, seed: number) => {
      const [one] = generatedLogprobs(["B"], prompt, confidence, 4, seed)
      assert.sameMembers(one?.top.map(({ token }) => token) ?? [], ["A", "B", "C", "D"])
      assert.strictEqual(one?.top[0]?.token, "B")
      const total = one?.top.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0) ?? 0
      assert.closeTo(total, 1, 1e-9)
      return Math.exp(one?.logprob ?? 0)
    }
    for (const seed of [1, 2, 3, 4]) {
      assert.closeTo(share(0.9, seed), 0.9, 0.1)
      assert.isAtLeast(share(0.1, seed), 0.55)
    }
  })
})
