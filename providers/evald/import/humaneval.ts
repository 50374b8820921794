/** HumanEval: JSON Lines of {task_id, prompt, canonical_solution, test, entry_point}. */
import { Either } from "effect"
import { eachRecord, type ImportFormat, textOf } from "./import-format.ts"

const MEMBERS = ["task_id", "prompt", "canonical_solution", "test", "entry_point"] as const

export const humanEval: ImportFormat = {
  id: "humaneval",
  title: "HumanEval (JSON Lines)",
  licence: "MIT",
  parameters: { scorer: "judge" },
  notes: [
    "the original score runs Python tests; custom data runs no code: a judge model compares with the original solution, so figures are not comparable with pass@k",
    "the tests are kept in the member test of each row"
  ],
  read: (text) =>
    eachRecord("jsonl", text, (record) => {
      const [id, prompt, solution, test, entryPoint] = MEMBERS.map((name) => textOf(record, name))
      if (
        id === undefined ||
        prompt === undefined ||
        solution === undefined ||
        test === undefined ||
        entryPoint === undefined
      ) {
        return Either.left(`needs the texts ${MEMBERS.map((name) => JSON.stringify(name)).join(", ")}`)
      }
      const asked = `Complete this Python function. Answer with the whole function in one code block.\n\n${prompt}`
      return Either.right({ id, prompt: asked, answer: `${prompt}${solution}`, test, entry_point: entryPoint })
    })
}
