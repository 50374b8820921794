/** One operation on two whole numbers. Random guessing scores about 0. */
import { numberKind } from "../answers/number-kind.ts"
import { generatedBenchmark, type Level, type Puzzle, type PuzzleFamily } from "../generated.ts"
import type { SeededRandom } from "../random.ts"

/** largest addend, factors and quotient by level */
const SCALE: {
  readonly [level in Level]: {
    readonly sum: number
    readonly left: number
    readonly right: number
    readonly least: number
  }
} = {
  easy: { sum: 99, left: 12, right: 12, least: 2 },
  medium: { sum: 9_999, left: 99, right: 99, least: 11 },
  hard: { sum: 999_999, left: 9_999, right: 999, least: 101 }
}

const PHRASES = [
  (expression: string) => `What is ${expression}?`,
  (expression: string) => `Calculate ${expression}.`,
  (expression: string) => `Work out the value of ${expression}.`
]

const operation = (
  level: Level,
  type: string,
  random: SeededRandom
): { readonly expression: string; readonly value: number } => {
  const { sum, left, right, least } = SCALE[level]
  switch (type) {
    case "add": {
      const [a, b] = [random.int(least, sum), random.int(least, sum)]
      return { expression: `${a} + ${b}`, value: a + b }
    }
    case "subtract": {
      const [a, b] = [random.int(least, sum), random.int(least, sum)]
      return { expression: `${a} - ${b}`, value: a - b }
    }
    case "multiply": {
      const [a, b] = [random.int(least, left), random.int(least, right)]
      return { expression: `${a} × ${b}`, value: a * b }
    }
    case "divide": {
      const [quotient, divisor] = [random.int(least, left), random.int(least, right)]
      return { expression: `${quotient * divisor} ÷ ${divisor}`, value: quotient }
    }
    default: {
      const [dividend, divisor] = [random.int(least * 5, sum), random.int(least + 1, right)]
      return { expression: `the remainder of ${dividend} divided by ${divisor}`, value: dividend % divisor }
    }
  }
}

const generate = (level: Level, type: string, random: SeededRandom): Puzzle => {
  const { expression, value } = operation(level, type, random)
  return { question: random.pick(PHRASES)(expression), answer: String(value), kind: numberKind }
}

const arithBasicFamily: PuzzleFamily = {
  id: "arith_basic",
  version: 1,
  size: 200,
  types: ["add", "subtract", "multiply", "divide", "remainder"],
  maxTokens: 2048,
  generate
}

export const arithBasic = generatedBenchmark(arithBasicFamily)
