import { assert, describe, it } from "@effect/vitest"
import { bleuCounts, bleuOf, bleuTokens } from "../../../../../providers/evald/scorers/bleu.ts"
import { chrfCounts, chrfOf } from "../../../../../providers/evald/scorers/chrf.ts"
import { loose, tidy } from "../../../../../providers/evald/scorers/normal-text.ts"
import { rougeL } from "../../../../../providers/evald/scorers/rouge-l.ts"
import { tokenF1 } from "../../../../../providers/evald/scorers/token-f1.ts"

const close = (actual: number, expected: number, within = 5e-5) =>
  assert.isTrue(Math.abs(actual - expected) <= within, `${actual} is not near ${expected}`)

// the worked example in the documentation of sacreBLEU: BLEU 48.53 (82.4/50.0/45.5/37.5, brevity 0.943, lengths 17 and 18), chrF2 59.73
const ANSWERS = ["The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."]
const REFERENCES = [
  ["The dog bit the man.", "The dog had bit the man."],
  ["It was not unexpected.", "No one was surprised."],
  ["The man bit him first.", "The man had bitten the dog."]
]

describe("bleu", () => {
  const rows = ANSWERS.map((answer, index) => bleuCounts(answer, REFERENCES[index] ?? []))

  it("agrees with the published example", () => {
    close(bleuOf(rows), 0.4853)
    const total = (part: "matches" | "totals", order: number) =>
      rows.reduce((sum, row) => sum + (row[part][order] ?? 0), 0)
    const precisions = [0, 1, 2, 3].map((order) => total("matches", order) / total("totals", order))
    for (const [order, published] of [0.824, 0.5, 0.455, 0.375].entries())
      close(precisions[order] ?? 0, published, 5e-4)
    assert.strictEqual(
      rows.reduce((sum, row) => sum + row.answerLength, 0),
      17
    )
    assert.strictEqual(
      rows.reduce((sum, row) => sum + row.referenceLength, 0),
      18
    )
  })

  it("by hand: equal texts, nothing in common, too short, smoothed", () => {
    close(bleuOf([bleuCounts("a b c d e", ["a b c d e"])]), 1)
    assert.strictEqual(bleuOf([bleuCounts("x y z w v", ["a b c d e"])]), 0)
    assert.strictEqual(bleuOf([bleuCounts("a b", ["a b"])]), 1)
    assert.strictEqual(bleuOf([bleuCounts("", ["a b c d"])]), 0)
    // 4/5, 2/4, then 1/(2·3) and 1/(4·2) for the orders without a match
    close(bleuOf([bleuCounts("a b x c d", ["a b y c d"])]), (0.8 * 0.5 * (1 / 6) * (1 / 8)) ** 0.25)
    // half as long as the reference: factor exp(1 - 8/4)
    close(bleuOf([bleuCounts("a b c d", ["a b c d e f g h"])]), Math.exp(-1))
  })

  it("splits punctuation but keeps numbers whole", () => {
    assert.deepStrictEqual(bleuTokens('He said: "1,000.5 dollars, or 3-4?"'), [
      "He",
      "said",
      ":",
      '"',
      "1,000.5",
      "dollars",
      ",",
      "or",
      "3",
      "-",
      "4",
      "?",
      '"'
    ])
    assert.deepStrictEqual(bleuTokens("It wasn't &quot;new&quot;."), ["It", "wasn't", '"', "new", '"', "."])
  })
})

describe("chrf", () => {
  it("agrees with the published example", () =>
    close(chrfOf(ANSWERS.map((answer, index) => chrfCounts(answer, REFERENCES[index] ?? []))), 0.5973))

  it("by hand", () => {
    close(chrfOf([chrfCounts("abcdef", ["ab cdef"])]), 1)
    assert.strictEqual(chrfOf([chrfCounts("xyz", ["abc"])]), 0)
    assert.strictEqual(chrfOf([chrfCounts("", ["abc"])]), 0)
    // orders 1 and 2 exist: precision (1/2 + 0)/2, recall (1/2 + 0)/2
    close(chrfOf([chrfCounts("ab", ["ac"])]), 0.25)
    // precision 1 and 1, recall 2/3 and 1/2 → means 1 and 7/12; 5·P·R / (4·P + R)
    close(chrfOf([chrfCounts("ab", ["abc"])]), (5 * (7 / 12)) / (4 + 7 / 12))
  })
})

describe("rouge-l", () => {
  it("agrees with the published example and hand-made cases", () => {
    // common subsequence of 5 words among 8 and 9: 0.625 and 0.5556
    close(rougeL("The quick brown dog jumps on the log.", "The quick brown fox jumps over the lazy dog"), 0.588235)
    assert.strictEqual(rougeL("one two three", "one two three"), 1)
    assert.strictEqual(rougeL("three two one", "one two three"), 1 / 3)
    assert.strictEqual(rougeL("", "one"), 0)
    assert.strictEqual(rougeL("!!!", "one"), 0)
  })
})

describe("token f1", () => {
  it("hand-made cases", () => {
    assert.strictEqual(tokenF1("The Eiffel Tower!", "eiffel tower"), 1)
    // one of two given words, one of three wanted words
    close(tokenF1("red car", "big red bus"), 0.4)
    // repeated words count as often as both have them: 1 common, 2 given, 1 wanted
    close(tokenF1("red red", "red"), 2 / 3)
    assert.strictEqual(tokenF1("blue", "red"), 0)
    assert.strictEqual(tokenF1("", ""), 0)
    assert.strictEqual(tokenF1("the", "red"), 0)
  })
})

describe("normalisation", () => {
  it("tidy keeps case and inner punctuation, loose does not", () => {
    assert.strictEqual(tidy('  "Hello,\n World" '), "Hello, World")
    assert.strictEqual(tidy("**No.**"), "No.")
    assert.strictEqual(loose("The  U.S.A., an Example"), "usa example")
  })
})
