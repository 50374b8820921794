/** Instructions about which words, letters and marks the answer holds. */
import type { Instruction } from "./instruction.ts"
import { occurrences, words } from "./text-measures.ts"

const quoted = (list: ReadonlyArray<string>): string => list.map((word) => `"${word}"`).join(" and ")

export const includeWords = (wanted: ReadonlyArray<string>): Instruction => ({
  checker: "include_words",
  arguments: { wanted },
  text: `Use the words ${quoted(wanted)}.`,
  follows: (answer) => wanted.every((word) => occurrences(answer, word) > 0)
})

export const excludeWords = (unwanted: ReadonlyArray<string>): Instruction => ({
  checker: "exclude_words",
  arguments: { unwanted },
  text: `Do not use the words ${quoted(unwanted)}.`,
  follows: (answer) => unwanted.every((word) => occurrences(answer, word) === 0)
})

export const wordFrequency = (word: string, count: number): Instruction => ({
  checker: "word_frequency",
  arguments: { word, count },
  text: `Use the word "${word}" at least ${count} times.`,
  follows: (answer) => occurrences(answer, word) >= count
})

export const letterFrequency = (letter: string, count: number): Instruction => ({
  checker: "letter_frequency",
  arguments: { letter, count },
  text: `Use the letter "${letter}" at least ${count} times.`,
  follows: (answer) => answer.toLowerCase().split(letter.toLowerCase()).length - 1 >= count
})

export const capitalWords = (count: number): Instruction => ({
  checker: "capital_words",
  arguments: { count },
  text: `Write at least ${count} words in capital letters only.`,
  follows: (answer) => words(answer).filter((word) => /^\p{Lu}{2,}$/u.test(word)).length >= count
})

export const placeholders = (count: number): Instruction => ({
  checker: "placeholders",
  arguments: { count },
  text: `Use at least ${count} placeholders in square brackets, such as [name].`,
  follows: (answer) => (answer.match(/\[[^[\]\n]+\]/gu) ?? []).length >= count
})

export const highlights = (count: number): Instruction => ({
  checker: "highlights",
  arguments: { count },
  text: `Mark at least ${count} passages with asterisks, *like this*.`,
  follows: (answer) => (answer.match(/(\*{1,2})(?=\S)[^*\n]+(?<=\S)\1/gu) ?? []).length >= count
})

export const noCommas: Instruction = {
  checker: "no_commas",
  text: "Do not use any comma.",
  follows: (answer) => !/[,，、،]/u.test(answer)
}
