import { describe, it } from "@effect/vitest"
import { arithmeticSolver } from "../../../../providers/demo-model/solvers/arithmetic.ts"
import { dateSolver } from "../../../../providers/demo-model/solvers/dates.ts"
import { formulaSolvers } from "../../../../providers/demo-model/solvers/formulas.ts"
import { numberWordSolver } from "../../../../providers/demo-model/solvers/number-words.ts"
import { orderingPuzzleSolver } from "../../../../providers/demo-model/solvers/ordering-puzzles.ts"
import { stateTrackingSolver } from "../../../../providers/demo-model/solvers/state-tracking.ts"
import { wordProblemSolver } from "../../../../providers/demo-model/solvers/word-problems.ts"
import { arithBasic } from "../../../../providers/evald/arithmetic/arith-basic.ts"
import { arithMultistep } from "../../../../providers/evald/arithmetic/arith-multistep.ts"
import { dateUnderstanding } from "../../../../providers/evald/dates/date-understanding.ts"
import { multilingualNumbers } from "../../../../providers/evald/languages/multilingual-numbers.ts"
import { booleanExpressions } from "../../../../providers/evald/logic/boolean-expressions.ts"
import { dyckCompletion } from "../../../../providers/evald/logic/dyck-completion.ts"
import { logicDeduction } from "../../../../providers/evald/logic/logic-deduction.ts"
import { objectTracking } from "../../../../providers/evald/logic/object-tracking.ts"
import { wordProblems } from "../../../../providers/evald/words/word-problems.ts"
import { anyOf, assertReproducible, assertSolved, itemsOf } from "./solver-check.ts"

const FAMILIES = [
  { benchmark: arithBasic, size: 200, solver: arithmeticSolver },
  { benchmark: arithMultistep, size: 200, solver: arithmeticSolver },
  { benchmark: logicDeduction, size: 100, solver: orderingPuzzleSolver },
  { benchmark: objectTracking, size: 100, solver: stateTrackingSolver },
  { benchmark: booleanExpressions, size: 100, solver: anyOf(formulaSolvers) },
  { benchmark: dyckCompletion, size: 100, solver: anyOf(formulaSolvers) },
  { benchmark: dateUnderstanding, size: 100, solver: dateSolver },
  { benchmark: wordProblems, size: 150, solver: wordProblemSolver },
  { benchmark: multilingualNumbers, size: 150, solver: numberWordSolver }
] as const

describe("generated families", () => {
  for (const { benchmark, size, solver } of FAMILIES) {
    it(`${benchmark.id}: the same seed gives the same bytes, another seed other items, examples are never asked`, () =>
      assertReproducible(benchmark, size))

    it(`${benchmark.id}: a solver that only reads the prompt agrees with every reference`, () => {
      for (const seed of [1, 42, 987_654]) assertSolved(itemsOf(benchmark, { seed, fewShot: seed % 3 }), solver)
    })

    it(`${benchmark.id}: one difficulty fills the whole size with one level`, () => {
      for (const difficulty of ["easy", "hard"] as const) {
        const items = itemsOf(benchmark, { difficulty })
        assertSolved(items, solver)
        if (items.length !== size || items.some(({ stratum }) => !stratum.startsWith(`${difficulty}/`)))
          throw new Error(`${benchmark.id} ${difficulty}`)
      }
    })
  }
})
