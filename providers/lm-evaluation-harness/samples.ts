/** Lines of `samples_*.jsonl` as per-sample records: one for a document, whatever the number of filters. Reference: adapter-contract.md, "Sample records". */

import { createHash } from "node:crypto"
import { defined } from "../../values/defined.ts"
import {
  isObject,
  type JsonObject,
  listMember,
  member,
  numberMember,
  parseJson,
  textMember
} from "../../values/json.ts"
import type { SampleRecord } from "../contract/sample-record.ts"
import { silence } from "../sdk/framework/no-answer.ts"
import { verdictOfScore } from "../sdk/framework/sample-files.ts"
import { likelihoodDigest, promptDigest } from "../sdk/prompt-digest.ts"

/** numbers of a line's metrics; some metrics keep more than a number for the aggregation */
const scoresOf = (line: unknown): { readonly [metric: string]: number } =>
  Object.fromEntries(
    listMember(line, "metrics").flatMap((name): ReadonlyArray<readonly [string, number]> => {
      const value = typeof name === "string" ? member(line, name) : undefined
      if (typeof name !== "string") return []
      return typeof value === "number" && Number.isFinite(value)
        ? [[name, value]]
        : typeof value === "boolean"
          ? [[name, value ? 1 : 0]]
          : []
    })
  )

/** a chat arrives as JSON text, a completion as it is */
const promptOf = (line: unknown): SampleRecord["prompt"] => {
  const first = member(member(member(line, "arguments"), "gen_args_0"), "arg_0")
  const text = Array.isArray(first) ? first[0] : first
  if (typeof text !== "string") return undefined
  const messages = text.startsWith("[{") ? parseJson(text) : undefined
  return Array.isArray(messages) ? messages : text
}

const firstText = (value: unknown): string | undefined => {
  const inner = Array.isArray(value) ? value[0] : value
  return typeof inner === "string" ? inner : undefined
}

const referenceOf = (target: unknown): SampleRecord["reference"] =>
  typeof target === "string" || typeof target === "number" || Array.isArray(target) || isObject(target)
    ? target
    : undefined

/** requests of a line in their order: context and continuation of a likelihood, context and settings of a generation */
const argumentsOf = (line: unknown): ReadonlyArray<readonly [first: unknown, second: unknown]> => {
  const all = member(line, "arguments")
  return isObject(all) ? Object.values(all).map((one) => [member(one, "arg_0"), member(one, "arg_1")] as const) : []
}

/** contexts and continuations of a line that asks for likelihoods; empty for any other */
const continuationsOf = (line: unknown): ReadonlyArray<readonly [context: string, continuation: string]> => {
  const pairs = argumentsOf(line).flatMap(([context, continuation]) =>
    typeof context === "string" && typeof continuation === "string" ? [[context, continuation] as const] : []
  )
  return pairs.length === argumentsOf(line).length ? pairs : []
}

/** the framework writes numbers of likelihoods as texts */
const likelihoodsOf = (line: unknown): ReadonlyArray<{ readonly logprob: number; readonly greedy?: boolean }> =>
  listMember(line, "resps").flatMap((answers) => {
    const [first] = Array.isArray(answers) ? answers : []
    const [logprob, greedy] = Array.isArray(first) ? first : [first]
    const value = typeof logprob === "number" ? logprob : typeof logprob === "string" ? Number(logprob) : Number.NaN
    if (!Number.isFinite(value)) return []
    return [{ logprob: value, ...defined({ greedy: greedy === undefined ? undefined : String(greedy) === "True" }) }]
  })

const likelihoodMembers = (line: unknown): Partial<SampleRecord> => {
  const pairs = continuationsOf(line)
  if (pairs.length === 0) return {}
  const values = likelihoodsOf(line)
  return {
    prompt_sha256: likelihoodDigest(pairs),
    choices: pairs.map(([, continuation]) => continuation),
    reason: "likelihood",
    ...(values.length === pairs.length ? { logprobs: { continuations: values } } : {})
  }
}

/** settings of a generation; nothing else of them is a setting than an object */
const generationMembers = (line: unknown, prompt: SampleRecord["prompt"]): Partial<SampleRecord> => {
  const settings = argumentsOf(line)[0]?.[1]
  const response = firstText(listMember(line, "resps")[0])
  return {
    ...(typeof prompt === "string" ? { prompt_sha256: promptDigest({ prompt }) } : {}),
    ...(Array.isArray(prompt) ? { prompt_sha256: promptDigest({ messages: prompt }) } : {}),
    ...(isObject(settings) ? { parameters: settings } : {}),
    ...(response === undefined || response === ""
      ? {}
      : { response_sha256: createHash("sha256").update(response).digest("hex") })
  }
}

/**
 * Document → its place in the order in which the framework asks: chats in that of the set, plain prompts by their length, the longest first.
 * Times of single questions are in none of its files.
 */
const positionsOf = (lengths: ReadonlyMap<number, number>): ReadonlyMap<number, number> => {
  const asked = [...lengths].sort(([one, a], [other, b]) => b - a || one - other)
  return new Map(asked.map(([index], position) => [index, position]))
}

/** of what the framework sorts by: characters of a prompt, the same for every chat */
const askedLength = (line: unknown): number => {
  const [context] = argumentsOf(line)[0] ?? []
  return typeof context === "string" ? [...context].length : 0
}

/** an answer that is a list of parts: the framework takes it for no text, and scores it as wrong */
const isInParts = (line: unknown): boolean => {
  const answers = listMember(line, "resps")[0]
  return Array.isArray(answers) && Array.isArray(answers[0]) && continuationsOf(line).length === 0
}

interface Judged {
  readonly scores: SampleRecord["scores"]
  readonly metric: string | undefined
  readonly position: number | undefined
}

/** 1 is right; what is no share of one sample (a likelihood for a corpus) is not judged */
const record = (task: string, index: number, line: JsonObject, { scores, metric, position }: Judged): SampleRecord => {
  const own = scoresOf(line)
  const prompt = promptOf(line)
  const response = firstText(listMember(line, "resps")[0])
  const extracted = firstText(member(line, "filtered_resps"))
  const reference = referenceOf(member(line, "target"))
  const judged = own[metric ?? ""] ?? Object.values(own)[0]
  const verdict = verdictOfScore(judged)
  const reason = { correct: "answer_equal", incorrect: "answer_different", skipped: "measured" }[verdict as string]
  return {
    v: 1,
    sample_id: `${task}:${index}`,
    ...{ task, index, repeat: 0 },
    ...defined({ prompt, response, reference, extracted, reason }),
    ...(continuationsOf(line).length === 0 ? generationMembers(line, prompt) : likelihoodMembers(line)),
    verdict,
    ...(isInParts(line) ? ({ verdict: "invalid", reason: "no_answer_error_body" } as const) : silence(response)),
    ...(position === undefined ? {} : { timing: { position } }),
    ...defined({ scores })
  }
}

/**
 * One record for each document: `filter` gives its answer and verdict, the scores of other filters are kept as `metric,filter`. `lines` is
 * called twice, because all lines of one filter come before the next one's. `metric`: the one that judges.
 */
export function* sampleRecords(
  task: string,
  lines: () => Iterable<unknown>,
  filter: string,
  metric: string | undefined
): Generator<SampleRecord> {
  const others = new Map<number, { readonly [metric: string]: number }>()
  const lengths = new Map<number, number>()
  for (const line of lines()) {
    const index = numberMember(line, "doc_id")
    const name = textMember(line, "filter")
    if (index === undefined) continue
    if (continuationsOf(line).length === 0) lengths.set(index, askedLength(line))
    if (name === undefined || name === filter) continue
    const named = Object.fromEntries(Object.entries(scoresOf(line)).map(([key, value]) => [`${key},${name}`, value]))
    others.set(index, { ...others.get(index), ...named })
  }
  const positions = positionsOf(lengths)
  for (const line of lines()) {
    const index = numberMember(line, "doc_id")
    if (!isObject(line) || index === undefined || (textMember(line, "filter") ?? "none") !== filter) continue
    const scores = { ...scoresOf(line), ...others.get(index) }
    yield record(task, index, line, { scores, metric, position: positions.get(index) })
  }
}
