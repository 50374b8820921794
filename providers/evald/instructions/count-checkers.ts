/** Instructions that ask for a number of words, sentences, lines or blocks. */
import type { Instruction } from "./instruction.ts"
import { lines, paragraphs, sentences, words } from "./text-measures.ts"

export const wordsAtLeast = (count: number): Instruction => ({
  checker: "words_at_least",
  arguments: { count },
  text: `Use at least ${count} words.`,
  follows: (answer) => words(answer).length >= count
})

export const wordsAtMost = (count: number): Instruction => ({
  checker: "words_at_most",
  arguments: { count },
  text: `Use at most ${count} words.`,
  follows: (answer) => words(answer).length <= count
})

export const sentencesExactly = (count: number): Instruction => ({
  checker: "sentences_exactly",
  arguments: { count },
  text: `Write exactly ${count} sentences.`,
  follows: (answer) => sentences(answer).length === count
})

export const paragraphsExactly = (count: number): Instruction => ({
  checker: "paragraphs_exactly",
  arguments: { count },
  text: `Write exactly ${count} paragraphs, separated by a blank line.`,
  follows: (answer) => paragraphs(answer).length === count
})

export const linesExactly = (count: number): Instruction => ({
  checker: "lines_exactly",
  arguments: { count },
  text: `Write exactly ${count} lines and no blank line.`,
  follows: (answer) => lines(answer).length === count && lines(answer).every((line) => line.trim() !== "")
})

export const bulletsExactly = (count: number): Instruction => ({
  checker: "bullets_exactly",
  arguments: { count },
  text: `Give exactly ${count} bullet points, each on its own line that begins with "- ".`,
  follows: (answer) => lines(answer).filter((line) => /^\s*- \S/u.test(line)).length === count
})

export const numberedList = (count: number): Instruction => ({
  checker: "numbered_list",
  arguments: { count },
  text: `Include a numbered list with exactly ${count} entries, one per line, numbered "1.", "2." and so on.`,
  follows: (answer) => {
    const numbers = lines(answer).flatMap((line) => /^\s*(\d+)\. \S/u.exec(line)?.[1] ?? [])
    return numbers.length === count && numbers.every((number, index) => Number(number) === index + 1)
  }
})

export const sectionsExactly = (count: number): Instruction => ({
  checker: "sections_exactly",
  arguments: { count },
  text: `Split the answer into exactly ${count} sections; put a line "SECTION 1", "SECTION 2" and so on before each.`,
  follows: (answer) => {
    const numbers = lines(answer).flatMap((line) => /^\s*SECTION (\d+)\b/u.exec(line)?.[1] ?? [])
    return numbers.length === count && numbers.every((number, index) => Number(number) === index + 1)
  }
})
