/** Every solver of the demo model in the order in which they look at a conversation: the first that knows its kind answers. */
import type { Solver } from "./solver.ts"
import { arithmeticSolver } from "./solvers/arithmetic.ts"
import { codeSolver } from "./solvers/code.ts"
import { dateSolver } from "./solvers/dates.ts"
import { formulaSolvers } from "./solvers/formulas.ts"
import { instructionsSolver } from "./solvers/instructions.ts"
import { judgingSolver } from "./solvers/judging.ts"
import { knowledgeSolver } from "./solvers/knowledge.ts"
import { loadSolver } from "./solvers/load.ts"
import { memorySolver } from "./solvers/memory.ts"
import { numberWordSolver } from "./solvers/number-words.ts"
import { orderingPuzzleSolver } from "./solvers/ordering-puzzles.ts"
import { refusalSolver } from "./solvers/refusals.ts"
import { retrievalSolver } from "./solvers/retrieval.ts"
import { safetySolver } from "./solvers/safety.ts"
import { stateTrackingSolver } from "./solvers/state-tracking.ts"
import { structureSolver } from "./solvers/structure.ts"
import { toolsSolver } from "./solvers/tools.ts"
import { wordProblemSolver } from "./solvers/word-problems.ts"

export const solvers: ReadonlyArray<Solver> = [
  loadSolver,
  safetySolver,
  refusalSolver,
  toolsSolver,
  codeSolver,
  retrievalSolver,
  structureSolver,
  instructionsSolver,
  judgingSolver,
  memorySolver,
  dateSolver,
  ...formulaSolvers,
  orderingPuzzleSolver,
  stateTrackingSolver,
  wordProblemSolver,
  numberWordSolver,
  arithmeticSolver,
  knowledgeSolver
]
