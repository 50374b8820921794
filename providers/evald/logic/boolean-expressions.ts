/** Expressions of True, False, not, and, or with parentheses. Half of the answers are True: random guessing scores 0.5. */
import { wordKind } from "../answers/word-kinds.ts"
import { generatedBenchmark, type Level, type Puzzle, type PuzzleFamily } from "../generated.ts"
import type { SeededRandom } from "../random.ts"

const OPERATORS: { readonly [level in Level]: readonly [number, number] } = {
  easy: [2, 3],
  medium: [4, 6],
  hard: [7, 10]
}

interface Formula {
  readonly text: string
  readonly value: boolean
  /** how strongly it binds: 3 constant or parenthesis, 2 not, 1 and, 0 or */
  readonly binding: 0 | 1 | 2 | 3
}

const bracketed = (formula: Formula, least: number) => (formula.binding < least ? `(${formula.text})` : formula.text)

const formula = (operators: number, random: SeededRandom): Formula => {
  if (operators === 0) {
    const value = random.next() < 0.5
    return { text: value ? "True" : "False", value, binding: 3 }
  }
  if (random.next() < 0.3) {
    const inner = formula(operators - 1, random)
    return { text: `not ${bracketed(inner, 2)}`, value: !inner.value, binding: 2 }
  }
  const onLeft = random.int(0, operators - 1)
  const left = formula(onLeft, random)
  const right = formula(operators - 1 - onLeft, random)
  return random.next() < 0.5
    ? { text: `${bracketed(left, 1)} and ${bracketed(right, 2)}`, value: left.value && right.value, binding: 1 }
    : { text: `${bracketed(left, 0)} or ${bracketed(right, 1)}`, value: left.value || right.value, binding: 0 }
}

/** the type says which answer is drawn, so that the set is balanced */
const generate = (level: Level, type: string, random: SeededRandom): Puzzle => {
  for (;;) {
    const { text, value } = formula(random.int(...OPERATORS[level]), random)
    if (value !== (type === "true")) continue
    return {
      question: `Evaluate this logical expression, where "not" binds more strongly than "and", and "and" more strongly than "or": ${text}`,
      answer: value ? "True" : "False",
      kind: wordKind(["True", "False"], "True or False")
    }
  }
}

const booleanExpressionsFamily: PuzzleFamily = {
  id: "boolean_expressions",
  version: 1,
  size: 100,
  types: ["true", "false"],
  maxTokens: 3072,
  generate
}

export const booleanExpressions = generatedBenchmark(booleanExpressionsFamily)
