/** Expressions with several operations and parentheses, and the same as spoken steps. Random guessing scores about 0. */
import { numberKind } from "../answers/number-kind.ts"
import { generatedBenchmark, type Level, type Puzzle, type PuzzleFamily } from "../generated.ts"
import type { SeededRandom } from "../random.ts"

/** operations in an expression or steps in a recipe, and the size of single numbers */
const SCALE: { readonly [level in Level]: { readonly operations: readonly [number, number]; readonly leaf: number } } =
  {
    easy: { operations: [2, 2], leaf: 9 },
    medium: { operations: [3, 4], leaf: 15 },
    hard: { operations: [5, 6], leaf: 25 }
  }

interface Term {
  readonly text: string
  readonly value: number
  /** 0 number or parenthesis, 1 product, 2 sum */
  readonly rank: 0 | 1 | 2
}

const wrapped = (term: Term, most: number) => (term.rank > most ? `(${term.text})` : term.text)

const expression = (operations: number, leaf: number, random: SeededRandom): Term => {
  if (operations === 0) {
    const value = random.int(2, leaf)
    return { text: String(value), value, rank: 0 }
  }
  const onLeft = random.int(0, operations - 1)
  const left = expression(onLeft, leaf, random)
  const right = expression(operations - 1 - onLeft, leaf, random)
  const exact = right.value !== 0 && left.value % right.value === 0 && Math.abs(right.value) > 1
  switch (random.int(0, exact ? 4 : 3)) {
    case 0:
      return { text: `${wrapped(left, 2)} + ${wrapped(right, 2)}`, value: left.value + right.value, rank: 2 }
    case 1:
      return { text: `${wrapped(left, 2)} - ${wrapped(right, 1)}`, value: left.value - right.value, rank: 2 }
    case 4:
      return { text: `${wrapped(left, 1)} ÷ ${wrapped(right, 0)}`, value: left.value / right.value, rank: 1 }
    default:
      return { text: `${wrapped(left, 1)} × ${wrapped(right, 0)}`, value: left.value * right.value, rank: 1 }
  }
}

/** "Start with 7. Add 5. Multiply the result by 3. …" */
const recipe = (steps: number, leaf: number, random: SeededRandom): Puzzle => {
  let value = random.int(2, leaf)
  const lines = [`Start with ${value}.`]
  for (let step = 0; step < steps; step++) {
    const operand = random.int(2, leaf)
    const kinds = ["add", "subtract", "multiply", ...(value % operand === 0 ? ["divide", "divide"] : [])]
    switch (random.pick(kinds)) {
      case "add":
        value += operand
        lines.push(`Add ${operand}.`)
        break
      case "subtract":
        value -= operand
        lines.push(`Subtract ${operand}.`)
        break
      case "multiply":
        value *= operand
        lines.push(`Multiply the result by ${operand}.`)
        break
      default:
        value /= operand
        lines.push(`Divide the result by ${operand}.`)
    }
  }
  return { question: `${lines.join(" ")} What number do you get?`, answer: String(value), kind: numberKind }
}

const generate = (level: Level, type: string, random: SeededRandom): Puzzle => {
  const { operations, leaf } = SCALE[level]
  const count = random.int(...operations)
  if (type === "recipe") return recipe(count + 1, leaf, random)
  const { text, value } = expression(count, leaf, random)
  return {
    question: `Evaluate the expression, with the usual order of operations: ${text}`,
    answer: String(value === 0 ? 0 : value),
    kind: numberKind
  }
}

const arithMultistepFamily: PuzzleFamily = {
  id: "arith_multistep",
  version: 1,
  size: 200,
  types: ["expression", "recipe"],
  maxTokens: 3072,
  generate
}

export const arithMultistep = generatedBenchmark(arithMultistepFamily)
