/** Synthetic load: running text of the length asked for, one short word a token; right and wrong have no meaning here. */
import type { Solver } from "../solver.ts"

const words = "the road went past the mill and over the hill to a town where it was late and quiet".split(" ")

const runningText = (count: number): string =>
  Array.from({ length: count }, (_, index) => words[index % words.length] ?? "word").join(" ")

const solve: Solver["solve"] = ({ messages }) => {
  const prompt = messages.findLast(({ role }) => role === "user")?.content ?? ""
  const count = /^Synthetic load, request .* Write running text of (\d+) words/.exec(prompt)?.[1]
  if (count === undefined) return undefined
  const reply = { text: runningText(Number(count)) }
  return { right: reply, wrong: reply }
}

export const loadSolver: Solver = { family: "load", solve }
