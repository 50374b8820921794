/** GSM8K: JSON Lines of {question, answer}; the answer's last line is `#### <number>`. */
import { Either } from "effect"
import { eachRecord, type ImportFormat, textOf } from "./import-format.ts"

export const gsm8k: ImportFormat = {
  id: "gsm8k",
  title: "GSM8K (JSON Lines)",
  licence: "MIT",
  parameters: { scorer: "numeric_match" },
  notes: [],
  read: (text, name) =>
    eachRecord("jsonl", text, (record, index) => {
      const [question, answer] = [textOf(record, "question"), textOf(record, "answer")]
      if (question === undefined || answer === undefined) return Either.left('needs the texts "question" and "answer"')
      const number = /####\s*(-?[\d,]*\.?\d+)\s*$/.exec(answer)?.[1]?.replaceAll(",", "")
      return number === undefined
        ? Either.left('has an "answer" that does not end with "#### <number>"')
        : Either.right({ id: `${name}-${index}`, question, answer: number })
    })
}
