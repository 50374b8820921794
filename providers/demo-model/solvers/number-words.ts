/**
 * Reads numbers in words: every word is a value or a multiplier, and both are combined by one rule for all languages. Connecting words and
 * spellings that merge parts are handled by always taking the longest known word at the current place.
 */
import { numberSolution } from "../answers.ts"
import { type NumberWords, numberLexicon } from "../known/number-lexicon.ts"
import { answerLineQuestion } from "../last-question.ts"
import type { Solver } from "../solver.ts"

interface Part {
  readonly word: string
  readonly mark: string
}

const partsOf = (words: NumberWords): ReadonlyArray<Part> =>
  Object.entries(words)
    .flatMap(([mark, spellings]) => spellings.split("|").map((word) => ({ word, mark })))
    .sort((a, b) => b.word.length - a.word.length)

/** `section` holds finished hundreds and tens, `last` the part a multiplier would apply to */
const readNumberWords = (text: string, language: string): number | undefined => {
  const parts = partsOf(numberLexicon[language] ?? {})
  // Italian merges "cento" with a following "otto"
  let rest = text
    .toLowerCase()
    .replaceAll("centott", "centoott")
    .replace(/^[\s-]+/, "")
  let total = 0
  let section = 0
  let last = 0
  while (rest !== "") {
    const part = parts.find(({ word }) => rest.startsWith(word))
    if (part === undefined) return undefined
    rest = rest.slice(part.word.length).replace(/^[\s-]+/, "")
    const factor = Number(part.mark.slice(1))
    if (part.mark === "skip") continue
    if (part.mark === "+10") last += 10
    else if (part.mark === "×1") {
      section += last * 1000
      last = 0
    } else if (part.mark.startsWith("×") && factor >= 1000) {
      total += Math.max(1, section + last) * factor
      section = 0
      last = 0
    } else if (part.mark.startsWith("×")) {
      section += Math.max(1, last) * factor
      last = 0
    } else if (Number(part.mark) >= 100) section += Number(part.mark)
    else last += Number(part.mark)
  }
  return total + section + last
}

export const numberWordSolver: Solver = {
  family: "multilingual",
  solve: (conversation, random) => {
    const question = answerLineQuestion(conversation) ?? ""
    const language = /^(?:A number is|Two numbers are) written in (\w+):/.exec(question)?.[1]
    if (language === undefined) return undefined
    const numbers = [...question.matchAll(/"([^"]+)"/g)].map(([, words = ""]) => readNumberWords(words, language))
    const sum = numbers.reduce<number>((total, value) => total + (value ?? Number.NaN), 0)
    return numbers.length === 0 || Number.isNaN(sum) ? undefined : numberSolution(sum, random)
  }
}
