import { assert, describe, it } from "@effect/vitest"
import { readStrictly } from "../../../../../providers/evald/answers/answer-line.ts"
import { numberKind } from "../../../../../providers/evald/answers/number-kind.ts"
import { canonicalNumber } from "../../../../../providers/evald/answers/number-text.ts"
import { plainText } from "../../../../../providers/evald/answers/plain-text.ts"
import { readAnswer } from "../../../../../providers/evald/answers/read-answer.ts"
import { NO_NUMBER, NOT_THIS, NOT_THIS_BUT_THAT, NUMBER_FORMS } from "./number-forms.ts"

const PAIRS = [
  ["42", "41"],
  ["1204", "17"],
  ["7", "1300250"],
  ["980123", "12"]
] as const

describe("numbers as models write them", () => {
  for (const [name, form] of NUMBER_FORMS)
    it(`${name}: the answer given is read, right or wrong`, () => {
      for (const [x, y] of PAIRS) {
        const text = form(x, y)
        assert.deepStrictEqual(readAnswer(text, numberKind), { _tag: "Read", value: x }, text)
      }
    })

  for (const [name, reason, form] of NO_NUMBER)
    it(`${name}: no answer (${reason})`, () => {
      for (const [x, y] of PAIRS)
        assert.deepStrictEqual(readAnswer(form(x, y), numberKind), { _tag: "Unread", reason }, form(x, y))
    })

  it("there are enough of them", () => assert.isAtLeast(NUMBER_FORMS.length, 60))

  it("signs, decimals, powers and fractions", () => {
    const table: ReadonlyArray<readonly [text: string, value: string]> = [
      ["Answer: -7", "-7"],
      ["Answer: −7", "-7"],
      ["Answer: –7", "-7"],
      ["The answer is minus 7.", "-7"],
      ["\\boxed{-7}", "-7"],
      ["The answer is $-7$.", "-7"],
      ["Answer: $-7", "-7"],
      ["Answer: -$7", "-7"],
      ["10 minus 7 is 3", "3"],
      ["10 - 7 = 3", "3"],
      ["Answer: 0.50", "0.5"],
      ["Answer: .5", "0.5"],
      ["Answer: 0,5", "0.5"],
      ["Answer: 1.204.000,5", "1204000.5"],
      ["Answer: 1.204.000", "1204000"],
      ["Answer: 1.2e3", "1200"],
      ["The answer is $1.2 \\times 10^{3}$.", "1200"],
      ["Answer: 1.2×10³", "1200"],
      ["Answer: \\frac{1}{2}", "0.5"],
      ["Answer: 3/4", "0.75"],
      ["Answer: 2/6", "1/3"],
      ["Answer: 1 1/2", "1.5"],
      ["Answer: 2½", "2.5"],
      ["Answer: twelve", "12"],
      ["The answer is forty-two.", "42"],
      ["Answer: a hundred and four apples", "104"],
      ["Answer: one thousand two hundred four", "1204"],
      ["ANSWER: 1.5 million", "1500000"],
      ["The answer is $3 billion.", "3000000000"],
      ["Answer: 42 thousand people", "42000"],
      ["Answer: 42 hundred", "4200"],
      ["Answer: 42 trillion", "42000000000000"],
      ["Antwort: 42 Millionen", "42000000"],
      ["Answer: 3 dozen eggs", "36"],
      ["Answer: 42 and a half", "42.5"],
      ["答案是42万。", "420000"],
      ["一共有42个苹果。", "42"],
      ["所以x等于-7。", "-7"],
      ["정답은 3억입니다.", "300000000"],
      ["| A | 40 |\n| B | 2 |\n| **Total** | **42** |", "42"],
      ["I believe 42, but it could be 41.", "42"],
      ["There are more than 40 of them, namely 42.", "42"],
      ["Answer: -0", "0"],
      ["So 3 + 4 = 7.", "7"],
      ["It is 1,000,000!", "1000000"],
      ["Answer: 42nd", "42"]
    ]
    for (const [text, value] of table)
      assert.deepStrictEqual(readAnswer(text, numberKind), { _tag: "Read", value }, text)
  })

  it("what bounds it is not the answer, two boxes side by side are two, and of a reply that was cut within a number the one before counts", () => {
    for (const bound of ["less than", "more than", "at least", "at most", "up to"])
      assert.deepStrictEqual(
        readAnswer(`The answer is ${bound} 42.`, numberKind),
        { _tag: "Unread", reason: "answer_negated" },
        bound
      )
    for (const two of ["\\boxed{42}\\ \\text{or}\\ \\boxed{41}", "$\\boxed{41}$ and $\\boxed{42}$"])
      assert.deepStrictEqual(readAnswer(two, numberKind), { _tag: "Unread", reason: "answer_ambiguous" }, two)
    const cut = (text: string) => readAnswer(text, numberKind, true)
    assert.deepStrictEqual(cut(`${"Answer: 42\n".repeat(30)}Answer: 4`), { _tag: "Read", value: "42" })
    assert.deepStrictEqual(cut("The answer is 42. Let me check: 4"), { _tag: "Read", value: "42" })
    assert.strictEqual(cut("The answer is 4")._tag, "Unread")
  })

  it("a model that repeats itself without end is read all the same (twenty thousand boxes were too deep)", () => {
    for (const loop of ["\\boxed{42} ", "Answer: 42\n", "The answer is 42. ", "**42** ", "#### 42\n"])
      assert.deepStrictEqual(readAnswer(loop.repeat(4000), numberKind), { _tag: "Read", value: "42" }, loop)
    assert.strictEqual(plainText("\\boxed{42} ".repeat(20_000)).length, 20_000 * 5 - 1)
  })

  it("what it is not, in the languages in which models answer: the number behind the contrast is read, and alone none (the one that was denied was read)", () => {
    for (const contrast of NOT_THIS_BUT_THAT)
      for (const [x, y] of PAIRS)
        assert.deepStrictEqual(
          readAnswer(contrast.replace("Y", y).replace("X", x), numberKind),
          { _tag: "Read", value: x },
          contrast
        )
    for (const denial of NOT_THIS)
      assert.deepStrictEqual(
        readAnswer(denial.replace("Y", "42"), numberKind),
        { _tag: "Unread", reason: "answer_negated" },
        denial
      )
  })

  it("the strict reading is the line asked for and nothing else", () => {
    const table: ReadonlyArray<readonly [text: string, value: string | undefined]> = [
      ["Answer: 1,204", "1204"],
      ["**Answer:** 45 dollars.", "45"],
      ["<think>Answer: 3</think>Answer: 4", "4"],
      ["Answer: 3 or 4", undefined],
      ["Answer: \\boxed{4}", undefined],
      ["The answer is 4.", undefined],
      ["4", undefined]
    ]
    for (const [text, value] of table) assert.strictEqual(readStrictly(text, numberKind), value, text)
  })

  it("one canonical form", () => {
    for (const [text, value] of [
      ["1,204.0", "1204"],
      ["+7", "7"],
      ["007", "7"],
      ["-0.0", "0"],
      ["1.2.3", undefined],
      ["", undefined]
    ] as const)
      assert.strictEqual(canonicalNumber(text), value, text)
  })
})
