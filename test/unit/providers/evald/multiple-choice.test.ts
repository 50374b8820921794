import { assert, describe, it } from "@effect/vitest"
import { knowledgeSolver, recall } from "../../../../providers/demo-model/solvers/knowledge.ts"
import { parseQuestions } from "../../../../providers/evald/knowledge/choice-question.ts"
import { GENERAL_QUESTIONS } from "../../../../providers/evald/knowledge/general-questions.ts"
import { mcqGeneral, mcqSafetyKnowledge, mcqScience } from "../../../../providers/evald/knowledge/mcq.ts"
import { SAFETY_QUESTIONS } from "../../../../providers/evald/knowledge/safety-questions.ts"
import { SCIENCE_QUESTIONS } from "../../../../providers/evald/knowledge/science-questions.ts"
import { assertReproducible, assertSolved, itemsOf } from "./solver-check.ts"

const SETS = [
  { benchmark: mcqGeneral, source: GENERAL_QUESTIONS, size: 100 },
  { benchmark: mcqScience, source: SCIENCE_QUESTIONS, size: 100 },
  { benchmark: mcqSafetyKnowledge, source: SAFETY_QUESTIONS, size: 60 }
] as const

describe("multiple choice", () => {
  for (const { benchmark, source, size } of SETS) {
    it(`${benchmark.id}: every question has four different options and asks only once`, () => {
      const questions = parseQuestions(source)
      for (const { text, options } of questions) {
        assert.strictEqual(new Set(options.map((option) => option.toLowerCase())).size, 4, text)
        assert.match(text, /[?.]$|what$/, text)
      }
      assert.strictEqual(new Set(questions.map(({ text }) => text)).size, size)
    })

    it(`${benchmark.id}: reproducible, answered by what the demo model knows`, () => {
      assertReproducible(benchmark, size)
      const unknown = parseQuestions(source).filter(({ text, options }) => recall(text, options) !== 0)
      assert.deepStrictEqual(
        unknown.map(({ text, options }) => [text, recall(text, options)]),
        []
      )
      for (const seed of [1, 42]) assertSolved(itemsOf(benchmark, { seed }), knowledgeSolver)
    })

    it(`${benchmark.id}: the right letter is spread evenly`, () => {
      const letters = itemsOf(benchmark).map(({ reference }) => String(reference))
      for (const letter of ["A", "B", "C", "D"])
        assert.strictEqual(letters.filter((one) => one === letter).length, size / 4)
    })
  }
})
