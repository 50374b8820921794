/** TruthfulQA: CSV with a header; the best answer against the incorrect ones, as a choice of one. */
import { Either } from "effect"
import { LETTERS } from "../answers/choice-kind.ts"
import { seededRandom } from "../random.ts"
import { eachRecord, type ImportFormat, textOf } from "./import-format.ts"

const COLUMNS = ["Question", "Best Answer", "Incorrect Answers"] as const

export const truthfulQa: ImportFormat = {
  id: "truthfulqa",
  title: "TruthfulQA (CSV with a header)",
  licence: "Apache-2.0",
  parameters: { scorer: "acc" },
  notes: [
    "options are in an order drawn from the question, the same in every import; the score is the share of best answers chosen"
  ],
  read: (text, name) =>
    eachRecord("csv", text, (record, index) => {
      const [question, best, incorrect] = COLUMNS.map((column) => textOf(record, column)?.trim())
      if (question === undefined || best === undefined || incorrect === undefined) {
        return Either.left(`needs the columns ${COLUMNS.map((column) => JSON.stringify(column)).join(", ")}`)
      }
      const wrong = [...new Set(incorrect.split(";").map((one) => one.trim()))].filter(
        (one) => one !== "" && one !== best
      )
      if (wrong.length === 0 || wrong.length >= LETTERS.length) {
        return Either.right({
          row: `line ${record.line}`,
          reason: `${wrong.length} incorrect answers; 1 to ${LETTERS.length - 1} can be asked`
        })
      }
      const choices = seededRandom("truthfulqa", 1, question).shuffle([best, ...wrong])
      return Either.right({
        id: `${name}-${index}`,
        question,
        choices,
        answer: best,
        category: textOf(record, "Category") ?? ""
      })
    })
}
