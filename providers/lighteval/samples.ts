/** Details of items as per-sample records: one for an item, whatever the number of its answers. Reference: adapter-contract.md, "Sample records". */

import { createHash } from "node:crypto"
import { defined } from "../../values/defined.ts"
import { isObject, listMember, member, textMember } from "../../values/json.ts"
import type { SampleRecord } from "../contract/sample-record.ts"
import { silence } from "../sdk/framework/no-answer.ts"
import { promptMembers, verdictOfScore } from "../sdk/framework/sample-files.ts"
import { metricName } from "./parse.ts"

const scoresOf = (line: unknown): { readonly [metric: string]: number } => {
  const metrics = member(line, "metric")
  return Object.fromEntries(
    Object.entries(isObject(metrics) ? metrics : {}).flatMap(([name, value]) =>
      typeof value === "number"
        ? [[metricName(name), value]]
        : typeof value === "boolean"
          ? [[name, value ? 1 : 0]]
          : []
    )
  )
}

/** what was sent; a framework that does not keep it has the question */
const promptOf = (line: unknown): SampleRecord["prompt"] => {
  const input = member(member(line, "model_response"), "input")
  return typeof input === "string" || Array.isArray(input) ? input : textMember(member(line, "doc"), "query")
}

const textsOf = (value: unknown, name: string): ReadonlyArray<string> =>
  listMember(value, name).filter((one) => typeof one === "string")

/** right answers by their place; options only where some of them are wrong */
const answersOf = (line: unknown): Pick<SampleRecord, "reference" | "choices"> => {
  const doc = member(line, "doc")
  const options = textsOf(doc, "choices")
  const gold = member(doc, "gold_index")
  const right = (Array.isArray(gold) ? gold : [gold]).flatMap((at) =>
    typeof at === "number" ? (options[at] ?? []) : []
  )
  const [only, ...others] = right
  return {
    ...defined({ reference: others.length === 0 ? only : right }),
    ...(options.length > 1 && new Set(right).size < new Set(options).size ? { choices: [...options] } : {})
  }
}

const likelihoodMembers = (line: unknown, choices: SampleRecord["choices"]): Partial<SampleRecord> => {
  const values = listMember(member(line, "model_response"), "logprobs").filter((one) => typeof one === "number")
  return choices === undefined || values.length !== choices.length
    ? {}
    : { reason: "likelihood", logprobs: { continuations: values.map((logprob) => ({ logprob })) } }
}

/** 1 is right; what is no share of one item is not judged */
/** `metric`: the one that judges, the item's first one when it has no such */
export function* itemRecords(
  task: string,
  lines: Iterable<unknown>,
  metric: string | undefined
): Generator<SampleRecord> {
  let index = 0
  for (const line of lines) {
    const said = member(line, "model_response")
    const responses = textsOf(said, "text")
    const [response, ...others] = responses
    const scores = scoresOf(line)
    const verdict = verdictOfScore(scores[metric ?? ""] ?? Object.values(scores)[0])
    const answers = answersOf(line)
    yield {
      v: 1,
      sample_id: `${task}:${index}`,
      ...{ task, index, repeat: 0 },
      ...promptMembers(promptOf(line)),
      ...answers,
      ...defined({ response, reasoning: textsOf(said, "reasonings")[0] }),
      ...(others.length === 0 ? {} : { turns: responses }),
      ...(response === undefined || response === ""
        ? {}
        : { response_sha256: createHash("sha256").update(response).digest("hex") }),
      verdict,
      ...defined({
        reason: { correct: "answer_equal", incorrect: "answer_different", skipped: "measured" }[verdict as string]
      }),
      ...(response === undefined ? likelihoodMembers(line, answers.choices) : {}),
      ...silence(response),
      ...(Object.keys(scores).length === 0 ? {} : { scores })
    }
    index++
  }
}
