/** Instructions about the form of the whole answer: case, script, JSON, how it begins and ends. */

import { isObject, parseJson } from "../../../values/json.ts"
import type { Instruction } from "./instruction.ts"
import { lines } from "./text-measures.ts"

const parsesAsObject = (text: string): boolean => isObject(parseJson(text))

/** a single fenced block is accepted as JSON, since the fence is typography and not text */
export const jsonOnly: Instruction = {
  checker: "json_only",
  text: "Answer with one JSON object and nothing else.",
  follows: (answer) => parsesAsObject(/^```(?:json)?\n([\s\S]*)\n```$/u.exec(answer.trim())?.[1] ?? answer)
}

export const upperCase: Instruction = {
  checker: "upper_case",
  text: "Write the whole answer in capital letters.",
  follows: (answer) => /\p{L}/u.test(answer) && !/\p{Ll}/u.test(answer)
}

export const lowerCase: Instruction = {
  checker: "lower_case",
  text: "Write the whole answer in lower case letters.",
  follows: (answer) => /\p{L}/u.test(answer) && !/\p{Lu}/u.test(answer)
}

export const startsWith = (phrase: string): Instruction => ({
  checker: "starts_with",
  arguments: { phrase },
  text: `Begin the answer with the exact phrase "${phrase}".`,
  follows: (answer) => answer.trimStart().startsWith(phrase)
})

export const endsWith = (phrase: string): Instruction => ({
  checker: "ends_with",
  arguments: { phrase },
  text: `End the answer with the exact phrase "${phrase}" and nothing after it.`,
  follows: (answer) => answer.trimEnd().endsWith(phrase)
})

export const inQuotes: Instruction = {
  checker: "in_quotes",
  text: "Put the whole answer in double quotation marks.",
  follows: (answer) => /^"[\s\S]+"$/u.test(answer.trim())
}

export const title: Instruction = {
  checker: "title",
  text: "Give the answer a title on its own line, in double angle brackets, such as <<A good day>>.",
  follows: (answer) => lines(answer).some((line) => /^<<[^<>]*\S[^<>]*>>$/u.test(line.trim()))
}

export const postscript: Instruction = {
  checker: "postscript",
  text: 'Add a postscript at the end, on its own line that begins with "P.S.".',
  follows: (answer) => lines(answer).some((line, index) => index > 0 && /^P\.\s?S\.\s*\S/u.test(line.trim()))
}

export type Script = "Greek" | "Cyrillic"

const letters: { readonly [script in Script]: RegExp } = {
  Greek: /\p{Script=Greek}/gu,
  Cyrillic: /\p{Script=Cyrillic}/gu
}

/** nine letters of ten: a foreign name is no offence */
export const inScript = (script: Script): Instruction => ({
  checker: "script",
  arguments: { script },
  text: `Write the answer in the ${script} alphabet only.`,
  follows: (answer) => {
    const total = answer.match(/\p{L}/gu)?.length ?? 0
    return total > 0 && (answer.match(letters[script])?.length ?? 0) / total >= 0.9
  }
})
