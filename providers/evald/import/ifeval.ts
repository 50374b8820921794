/**
 * IFEval: JSON Lines of {key, prompt, instruction_id_list, kwargs}. The instructions of a prompt become one regular expression that its reply
 * must match, each a condition of its own; a prompt with an instruction that no expression can check is left out and named.
 */
import { Either } from "effect"
import { isObject } from "../../../values/json.ts"
import { ifevalCondition } from "./ifeval-conditions.ts"
import { eachRecord, type ImportFormat, textOf } from "./import-format.ts"

export const ifEval: ImportFormat = {
  id: "ifeval",
  title: "IFEval (JSON Lines)",
  licence: "Apache-2.0",
  parameters: { scorer: "regex_match" },
  notes: [
    "the score is the share of replies that follow every instruction of their prompt, over the prompts that could be imported",
    "the instructions on upper and lower case do not ask for English here"
  ],
  read: (text, name) =>
    eachRecord("jsonl", text, (record, index) => {
      const { instruction_id_list: ids, kwargs } = record.fields
      const prompt = textOf(record, "prompt")
      if (
        prompt === undefined ||
        !Array.isArray(ids) ||
        ids.length === 0 ||
        !Array.isArray(kwargs) ||
        kwargs.length !== ids.length
      ) {
        return Either.left('needs the text "prompt" and the lists "instruction_id_list" and "kwargs" of one length')
      }
      const conditions: Array<string> = []
      for (const [place, id] of ids.entries()) {
        const given: unknown = kwargs[place]
        const condition = typeof id === "string" && isObject(given) ? ifevalCondition(id, given) : undefined
        if (condition === undefined)
          return Either.right({
            row: `line ${record.line}`,
            reason: `${String(id)} cannot be checked by a regular expression`
          })
        conditions.push(condition)
      }
      const key = record.fields["key"]
      const id = typeof key === "number" || typeof key === "string" ? String(key) : `${name}-${index}`
      return Either.right({ id, prompt, answer: `^${conditions.join("")}[^]*$`, instructions: ids })
    })
}
