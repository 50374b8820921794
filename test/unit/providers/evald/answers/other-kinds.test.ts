import { assert, describe, it } from "@effect/vitest"
import type { AnswerKind } from "../../../../../providers/evald/answers/answer-kind.ts"
import { answerLine, readStrictly } from "../../../../../providers/evald/answers/answer-line.ts"
import { readRating } from "../../../../../providers/evald/answers/rating.ts"
import { readAnswer } from "../../../../../providers/evald/answers/read-answer.ts"
import { readValue } from "../../../../../providers/evald/answers/reading.ts"
import { flexibleShortTexts, strictShortText } from "../../../../../providers/evald/answers/short-text.ts"
import { bracketKind, dateKind, wordKind } from "../../../../../providers/evald/answers/word-kinds.ts"

const table = (
  kind: AnswerKind,
  cases: ReadonlyArray<readonly [text: string, strict: string | undefined, flexible: string | undefined]>
) => {
  for (const [text, strict, flexible] of cases)
    assert.deepStrictEqual(
      [readStrictly(text, kind), readValue(readAnswer(text, kind))],
      [strict, flexible],
      JSON.stringify(text)
    )
}

describe("answers of other kinds", () => {
  it("the answer line is the last one, whatever the markup", () => {
    const cases: ReadonlyArray<readonly [string, string | undefined]> = [
      ["Answer: 12", "12"],
      ["answer:12", "12"],
      ["**Answer:** 12", "12"],
      ["**Answer: 12**", "12"],
      ["> Final answer: 12", "12"],
      ["The answer is: 12", "12"],
      ["Answer: 1\nno, wait\nAnswer: 2\nHope this helps!", "2"],
      ["The answer to your question: none", undefined],
      ["Answer:", undefined],
      ["My answer line is missing", undefined]
    ]
    for (const [text, line] of cases) assert.strictEqual(answerLine(text), line, text)
  })

  it("truth values", () =>
    table(wordKind(["True", "False"], "True or False"), [
      ["Answer: true", "True", "True"],
      ["Answer: **False.**", "False", "False"],
      ["Answer: untrue", undefined, undefined],
      ["True and False is False", undefined, "False"],
      ["not False = True", undefined, "True"],
      ["The expression evaluates to False.", undefined, "False"],
      ["Answer: the True", "True", "True"],
      ["\\boxed{\\text{False}}", undefined, "False"],
      ["It is True or False.", undefined, undefined]
    ]))

  it("dates", () =>
    table(dateKind, [
      ["Answer: 2021-03-14", "2021-03-14", "2021-03-14"],
      ["Answer: 14 March 2021", undefined, "2021-03-14"],
      ["The date is **March 14th, 2021**.", undefined, "2021-03-14"],
      ["Answer: 14.03.2021", undefined, "2021-03-14"],
      ["Answer: 2021/3/14", undefined, "2021-03-14"],
      ["Answer: 03/14/2021", undefined, "2021-03-14"],
      ["Answer: 03/04/2021", undefined, undefined],
      ["Answer: 2021-02-30", undefined, undefined],
      ["6 days after 2021-03-14 is 2021-03-20.", undefined, "2021-03-20"],
      ["2021-03-14 or 2021-03-20", undefined, undefined]
    ]))

  it("brackets", () =>
    table(bracketKind, [
      ["Answer: ] ) }", "])}", "])}"],
      ["Answer: `])}`", "])}", "])}"],
      ["Answer: >", ">", ">"],
      ["] ) }", undefined, "])}"],
      ["They are: ] )", undefined, "])"],
      ["The answer is **] )**.", undefined, "])"],
      ["<think>] }</think>Answer: ] )", "])", "])"],
      ["Answer: ( ]", undefined, undefined]
    ]))

  it("ratings", () => {
    for (const [text, rating] of [
      ["Rating: 4", 4],
      ["It is fine.\n**Rating:** 5/5", 5],
      ["Final rating: 3 out of 5.", 3],
      ["Score: 2", 2],
      ["[[4]]", 4],
      ["<think>Rating: 1</think>Rating: 5", 5],
      ["Rating: 6", undefined],
      ["Rating: 3 or 4", undefined],
      ["Rating - 4", 4],
      ["Rating-4", 4],
      ["Rating — 4", 4],
      ["Rating: 4 -", 4],
      ["The rating is 4", undefined],
      ["Rating is 4.", 4],
      ["Rating: **4**", 4],
      ["Rating: -1", undefined],
      ["Rating: −1", undefined],
      ["Rating:-2", undefined],
      ["Rating is -3", undefined],
      ["**Rating:** -4/5", undefined],
      ["Rating: <-1>", undefined],
      ["Rating: .5", undefined],
      ["Rating: 0.5", undefined],
      ["Rating: 4.5", undefined],
      ["Rating: 0", undefined],
      ["Rating: 10", undefined],
      ["Rating: 4/10", undefined],
      ["Rating: 4\nRating: -1", undefined],
      ["Rating: 4\nRating: 7", undefined],
      ["Rating: -1\nRating: 4", 4],
      ["five", undefined]
    ] as const)
      assert.strictEqual(readRating(text), rating, text)
  })

  it("short texts of one's own data", () => {
    assert.strictEqual(strictShortText("<think>Rome?</think>Answer: Paris"), "Paris")
    assert.strictEqual(strictShortText("Paris."), "Paris.")
    for (const text of [
      "The answer is Paris",
      "\\boxed{\\text{Paris}}",
      "<answer>Paris</answer>",
      "I think.\nParis",
      "**Answer:** Paris",
      "Paris<|eot_id|>"
    ])
      assert.include(flexibleShortTexts(text), "Paris", text)
    // the last line is no answer where another one is announced
    assert.notInclude(flexibleShortTexts("Answer: Rome\nParis"), "Paris")
  })
})
