/** Finds things in long texts: access codes, variables that share a value, the most common words of a list. */
import type { Solution, Solver } from "../solver.ts"

const withWrongDigits = (code: string): string => [...code].map((digit) => String((Number(digit) + 3) % 10)).join("")

const accessCode = (text: string, question: string): Solution | undefined => {
  const name = /access code of the (.+)\?/.exec(question)?.[1]
  if (name === undefined) return undefined
  const found = [...text.matchAll(/The access code of the ([a-z ]+) is (\d+)\./g)].find(
    (match) => match[1] === name
  )?.[2]
  if (found === undefined) return undefined
  return {
    right: { text: `The access code of the ${name} is ${found}.` },
    wrong: { text: `The access code of the ${name} is ${withWrongDigits(found)}.` }
  }
}

/** follows every chain to its value */
const variables = (text: string, question: string): Solution | undefined => {
  const wanted = /have the value (\d+)\?/.exec(question)?.[1]
  if (wanted === undefined) return undefined
  const values = new Map<string, string>()
  for (const [, name = "", value, source] of text.matchAll(
    /Let variable ([A-Z]+) be (?:(\d+)|the same as variable ([A-Z]+))\./g
  )) {
    values.set(name, value ?? values.get(source ?? "") ?? "")
  }
  const names = [...values].filter(([, value]) => value === wanted).map(([name]) => name)
  return { right: { text: names.join(", ") }, wrong: { text: names.slice(0, -1).join(", ") } }
}

const commonest = (text: string, question: string): Solution | undefined => {
  const count = Number(/Which (\d+) words stand most often/.exec(question)?.[1])
  if (Number.isNaN(count)) return undefined
  const seen = new Map<string, number>()
  for (const [, word = ""] of text.matchAll(/([a-z]+)(?:, |$)/g)) seen.set(word, (seen.get(word) ?? 0) + 1)
  const ranked = [...seen].sort((a, b) => b[1] - a[1]).map(([word]) => word)
  return {
    right: { text: ranked.slice(0, count).join(", ") },
    wrong: { text: ranked.slice(count, 2 * count).join(", ") }
  }
}

const solve: Solver["solve"] = ({ messages }) => {
  const prompt = messages.findLast(({ role }) => role === "user")?.content ?? ""
  const [, text, question] = /\nText:\n([\s\S]*)\n\nQuestion: (.*)$/.exec(prompt) ?? []
  if (text === undefined || question === undefined) return undefined
  return accessCode(text, question) ?? variables(text, question) ?? commonest(text, question)
}

export const retrievalSolver: Solver = { family: "retrieval", solve }
