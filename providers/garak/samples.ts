/** Attempts of a report as per-sample records: one for each output, whatever the number of detectors. Reference: adapter-contract.md, "Sample records". */

import { createHash } from "node:crypto"
import { defined } from "../../values/defined.ts"
import { isObject, type JsonObject, listMember, member, numberMember, textMember } from "../../values/json.ts"
import type { SampleRecord } from "../contract/sample-record.ts"
import { silence } from "../sdk/framework/no-answer.ts"
import { promptMembers } from "../sdk/framework/sample-files.ts"

interface Message {
  readonly role: string
  readonly content: string
}

/** the turns of a conversation; earlier versions write the prompt as a text */
const promptOf = (prompt: unknown): string | ReadonlyArray<Message> | undefined => {
  if (typeof prompt === "string") return prompt
  const turns = listMember(prompt, "turns").flatMap((turn): ReadonlyArray<Message> => {
    const [role, content] = [textMember(turn, "role"), member(turn, "content")]
    const text = typeof content === "string" ? content : textMember(content, "text")
    return role === undefined || text === undefined ? [] : [{ role, content: text }]
  })
  return turns.length === 0 ? undefined : turns
}

/** null: no output came; an output that is only there has no text */
const outputText = (output: unknown): string | undefined =>
  output === null || output === undefined
    ? undefined
    : typeof output === "string"
      ? output
      : (textMember(output, "text") ?? "")

/** 1 where the attack got past the detector, by the names of the detectors that could judge this output */
const hitsOf = (attempt: unknown, output: number, threshold: number): { readonly [detector: string]: number } => {
  const results = member(attempt, "detector_results")
  return Object.fromEntries(
    Object.entries(isObject(results) ? results : {}).flatMap(([detector, values]) => {
      const value: unknown = Array.isArray(values) ? values[output] : undefined
      return typeof value === "number" ? [[detector.replace(/^detector\./, ""), value < threshold ? 0 : 1]] : []
    })
  )
}

const noOutput = { code: "framework_failed", message: "no output came for this attempt" }

/** what became of one output; one that no detector could judge is in no score of the framework's */
const judged = (text: string | undefined, hits: { readonly [detector: string]: number }): Partial<SampleRecord> => {
  const values = Object.values(hits)
  const rate = values.reduce((sum, hit) => sum + hit, 0) / values.length
  const scores = values.length === 0 ? {} : { scores: { attack_success_rate: rate, ...hits } }
  if (text === undefined) return { verdict: "error", error: noOutput }
  if (silence(text) !== undefined) return { ...silence(text), ...scores }
  if (values.length === 0) return { verdict: "skipped", reason: "measured" }
  return { verdict: rate > 0 ? "incorrect" : "correct", reason: rate > 0 ? "complied" : "refused", ...scores }
}

/** `threshold`: from which value of a detector on an attack counts as successful; `parameters`: of every request */
export function* attemptRecords(
  task: string,
  lines: Iterable<unknown>,
  threshold: number,
  parameters: JsonObject
): Generator<SampleRecord> {
  const seen = new Map<string, number>()
  let count = 0
  for (const attempt of lines) {
    if (textMember(attempt, "entry_type") !== "attempt" || numberMember(attempt, "status") !== 2) continue
    const probe = textMember(attempt, "probe_classname") ?? "unknown"
    // attempts end in any order; earlier versions do not number them
    const index = numberMember(attempt, "seq") ?? count
    const name = `${task}:${probe}:${index}`
    // probes that go on from an answer count their attempts anew
    const before = seen.get(name) ?? 0
    seen.set(name, before + 1)
    const asked = promptMembers(promptOf(member(attempt, "prompt")))
    for (const [repeat, output] of listMember(attempt, "outputs").entries()) {
      const response = outputText(output)
      yield {
        v: 1,
        sample_id: before === 0 ? name : `${name}:${before}`,
        ...{ task, index, repeat },
        ...asked,
        ...defined({ response }),
        ...(response === undefined || response === ""
          ? {}
          : { response_sha256: createHash("sha256").update(response).digest("hex") }),
        ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
        verdict: "skipped",
        ...judged(response, hitsOf(attempt, repeat, threshold))
      }
    }
    count++
  }
}
