import { describe, it } from "@effect/vitest"
import { arithmeticSolver } from "../../../../providers/demo-model/solvers/arithmetic.ts"
import { orderingPuzzleSolver } from "../../../../providers/demo-model/solvers/ordering-puzzles.ts"
import { arithBasic } from "../../../../providers/evald/arithmetic/arith-basic.ts"
import { arithMultistep } from "../../../../providers/evald/arithmetic/arith-multistep.ts"
import { logicDeduction } from "../../../../providers/evald/logic/logic-deduction.ts"
import { assertReproducible, assertSolved, itemsOf } from "./solver-check.ts"

const FAMILIES = [
  { benchmark: arithBasic, size: 200, solver: arithmeticSolver },
  { benchmark: arithMultistep, size: 200, solver: arithmeticSolver },
  { benchmark: logicDeduction, size: 100, solver: orderingPuzzleSolver }
] as const

describe("generated families", () => {
  for (const { benchmark, size, solver } of FAMILIES) {
    it(`${benchmark.id}: the same seed gives the same bytes, another seed other items, examples are never asked`, () => assertReproducible(benchmark, size))

    it(`${benchmark.id}: a solver that only reads the prompt agrees with every reference`, () => {
      for (const seed of [1, 42, 987_654]) assertSolved(itemsOf(benchmark, { seed, fewShot: seed % 3 }), solver)
    })

    it(`${benchmark.id}: one difficulty fills the whole size with one level`, () => {
      for (const difficulty of ["easy", "hard"] as const) {
        const items = itemsOf(benchmark, { difficulty })
        assertSolved(items, solver)
        if (items.length !== size || items.some(({ stratum }) => !stratum.startsWith(`${difficulty}/`))) throw new Error(`${benchmark.id} ${difficulty}`)
      }
    })
  }
})
