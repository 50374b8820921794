import { assert, describe, it } from "@effect/vitest"
import { readRating } from "../../../../providers/evald/answers/rating.ts"
import { ratingShare } from "../../../../providers/evald/judge/judge.ts"

describe("judge ratings", () => {
  it("are read from the last rating line, and only from 1 to 5", () => {
    const cases: ReadonlyArray<readonly [string, number | undefined]> = [
      ["Rating: 4", 4],
      ["It is fine.\n**Rating:** 5", 5],
      ["Rating: 2\nOn reflection:\nrating: 3/5", 3],
      ["Rating: 5.", 5],
      ["Rating: 0", undefined],
      ["Rating: 6", undefined],
      ["Rating: 45", undefined],
      ["I would give it a rating of 4", undefined],
      ["", undefined]
    ]
    for (const [text, rating] of cases) assert.strictEqual(readRating(text), rating, text)
    assert.deepStrictEqual([1, 3, 5].map(ratingShare), [0, 0.5, 1])
  })
})
