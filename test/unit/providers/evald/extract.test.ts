import { assert, describe, it } from "@effect/vitest"
import { type AnswerKind, answerLine, bracketKind, dateKind, extract, numberKind, wordKind } from "../../../../providers/evald/extract.ts"

const table = (kind: AnswerKind, cases: ReadonlyArray<readonly [text: string, strict: string | undefined, flexible: string | undefined]>) => {
  for (const [text, strict, flexible] of cases) assert.deepStrictEqual(extract(text, kind), { strict, flexible }, JSON.stringify(text))
}

describe("answer extraction", () => {
  it("finds the last answer line, whatever the markup", () => {
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

  it("numbers", () =>
    table(numberKind, [
      ["Answer: 1,204", "1204", "1204"],
      ["Answer: 1204.00", "1204", "1204"],
      ["Answer: $-7", "-7", "-7"],
      ["Answer: −7", "-7", "-7"],
      ["Answer: 45 dollars.", "45", "45"],
      ["Answer: **45**", "45", "45"],
      ["Answer: -0", "0", "0"],
      ["Answer: 0.50", "0.5", "0.5"],
      ["Answer: 3 or 4", undefined, "4"],
      ["Answer: twelve", undefined, undefined],
      ["So 3 + 4 = 7.", undefined, "7"],
      ["It is 1,000,000!", undefined, "1000000"],
      ["version v2 of a3", undefined, undefined],
      ["", undefined, undefined]
    ]))

  it("words of a closed set", () =>
    table(wordKind(["True", "False"], "True or False"), [
      ["Answer: true", "True", "True"],
      ["Answer: **False.**", "False", "False"],
      ["Answer: untrue", undefined, undefined],
      ["True and False is False", undefined, "False"],
      ["Answer: the True", "True", "True"]
    ]))

  it("dates and brackets", () => {
    table(dateKind, [
      ["Answer: 2021-03-14", "2021-03-14", "2021-03-14"],
      ["Answer: 14 March 2021", undefined, undefined],
      ["from 2021-03-14 to 2021-03-20.", undefined, "2021-03-20"]
    ])
    table(bracketKind, [
      ["Answer: ] ) }", "])}", "])}"],
      ["Answer: `])}`", "])}", "])}"],
      ["Answer: >", ">", ">"],
      ["They are: ] )", undefined, "])"],
      ["Answer: ( ]", undefined, "]"]
    ])
  })
})
