/** An always-right model is right and an always-wrong model is wrong, in every form, whatever the question. */
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { LETTERS } from "../../../../../providers/evald/answers/choice-kind.ts"
import { numberKind } from "../../../../../providers/evald/answers/number-kind.ts"
import { wordKind } from "../../../../../providers/evald/answers/word-kinds.ts"
import { scoreExact } from "../../../../../providers/evald/exact-answer.ts"
import { mcqGeneral, mcqSafetyKnowledge, mcqScience } from "../../../../../providers/evald/knowledge/mcq.ts"
import { answerOf, itemsOf } from "../solver-check.ts"
import { CHOICE_FORMS, NO_CHOICE } from "./choice-forms.ts"
import { NO_NUMBER, NUMBER_FORMS } from "./number-forms.ts"

const seeded = { numRuns: 40, seed: 11 }
const number = fc.integer({ min: 1, max: 9_999_999 }).map(String)
const two = fc.tuple(number, number).filter(([x, y]) => x !== y)

describe("verdicts over all forms", () => {
  it("numbers: the right one is correct, a wrong one never is, although the right one is mentioned", () => {
    fc.assert(
      fc.property(two, ([x, y]) => {
        for (const [name, form] of NUMBER_FORMS) {
          const reply = answerOf(form(x, y))
          assert.strictEqual(scoreExact(numberKind, x)(reply).verdict, "correct", `${name}: ${reply.text}`)
          assert.strictEqual(scoreExact(numberKind, y)(reply).verdict, "incorrect", `${name}: ${reply.text}`)
        }
        for (const [name, reason, form] of NO_NUMBER)
          for (const reference of [x, y]) {
            const verdict = scoreExact(numberKind, reference)(answerOf(form(x, y)))
            assert.deepStrictEqual(
              [verdict.verdict, verdict.reason, verdict.scores["exact_match_flexible"]],
              ["invalid", reason, 0],
              name
            )
          }
      }),
      seeded
    )
  })

  // of options that are letters themselves "C" means two things: choices.test.ts says which
  const items = [mcqGeneral, mcqScience, mcqSafetyKnowledge]
    .flatMap((benchmark) => itemsOf(benchmark))
    .filter(({ choices = [] }) => !choices.every((option) => /^[A-Z]$/.test(option)))
  const asked = fc.constantFrom(...items)
  const letters = fc
    .tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1, max: 3 }))
    .map(([at, by]) => [LETTERS[at] ?? "", LETTERS[(at + by) % 4] ?? ""] as const)

  it("choices: of every question the right letter is correct and a wrong one never is", () => {
    fc.assert(
      fc.property(asked, letters, (item, [x, y]) => {
        const text = (letter: string) => item.choices?.[LETTERS.indexOf(letter)] ?? ""
        for (const [name, form] of CHOICE_FORMS) {
          const reply = form(x, y, text)
          const { verdict } = item.score(answerOf(reply))
          assert.strictEqual(
            verdict,
            item.reference === x ? "correct" : "incorrect",
            `${name}: ${reply}\n${item.choices?.join(" | ")}`
          )
        }
        for (const [name, , form] of NO_CHOICE)
          assert.strictEqual(item.score(answerOf(form(x, y, text))).verdict, "invalid", name)
      }),
      seeded
    )
  })

  const NAMES = ["Anna", "Ben", "Carla", "Dmitri"]
  const WORDS: ReadonlyArray<readonly [name: string, form: (x: string, y: string) => string]> = [
    ["the line asked for", (x) => `Answer: ${x}`],
    ["the word alone", (x) => `${x}.`],
    ["a sentence", (x) => `The answer is ${x}.`],
    ["boxed", (x) => `\\boxed{\\text{${x}}}`],
    ["bold", (x, y) => `${y} is before, so **${x}** it is.`],
    ["not the other", (x, y) => `The answer is ${x}, not ${y}.`],
    ["not but", (x, y) => `It is not ${y} but ${x}.`],
    ["an order, then the conclusion", (x, y) => `${y} finished before ${x}.\nTherefore the answer is ${x}.`],
    ["what follows from a clue", (x, y) => `${y} owns the dog, so the owner of the cat is ${x}.`],
    ["with what is owned", (x) => `Answer: ${x} owns the cat`],
    ["in a tag", (x, y) => `Maybe ${y}. <answer>${x}</answer>`],
    ["small letters", (x) => `answer: ${x.toLowerCase()}`],
    ["corrected", (x, y) => `Answer: ${y}\nWait, that is wrong.\nAnswer: ${x}`],
    ["in JSON", (x) => `{"answer": "${x}"}`]
  ]

  it("words of a closed set", () => {
    const kind = wordKind(NAMES, "the name")
    for (const [name, form] of WORDS)
      for (const x of NAMES)
        for (const y of NAMES.filter((one) => one !== x)) {
          const reply = answerOf(form(x, y))
          assert.strictEqual(scoreExact(kind, x)(reply).verdict, "correct", `${name}: ${reply.text}`)
          assert.strictEqual(scoreExact(kind, y)(reply).verdict, "incorrect", `${name}: ${reply.text}`)
        }
    for (const text of ["Anna or Ben", "Answer: Anna and Ben", "The answer is not Anna.", "Nobody."])
      assert.strictEqual(scoreExact(kind, "Anna")(answerOf(text)).verdict, "invalid", text)
  })
})
