/** MMLU: CSV without a header: question, four options, the letter of the right one. One file is one subject. */
import { Either } from "effect"
import { eachRecord, type ImportFormat, textOf } from "./import-format.ts"

const LETTERS = ["A", "B", "C", "D"]

export const mmlu: ImportFormat = {
  id: "mmlu",
  title: "MMLU (CSV of one subject, without a header)",
  licence: "MIT",
  parameters: { scorer: "acc" },
  notes: [],
  read: (text, name) =>
    eachRecord(
      "csv",
      text,
      (record, index) => {
        const question = textOf(record, "question")
        const choices = LETTERS.flatMap((letter) => textOf(record, letter) ?? [])
        const answer = textOf(record, "answer")?.trim()
        if (question === undefined || choices.length < LETTERS.length)
          return Either.left("needs a question and four options")
        if (answer === undefined || !LETTERS.includes(answer))
          return Either.left("has a last cell that is not A, B, C or D")
        if (new Set(choices).size < choices.length)
          return Either.right({ row: `line ${record.line - 1}`, reason: "two options have the same text" })
        // the text, because an option may be a letter itself
        return Either.right({
          id: `${name}-${index}`,
          question,
          choices,
          answer: choices[LETTERS.indexOf(answer)] ?? ""
        })
      },
      `question,${LETTERS.join(",")},answer`
    )
}
