/** BIG-Bench Hard: one JSON object a task with `examples: [{input, target}]`. */
import { Either } from "effect"
import { readJson } from "../../../values/json-text/read-json.ts"
import type { ImportedRow, ImportFormat } from "./import-format.ts"

const examplesOf = (text: string): Either.Either<ReadonlyArray<unknown>, string> => {
  const parsed = Either.mapLeft(readJson(text.replace(/^\uFEFF/, "")), (reason) => `the file is not JSON: ${reason}`)
  return Either.flatMap(parsed, (task) => {
    const examples = typeof task === "object" && task !== null && "examples" in task ? task.examples : undefined
    return Array.isArray(examples) ? Either.right(examples) : Either.left('the file has no list "examples"')
  })
}

/** `(B)` is also right as `B` */
const answers = (target: string): string | ReadonlyArray<string> => {
  const letter = /^\(([A-Z])\)$/.exec(target)?.[1]
  return letter === undefined ? target : [target, letter]
}

export const bigBenchHard: ImportFormat = {
  id: "bbh",
  title: "BIG-Bench Hard (JSON of one task)",
  licence: "MIT",
  parameters: { scorer: "exact_match_flexible" },
  notes: ["the chain-of-thought prompts of the original are not part of these files; set num_few_shot for examples"],
  read: (text, name) =>
    Either.flatMap(examplesOf(text), (examples) => {
      const rows: Array<ImportedRow> = []
      for (const [index, example] of examples.entries()) {
        const { input, target } =
          typeof example === "object" && example !== null ? (example as { input?: unknown; target?: unknown }) : {}
        if (typeof input !== "string" || typeof target !== "string" || input.trim() === "" || target.trim() === "") {
          return Either.left(`example ${index} needs the texts "input" and "target"`)
        }
        rows.push({ id: `${name}-${index}`, question: input, answer: answers(target.trim()) })
      }
      return Either.right({ rows, leftOut: [] })
    })
}
