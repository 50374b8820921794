/** What adapters say to a model and hear from it: requests, answers, what an endpoint can do. Only types; `model-client.ts` carries it. */
import type { Effect } from "effect"
import type { AdapterError } from "../adapter.ts"

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** raw JSON text as the model wrote it */
  readonly arguments: string
}

export interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool"
  readonly content: string
  readonly toolCalls?: ReadonlyArray<ToolCall>
  readonly toolCallId?: string
}

export interface ToolDefinition {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments */
  readonly parameters: { readonly [key: string]: unknown }
}

export interface GenerationRequest {
  readonly messages: ReadonlyArray<ChatMessage>
  readonly maxTokens: number
  readonly temperature: number
  readonly seed?: number
  readonly stop?: ReadonlyArray<string>
  readonly tools?: ReadonlyArray<ToolDefinition>
  /** number of top log-probabilities asked for the generated tokens */
  readonly topLogprobs?: number
  /** extra members of the request body, given by `model.parameters` or the benchmark; they win over the members above */
  readonly extra?: { readonly [key: string]: unknown }
  /** tries beyond the first; the client's own limit when absent. 0 for measurements, where a retry would hide an error. */
  readonly retries?: number
  /** called for each piece of a streamed answer that holds content or reasoning, when it arrives; also for tries that fail later */
  readonly onContent?: (atMs: number) => void
}

export interface TokenUsage {
  readonly prompt: number
  readonly completion: number
  /** those of `completion` that were thought and may not be part of the answer, when the endpoint says so */
  readonly reasoning?: number
  /** those of `prompt` that the endpoint had in a cache, when it says so */
  readonly cached?: number
  /** counted by us because the endpoint did not report usage */
  readonly estimated: boolean
}

export interface Answer {
  /** answer text without reasoning; `<think>` parts are moved to `reasoning` */
  readonly text: string
  readonly reasoning?: string
  readonly toolCalls: ReadonlyArray<ToolCall>
  /** as the endpoint says; `content_filter` also when a filter refused the request, `error` when an error came with status 200 */
  readonly finishReason?: string
  /** what the endpoint said instead of an answer */
  readonly problem?: string
  /** the first answer was cut off before it said anything: this one had more room */
  readonly askedAgain?: boolean
  readonly requestId?: string
  readonly tokens: TokenUsage
  readonly latencyMs: number
  /** tries before this answer: 0 when the first one succeeded */
  readonly retries: number
  /** as the endpoint names itself */
  readonly servedModel?: string
  readonly systemFingerprint?: string
  /** settings of the request as it was really sent, without what was asked and of whom */
  readonly parameters?: { readonly [name: string]: unknown }
  /** per generated token, when asked for */
  readonly logprobs?: ReadonlyArray<{
    readonly token: string
    readonly logprob: number
    readonly top: ReadonlyArray<{ readonly token: string; readonly logprob: number }>
  }>
}

/** times in milliseconds on a monotonic clock shared by all answers of a process */
export interface StreamedAnswer extends Answer {
  readonly startedAtMs: number
  /** first chunk with non-empty content or reasoning; absent when none came */
  readonly firstContentAtMs?: number
  readonly lastContentAtMs?: number
  readonly endedAtMs: number
  /** content chunks seen */
  readonly chunks: number
}

/** prompt log-probabilities from the completions endpoint with `echo` */
export interface EchoedPrompt {
  readonly tokens: ReadonlyArray<string>
  /** null for the first token */
  readonly logprobs: ReadonlyArray<number | null>
  /** character offset of each token */
  readonly offsets: ReadonlyArray<number>
}

export interface EndpointCapabilities {
  readonly chat: boolean
  readonly completions: boolean
  readonly echo: boolean
  readonly logprobs: boolean
  readonly stream: boolean
  readonly usage: boolean
  readonly tools: boolean
  /** the model says it is the demo model (`owned_by: evald-demo`) */
  readonly demo: boolean
}

/** every failure is an `AdapterError` with a code of errors.md, "Adapter codes" (`model_endpoint_unreachable`, `model_authentication_failed`, …) after retries */
export interface ModelClient {
  readonly chat: (request: GenerationRequest) => Effect.Effect<Answer, AdapterError>
  readonly chatStream: (request: GenerationRequest) => Effect.Effect<StreamedAnswer, AdapterError>
  /** plain completion of a prompt text, for endpoints without chat */
  readonly complete: (
    request: Omit<GenerationRequest, "messages" | "tools"> & { readonly prompt: string }
  ) => Effect.Effect<Answer, AdapterError>
  /** log-probabilities of the given text */
  readonly echo: (text: string) => Effect.Effect<EchoedPrompt, AdapterError>
  /** parameters that the endpoint refused so far and what it is sent instead, in words: "no temperature" */
  readonly adaptations: Effect.Effect<ReadonlyArray<string>>
  /** asked once per job, then remembered; fails only when the endpoint cannot be used at all (unreachable, wrong key, unknown model) */
  readonly capabilities: Effect.Effect<EndpointCapabilities, AdapterError>
}
