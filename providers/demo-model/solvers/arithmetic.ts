/** Reads sums, expressions and recipes out of the question and works them out. */
import { numberSolution } from "../answers.ts"
import { answerLineQuestion } from "../last-question.ts"
import type { Solver } from "../solver.ts"

/** value of an expression in + - × ÷ and parentheses; undefined when the text is not one */
const evaluateExpression = (text: string): number | undefined => {
  const tokens = text.match(/\d+|[-+×÷()]/g) ?? []
  if (tokens.join("") !== text.replace(/\s/g, "") || tokens.length === 0) return undefined
  let at = 0
  const atom = (): number => {
    const token = tokens[at++]
    if (token === "(") {
      const inner = sum()
      at++
      return inner
    }
    return token === "-" ? -atom() : Number(token)
  }
  const product = (): number => {
    let value = atom()
    while (tokens[at] === "×" || tokens[at] === "÷") value = tokens[at++] === "×" ? value * atom() : value / atom()
    return value
  }
  const sum = (): number => {
    let value = product()
    while (tokens[at] === "+" || tokens[at] === "-")
      value = tokens[at++] === "+" ? value + product() : value - product()
    return value
  }
  const value = sum()
  return at === tokens.length && Number.isFinite(value) ? value : undefined
}

/** "Start with 7. Add 5. Multiply the result by 3." */
const followRecipe = (text: string): number | undefined => {
  const start = /^Start with (\d+)\./.exec(text)
  if (start === null) return undefined
  let value = Number(start[1])
  for (const [, verb, operand] of text.matchAll(
    /(Add|Subtract|Multiply the result by|Divide the result by) (\d+)\./g
  )) {
    const n = Number(operand)
    if (verb === "Add") value += n
    else if (verb === "Subtract") value -= n
    else if (verb === "Multiply the result by") value *= n
    else value /= n
  }
  return value
}

const remainder = (text: string): number | undefined => {
  const found = /the remainder of (\d+) divided by (\d+)/.exec(text)
  return found === null ? undefined : Number(found[1]) % Number(found[2])
}

const ASKED =
  /^(?:What is|Calculate|Work out the value of|Evaluate the expression, with the usual order of operations:) (.+?)[.?]?$/

export const arithmeticSolver: Solver = {
  family: "arithmetic",
  solve: (conversation, random) => {
    const question = answerLineQuestion(conversation)?.trim()
    if (question === undefined) return undefined
    const expression = ASKED.exec(question)?.[1]
    const value =
      followRecipe(question) ??
      (expression === undefined ? undefined : (remainder(expression) ?? evaluateExpression(expression)))
    return value === undefined ? undefined : numberSolution(value, random)
  }
}
