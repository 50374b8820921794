/** Evaluates logical expressions by rewriting them until one word is left, and completes bracket sequences by cancelling pairs. */
import { amongOptions, answerReply } from "../answers.ts"
import { answerLineQuestion } from "../last-question.ts"
import type { Solver } from "../solver.ts"

/** one step at a time, the strongest binding first; constants are `1` and `0` */
const REWRITES: ReadonlyArray<readonly [RegExp, (match: string) => string]> = [
  [/\(([01])\)/, (match) => match.slice(1, -1)],
  [/!([01])/, (match) => (match === "!1" ? "0" : "1")],
  [/[01]&[01]/, (match) => (match === "1&1" ? "1" : "0")],
  [/(?<![&!])[01]\|[01](?!&)/, (match) => (match === "0|0" ? "0" : "1")]
]

const evaluateLogic = (text: string): boolean | undefined => {
  let rest = text
    .replaceAll("True", "1")
    .replaceAll("False", "0")
    .replaceAll("not", "!")
    .replaceAll("and", "&")
    .replaceAll("or", "|")
    .replaceAll(" ", "")
  if (!/^[01!&|()]+$/.test(rest)) return undefined
  while (rest.length > 1) {
    const rewrite = REWRITES.find(([pattern]) => pattern.test(rest))
    if (rewrite === undefined) return undefined
    rest = rest.replace(...rewrite)
  }
  return rest === "1"
}

const booleanSolver: Solver = {
  family: "logic",
  solve: (conversation, random) => {
    const expression = /^Evaluate this logical expression, [^:]+: (.+)$/.exec(
      answerLineQuestion(conversation)?.trim() ?? ""
    )?.[1]
    const value = expression === undefined ? undefined : evaluateLogic(expression)
    return value === undefined ? undefined : amongOptions(value ? "True" : "False", ["True", "False"], random)
  }
}

const MATCHING: { readonly [open: string]: string } = { "(": ")", "[": "]", "{": "}", "<": ">" }

const bracketSolver: Solver = {
  family: "logic",
  solve: (conversation, random) => {
    const shown = /^Complete this sequence with the closing brackets [^:]+: (.+)$/.exec(
      answerLineQuestion(conversation)?.trim() ?? ""
    )?.[1]
    if (shown === undefined) return undefined
    let open = shown.replaceAll(" ", "")
    for (let before = ""; before !== open; ) {
      before = open
      open = open.replace(/\(\)|\[\]|\{\}|<>/, "")
    }
    const closing = [...open].reverse().map((bracket) => MATCHING[bracket] ?? bracket)
    const missed = random() < 0.5 ? closing.slice(0, -1) : [...closing, closing[0] ?? ")"]
    return {
      right: answerReply(closing.join(" ")),
      wrong: answerReply((missed.length === 0 ? [")", ")"] : missed).join(" "))
    }
  }
}

export const formulaSolvers: ReadonlyArray<Solver> = [booleanSolver, bracketSolver]
