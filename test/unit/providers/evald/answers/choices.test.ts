import { assert, describe, it } from "@effect/vitest"
import { readStrictly } from "../../../../../providers/evald/answers/answer-line.ts"
import { choiceKind, LETTERS } from "../../../../../providers/evald/answers/choice-kind.ts"
import { readAnswer } from "../../../../../providers/evald/answers/read-answer.ts"
import { readValue } from "../../../../../providers/evald/answers/reading.ts"
import { CHOICE_FORMS, NO_CHOICE } from "./choice-forms.ts"
import { NOT_THIS_BUT_THAT } from "./number-forms.ts"

const SETS = [
  ["Canberra", "Sydney", "Melbourne", "Perth"],
  ["4", "8", "15", "16"],
  ["It is too small", "It is not allowed", "A house", "vitamin C"]
] as const

/** every pair of different letters */
const PAIRS = ["A", "B", "C", "D"].flatMap((x) =>
  ["A", "B", "C", "D"].filter((y) => y !== x).map((y) => [x, y] as const)
)

describe("choices as models write them", () => {
  for (const [name, form] of CHOICE_FORMS)
    it(`${name}: the letter chosen is read, right or wrong`, () => {
      for (const options of SETS)
        for (const [x, y] of PAIRS) {
          const text = form(x, y, (letter) => options[LETTERS.indexOf(letter)] ?? "")
          assert.deepStrictEqual(readAnswer(text, choiceKind(options)), { _tag: "Read", value: x }, text)
        }
    })

  for (const [name, reason, form] of NO_CHOICE)
    it(`${name}: no answer (${reason})`, () => {
      const [options] = SETS
      for (const [x, y] of PAIRS) {
        const text = form(x, y, (letter) => options[LETTERS.indexOf(letter)] ?? "")
        assert.deepStrictEqual(readAnswer(text, choiceKind(options)), { _tag: "Unread", reason }, text)
      }
    })

  it("a chance for each option is no choice (the first one was read)", () => {
    for (const text of ["A: 10%, B: 70%, C: 15%, D: 5%", "A) unlikely; B) likely; C) no; D) no"])
      assert.deepStrictEqual(
        readAnswer(text, choiceKind(SETS[0])),
        { _tag: "Unread", reason: "answer_ambiguous" },
        text
      )
  })

  it("what it is not, in the languages in which models answer", () => {
    const [options] = SETS
    for (const contrast of NOT_THIS_BUT_THAT)
      for (const [x, y] of PAIRS) {
        const text = contrast.replace("Y", y).replace("X", x)
        assert.deepStrictEqual(readAnswer(text, choiceKind(options)), { _tag: "Read", value: x }, text)
      }
  })

  it("options that are letters themselves", () => {
    const kind = choiceKind(["L", "C", "D", "X"])
    const table: ReadonlyArray<readonly [text: string, value: string | undefined]> = [
      ["Answer: D", "D"],
      ["Answer: L", "A"],
      ["Answer: A) L", "A"],
      ["The answer is D) X.", "D"],
      ["C", "C"]
    ]
    for (const [text, value] of table) assert.strictEqual(readValue(readAnswer(text, kind)), value, text)
  })

  it("there are enough of them", () => assert.isAtLeast(CHOICE_FORMS.length, 60))

  it("the strict reading is the line asked for and nothing else", () => {
    const kind = choiceKind(SETS[0])
    const table: ReadonlyArray<readonly [text: string, value: string | undefined]> = [
      ["Answer: B", "B"],
      ["**Answer:** (B)", "B"],
      ["Answer: B) Sydney", "B"],
      ["Answer: Sydney", "B"],
      ["Answer: B or C", undefined],
      ["Answer: E", undefined],
      ["B", undefined],
      ["The answer is B.", undefined]
    ]
    for (const [text, value] of table) assert.strictEqual(readStrictly(text, kind), value, text)
  })
})
