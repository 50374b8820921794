/** Samples of a log as per-sample records. Reference: adapter-contract.md, "Sample records". */

import { createHash } from "node:crypto"
import { defined } from "../../values/defined.ts"
import { isObject, listMember, member, numberMember, textMember } from "../../values/json.ts"
import type { SampleRecord } from "../contract/sample-record.ts"
import { silence } from "../sdk/framework/no-answer.ts"
import { promptMembers, verdictOfScore } from "../sdk/framework/sample-files.ts"

/** correct, partially correct, incorrect, no answer */
const letters: { readonly [letter: string]: number } = { C: 1, P: 0.5, I: 0, N: 0 }

const numberOf = (value: unknown): number | undefined => {
  if (typeof value === "number" && Number.isFinite(value)) return value
  if (typeof value === "boolean") return value ? 1 : 0
  return typeof value === "string" ? letters[value] : undefined
}

/** several values of one scorer are `<scorer>/<name>` */
const scoresOf = (sample: unknown): { readonly [metric: string]: number } => {
  const scores = member(sample, "scores")
  const entries = Object.entries(isObject(scores) ? scores : {}).flatMap(
    ([scorer, score]): ReadonlyArray<readonly [string, unknown]> => {
      const value = member(score, "value")
      return isObject(value)
        ? Object.entries(value).map(([name, one]) => [`${scorer}/${name}`, one] as const)
        : [[scorer, value]]
    }
  )
  return Object.fromEntries(
    entries.flatMap(([name, value]) => {
      const found = numberOf(value)
      return found === undefined ? [] : [[name, found] as const]
    })
  )
}

/** messages and reasons may be texts or lists of parts */
const textOf = (content: unknown): string | undefined => {
  if (typeof content === "string") return content
  const parts = Array.isArray(content) ? content.flatMap((part) => textMember(part, "text") ?? []) : []
  return parts.length === 0 ? undefined : parts.join("")
}

const promptOf = (sample: unknown): SampleRecord["prompt"] => {
  const input = member(sample, "input")
  return typeof input === "string" || Array.isArray(input) ? input : undefined
}

const referenceOf = (target: unknown): SampleRecord["reference"] =>
  typeof target === "string" || Array.isArray(target) ? target : undefined

const tokensOf = (sample: unknown): SampleRecord["tokens"] => {
  const usage = Object.values((isObject(member(sample, "model_usage")) ? member(sample, "model_usage") : {}) as object)
  const sum = (name: string) => usage.reduce((total: number, one: unknown) => total + (numberMember(one, name) ?? 0), 0)
  return usage.length === 0 ? undefined : { prompt: sum("input_tokens"), completion: sum("output_tokens") }
}

/** a model graded the answer: its explanation is what it replied */
const judgeMembers = (sample: unknown): Partial<SampleRecord> => {
  const scores = member(sample, "scores")
  const [name, score] = Object.entries(isObject(scores) ? scores : {})[0] ?? []
  const reply = textMember(score, "explanation")
  return name === undefined || reply === undefined || !/model_graded/.test(name)
    ? {}
    : { judge: { name, reply, rating: member(score, "value") }, reason: "judged" }
}

const reasonOf = (verdict: SampleRecord["verdict"]): string | undefined =>
  verdict === "error"
    ? "request_failed"
    : { correct: "answer_equal", incorrect: "answer_different", invalid: undefined, skipped: "measured" }[verdict]

/** settings of the model and who answered, as far as the log says it */
const requestMembers = (document: unknown, sample: unknown): Partial<SampleRecord> => {
  const parameters = member(member(document, "eval"), "model_generate_config")
  const output = member(sample, "output")
  const seed = numberMember(parameters, "seed")
  return {
    ...(isObject(parameters) && Object.keys(parameters).length > 0 ? { parameters } : {}),
    ...defined({
      seed: Number.isSafeInteger(seed) ? seed : undefined,
      served_model: textMember(output, "model"),
      request_id: textMember(output, "response_id")
    }),
    retries: listMember(sample, "error_retries").length
  }
}

/** that the model said nothing at all, not even by calling a tool; undefined without a reply */
const silenceOf = (choice: unknown): ReturnType<typeof silence> => {
  const message = member(choice, "message")
  return message === undefined || listMember(message, "tool_calls").length > 0
    ? undefined
    : silence(textOf(member(message, "content")) ?? "", textMember(choice, "stop_reason"))
}

/** one record for each sample and epoch; `code` names the code of a sample's error */
export function* sampleRecords(
  task: string,
  document: unknown,
  code: (message: string) => string
): Generator<SampleRecord> {
  const indexOf = new Map<string, number>()
  for (const sample of listMember(document, "samples")) {
    const id = String(member(sample, "id") ?? indexOf.size)
    const index = indexOf.get(id) ?? indexOf.size
    indexOf.set(id, index)
    const scores = scoresOf(sample)
    const error = textMember(member(sample, "error"), "message")
    const [prompt, reference, tokens] = [promptOf(sample), referenceOf(member(sample, "target")), tokensOf(sample)]
    const output = member(sample, "output")
    const choice = listMember(output, "choices")[0]
    const response = textOf(member(member(choice, "message"), "content"))
    const scorers = member(sample, "scores")
    const options = listMember(sample, "choices").filter((choice) => typeof choice === "string")
    const extracted = isObject(scorers) ? textMember(Object.values(scorers)[0], "answer") : undefined
    const seconds = numberMember(sample, "total_time")
    const finish = textMember(choice, "stop_reason")
    const verdict = error === undefined ? verdictOfScore(Object.values(scores)[0]) : "error"
    yield {
      v: 1,
      sample_id: `${task}:${id}`,
      ...{ task, index, repeat: Math.max(0, (numberMember(sample, "epoch") ?? 1) - 1) },
      ...promptMembers(prompt),
      ...defined({ response, reference, extracted, reason: reasonOf(verdict) }),
      ...(options.length === 0 ? {} : { choices: options }),
      ...(response === undefined || response === ""
        ? {}
        : { response_sha256: createHash("sha256").update(response).digest("hex") }),
      ...requestMembers(document, sample),
      ...judgeMembers(sample),
      verdict,
      ...(error === undefined ? silenceOf(choice) : undefined),
      ...(Object.keys(scores).length === 0 ? {} : { scores }),
      ...(seconds === undefined ? {} : { latency_ms: Math.round(seconds * 1000) }),
      ...defined({ tokens, finish_reason: finish, started_at: textMember(sample, "started_at") }),
      ...(error === undefined ? {} : { error: { code: code(error), message: error.slice(0, 2000) } })
    }
  }
}
