/** Items as per-sample records: written when they end, found again by an interrupted run. Reference: adapter-contract.md, "Sample records". */
import { createHash } from "node:crypto"
import { Effect, type Option, type Scope } from "effect"
import { defined } from "../../../values/defined.ts"
import type { JobSpec } from "../../contract/job-spec.ts"
import type { SampleRecord } from "../../contract/sample-record.ts"
import type { AdapterError } from "../../sdk/adapter.ts"
import type { Answer, ChatMessage } from "../../sdk/model/model-exchange.ts"
import { wireMessage } from "../../sdk/model/model-wire.ts"
import { chatDigest, likelihoodDigest } from "../../sdk/prompt-digest.ts"
import { openSamples, type SampleSummary } from "../../sdk/samples.ts"
import type { AskedItem, Item, ItemVerdict, ScoredItem } from "../benchmark.ts"
import { isUnrated } from "../judge/judge.ts"
import type { Parameters } from "../parameters.ts"
import { withSystemPrompt } from "../route.ts"
import { restore } from "./restore-item.ts"

export interface ItemLog {
  /** what an earlier run of the same unit got for exactly this question; errors are not kept, they are asked again */
  readonly finished: (item: Item) => AskedItem | undefined
  /** `startedAt`: RFC 3339 */
  readonly write: (index: number, scored: ScoredItem, startedAt: string) => Effect.Effect<void, AdapterError>
  /** none when samples are not written */
  readonly summary: Effect.Effect<Option.Option<SampleSummary>, AdapterError>
}

/** settings of the job that are part of every question */
export type QuestionSettings = Pick<Parameters, "systemPrompt" | "extraBody">

/** every message that is sent by us for an item, follow-ups included */
const promptOf = (item: Item, systemPrompt: string | undefined): ReadonlyArray<ChatMessage> => [
  ...withSystemPrompt(item.messages, systemPrompt),
  ...(item.followUps ?? [])
]

/** nothing of the model and of how it is sampled */
const promptDigestOf = (item: Item, { systemPrompt, extraBody }: QuestionSettings): string =>
  item.continuations === undefined
    ? chatDigest(promptOf(item, systemPrompt), item.tools, extraBody["response_format"])
    : likelihoodDigest(item.continuations)

const referenceOf = (reference: unknown): SampleRecord["reference"] =>
  typeof reference === "string" || typeof reference === "number" || Array.isArray(reference)
    ? reference
    : typeof reference === "object" && reference !== null
      ? { ...reference }
      : reference === undefined
        ? undefined
        : String(reference)

const responseOf = ({ text, toolCalls }: Answer): string =>
  toolCalls.length === 0
    ? text
    : JSON.stringify({
        ...(text === "" ? {} : { content: text }),
        tool_calls: toolCalls.map(({ name, arguments: given }) => ({ name, arguments: given }))
      })

/** what the endpoint said instead of an answer, by the way in which there is none */
const PROBLEMS: { readonly [kind: string]: string } = {
  filtered: "model_content_filtered",
  truncated: "invalid_parameter"
}

/** what letters are read from where no answer is generated: the alternatives of the first token that is more than a blank */
const firstToken = ({ logprobs }: Answer) => {
  const first = logprobs?.find(({ token }) => token.trim() !== "") ?? logprobs?.[0]
  if (first === undefined || first.top.length === 0) return {}
  return { first_token: Object.fromEntries(first.top.map(({ token, logprob }) => [token, logprob])) }
}

/** why the verdict is what it is; a plain comparison says so too */
const reasonOf = ({ verdict, reason, noAnswer }: ItemVerdict): string | undefined => {
  if (reason === "no_answer" && noAnswer !== undefined) return `no_answer_${noAnswer}`
  if (reason !== undefined) return reason
  if (verdict === "skipped") return undefined
  return { correct: "answer_equal", incorrect: "answer_different", invalid: "answer_malformed" }[verdict]
}

/** what the verdict rests on, as far as there is something beside the texts */
const basisMembers = (answer: Answer, { basis }: ItemVerdict): Partial<SampleRecord> => {
  const logprobs = { ...basis?.logprobs, ...firstToken(answer) }
  return {
    ...defined({ rules: basis?.rules, judge: basis?.judge, role_requests: basis?.roleRequests }),
    ...(Object.keys(logprobs).length === 0 ? {} : { logprobs })
  }
}

/** of the metric that decides, where the item contributes to it by itself */
const primaryScore = ({ outcome }: ScoredItem, job: JobSpec): Pick<SampleRecord, "score"> => {
  const name = job.primary_score?.metric
  const score = outcome._tag === "Scored" && name !== undefined ? outcome.verdict.scores[name] : undefined
  return score === undefined ? {} : { score }
}

const outcomeMembers = ({ outcome }: ScoredItem): Partial<SampleRecord> & Pick<SampleRecord, "verdict"> => {
  if (outcome._tag === "Failed")
    return {
      verdict: "error",
      ...(isUnrated(outcome.error)
        ? { reason: "judge_unparsed" }
        : outcome.error.code.startsWith("model_")
          ? { reason: "request_failed" }
          : {}),
      error: { code: outcome.error.code, message: outcome.error.message }
    }
  const { answer, verdict } = outcome
  return {
    response: responseOf(answer),
    ...defined({ reasoning: answer.reasoning, extracted: verdict.extracted }),
    verdict: verdict.verdict,
    ...defined({ reason: reasonOf(verdict) }),
    ...(answer.problem === undefined
      ? {}
      : { error: { code: PROBLEMS[verdict.noAnswer ?? ""] ?? "model_server_error", message: answer.problem } }),
    scores: verdict.scores,
    ...(answer.text === "" ? {} : { response_sha256: createHash("sha256").update(answer.text).digest("hex") }),
    ...(answer.askedAgain === true ? { flags: ["asked_again"] } : {}),
    retries: answer.retries,
    ...defined({
      parameters: answer.parameters,
      served_model: answer.servedModel,
      system_fingerprint: answer.systemFingerprint
    }),
    ...basisMembers(answer, verdict),
    latency_ms: answer.latencyMs,
    tokens: answer.tokens,
    ...defined({ finish_reason: answer.finishReason, request_id: answer.requestId })
  }
}

/** opens or continues the records of the job's benchmark below its result folder */
export const openItemLog = (
  job: JobSpec,
  outputDir: string,
  settings: QuestionSettings
): Effect.Effect<ItemLog, AdapterError, Scope.Scope> =>
  openSamples({
    outputDir,
    task: job.benchmark_id,
    write: job.samples?.write ?? true,
    includeText: job.samples?.include_text ?? true
  }).pipe(
    Effect.map(
      (samples): ItemLog => ({
        finished: (item) => {
          const record = samples.finished(item.id, 0)
          return record === undefined || record.prompt_sha256 !== promptDigestOf(item, settings)
            ? undefined
            : restore(record)
        },
        write: (index, scored, startedAt) => {
          const prompt = promptOf(scored.item, settings.systemPrompt).map(wireMessage)
          const reference = referenceOf(scored.item.reference)
          return samples.write({
            v: 1,
            sample_id: scored.item.id,
            task: job.benchmark_id,
            index,
            repeat: 0,
            prompt_sha256: promptDigestOf(scored.item, settings),
            prompt,
            ...defined({ reference, choices: scored.item.choices, cluster: scored.item.cluster }),
            started_at: startedAt,
            ...defined({ seed: job.seed }),
            ...primaryScore(scored, job),
            ...outcomeMembers(scored)
          })
        },
        summary: samples.summary
      })
    )
  )
