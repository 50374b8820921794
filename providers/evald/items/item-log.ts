/** Items as per-sample records: written when they end, found again by an interrupted run. Reference: adapter-contract.md, "Sample records". */
import { createHash } from "node:crypto"
import { Effect, type Option, type Scope } from "effect"
import { defined } from "../../../values/defined.ts"
import { digestOf } from "../../../values/digest.ts"
import type { JobSpec } from "../../contract/job-spec.ts"
import type { SampleRecord } from "../../contract/sample-record.ts"
import type { AdapterError } from "../../sdk/adapter.ts"
import type { Answer, ChatMessage } from "../../sdk/model/model-exchange.ts"
import { openSamples, type SampleSummary } from "../../sdk/samples.ts"
import type { AskedItem, Item, ScoredItem } from "../benchmark.ts"
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

/** every message that is sent by us for an item, follow-ups included */
const promptOf = (item: Item, systemPrompt: string | undefined): ReadonlyArray<ChatMessage> => [
  ...withSystemPrompt(item.messages, systemPrompt),
  ...(item.followUps ?? [])
]

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

/** what letters are read from where no answer is generated: the first token's alternatives */
const firstToken = ({ logprobs }: Answer): Pick<SampleRecord, "logprobs"> => {
  const [first] = logprobs ?? []
  if (first === undefined || first.top.length === 0) return {}
  return { logprobs: { first_token: Object.fromEntries(first.top.map(({ token, logprob }) => [token, logprob])) } }
}

/** of the metric that decides, where the item contributes to it by itself */
const primaryScore = ({ outcome }: ScoredItem, job: JobSpec): Pick<SampleRecord, "score"> => {
  const name = job.primary_score?.metric
  const score = outcome._tag === "Scored" && name !== undefined ? outcome.verdict.scores[name] : undefined
  return score === undefined ? {} : { score }
}

const outcomeMembers = ({ outcome }: ScoredItem): Partial<SampleRecord> & Pick<SampleRecord, "verdict"> => {
  if (outcome._tag === "Failed")
    return { verdict: "error", error: { code: outcome.error.code, message: outcome.error.message } }
  const { answer, verdict } = outcome
  return {
    response: responseOf(answer),
    ...defined({ reasoning: answer.reasoning, extracted: verdict.extracted }),
    verdict: verdict.verdict,
    ...defined({ reason: verdict.reason }),
    ...(answer.problem === undefined
      ? {}
      : { error: { code: PROBLEMS[verdict.noAnswer ?? ""] ?? "model_server_error", message: answer.problem } }),
    scores: verdict.scores,
    ...(answer.text === "" ? {} : { response_sha256: createHash("sha256").update(answer.text).digest("hex") }),
    ...(answer.retries === 0 ? {} : { retries: answer.retries }),
    ...firstToken(answer),
    latency_ms: answer.latencyMs,
    tokens: answer.tokens,
    ...defined({ finish_reason: answer.finishReason, request_id: answer.requestId })
  }
}

/** opens or continues the records of the job's benchmark below its result folder */
export const openItemLog = (
  job: JobSpec,
  outputDir: string,
  systemPrompt: string | undefined
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
          return record === undefined || record.prompt_sha256 !== digestOf(promptOf(item, systemPrompt))
            ? undefined
            : restore(record)
        },
        write: (index, scored, startedAt) => {
          const prompt = promptOf(scored.item, systemPrompt)
          const reference = referenceOf(scored.item.reference)
          return samples.write({
            v: 1,
            sample_id: scored.item.id,
            task: job.benchmark_id,
            index,
            repeat: 0,
            prompt_sha256: digestOf(prompt),
            prompt,
            ...defined({ reference, choices: scored.item.choices }),
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
