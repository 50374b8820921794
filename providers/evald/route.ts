/** Which model route answers an item, and what a request looks like there. Reference: providers-and-collections.md, "Honesty rules". */
import { Effect } from "effect"
import { defined } from "../../values/defined.ts"
import type { AdapterError } from "../sdk/adapter.ts"
import { notSupported } from "../sdk/failures.ts"
import { exceedsLimit } from "../sdk/model/endpoint-error.ts"
import type {
  Answer,
  ChatMessage,
  EndpointCapabilities,
  GenerationRequest,
  ModelClient
} from "../sdk/model/model-exchange.ts"
import type { Capability, EmbeddedBenchmark } from "./benchmark.ts"
import { combineAnswers } from "./items/combine-answers.ts"
import { isSilent, wasCut } from "./no-answer.ts"
import type { Parameters } from "./parameters.ts"

export type Route = "chat" | "completions"

const WHAT: { readonly [capability in Capability]: string } = {
  chat: "a chat completions route",
  completions: "a completions route",
  echo: "a completions route with `echo` and `logprobs`",
  logprobs: "log-probabilities of the generated tokens",
  stream: "streamed chat answers",
  tools: "tool calls",
  generate: "a chat or completions route"
}

const offers = (capabilities: EndpointCapabilities, capability: Capability): boolean =>
  capability === "generate" ? capabilities.chat || capabilities.completions : capabilities[capability]

/** the route of the job, or `benchmark_not_supported` naming what the endpoint lacks; decided before any item is sent */
export const chooseRoute = (
  benchmark: EmbeddedBenchmark,
  capabilities: EndpointCapabilities,
  parameters: Parameters
): Effect.Effect<Route, AdapterError> => {
  const needs = [
    ...benchmark.needs,
    ...(benchmark.kind === "items" ? (benchmark.needsFor?.(parameters.values) ?? []) : [])
  ]
  const missing = needs.filter((capability) => !offers(capabilities, capability))
  if (missing.length > 0) {
    return notSupported(
      `benchmark ${benchmark.id} needs ${missing.map((one) => WHAT[one]).join(" and ")}, which the model endpoint does not offer`
    )
  }
  const wanted = parameters.endpoint
  if (wanted !== "auto" && !capabilities[wanted]) {
    return notSupported(
      `parameter endpoint asks for ${WHAT[wanted]}, which the model endpoint does not offer; use endpoint: auto`
    )
  }
  if (
    wanted === "completions" &&
    needs.some((capability) => capability === "chat" || capability === "tools" || capability === "stream")
  ) {
    return notSupported(
      `benchmark ${benchmark.id} is a conversation and needs the chat route; remove endpoint: completions`
    )
  }
  return Effect.succeed(wanted === "auto" ? (capabilities.chat ? "chat" : "completions") : wanted)
}

const SPEAKER: { readonly [role: string]: string } = {
  system: "System",
  user: "User",
  assistant: "Assistant",
  tool: "Tool"
}

/** a conversation as plain text for endpoints without chat; ends where the model has to continue */
const transcript = (messages: ReadonlyArray<ChatMessage>): string =>
  `${messages.map(({ role, content }) => `${SPEAKER[role]}: ${content}`).join("\n\n")}\n\nAssistant:`

/** stops before the model plays the next user turn by itself */
const TRANSCRIPT_STOP = ["\n\nUser:", "\n\nSystem:"]

export interface GenerateOptions {
  readonly maxTokens: number
  readonly topLogprobs?: number
  /** the seed of the job unless an item takes several samples */
  readonly seed?: number
  readonly tools?: GenerationRequest["tools"]
  /** whether a reply that was cut off holds its answer all the same; without: whether it says anything */
  readonly isComplete?: (answer: Answer) => boolean
}

/** a reply that was cut off before its answer is asked for once more with four times the room, within these bounds */
const MORE_ROOM = 4
const LEAST_ROOM = 2048
const MOST_ROOM = 16_384
/** smaller limits are meant: a letter, a word */
const SHORT_ANSWER = 16

/** the larger limit; undefined when the limit was given by the user or is part of the question */
const roomierThan = (
  limit: number,
  given: number | undefined,
  { topLogprobs }: GenerateOptions
): number | undefined => {
  const more = Math.min(MOST_ROOM, Math.max(LEAST_ROOM, limit * MORE_ROOM))
  return given !== undefined || topLogprobs !== undefined || limit <= SHORT_ANSWER || more <= limit ? undefined : more
}

/** stands for the answer of an endpoint that calls a thought without an end an error */
const cutInThought = (error: AdapterError): Answer => ({
  text: "",
  toolCalls: [],
  finishReason: "length",
  problem: error.message,
  tokens: { prompt: 0, completion: 0, estimated: true },
  latencyMs: 0,
  retries: 0
})

/**
 * One answer through the chosen route with the settings of the job; the system message of the job comes first. A reply that was cut off before
 * its answer, as happens to models that think, is asked for once more with more room, unless the job gives the limit.
 */
export const makeGenerate =
  (client: ModelClient, route: Route, parameters: Parameters) =>
  (messages: ReadonlyArray<ChatMessage>, options: GenerateOptions): Effect.Effect<Answer, AdapterError> => {
    const limit = parameters.maxTokens ?? options.maxTokens
    const settings = {
      temperature: parameters.temperature,
      seed: options.seed ?? parameters.seed,
      ...defined({ topLogprobs: options.topLogprobs }),
      ...(Object.keys(parameters.extraBody).length === 0 ? {} : { extra: parameters.extraBody })
    }
    const all = withSystemPrompt(messages, parameters.systemPrompt)
    const askWithin = (maxTokens: number) =>
      (route === "chat"
        ? client.chat({
            messages: all,
            maxTokens,
            ...settings,
            ...defined({ tools: options.tools })
          })
        : client.complete({ prompt: transcript(all), maxTokens, stop: TRANSCRIPT_STOP, ...settings })
      ).pipe(Effect.catchIf(exceedsLimit, (error) => Effect.succeed(cutInThought(error))))
    const more = roomierThan(limit, parameters.maxTokens, options)
    const isComplete = options.isComplete ?? ((answer: Answer) => !isSilent(answer))
    return Effect.flatMap(askWithin(limit), (first) =>
      more === undefined || !wasCut(first) || isComplete(first)
        ? Effect.succeed(first)
        : askWithin(more).pipe(
            Effect.map((second) => ({ ...combineAnswers(first, second), askedAgain: true })),
            // the endpoint does not give that much room: what it gave before stands
            Effect.catchIf(
              ({ code, retryable }) => code === "invalid_parameter" && !retryable,
              () => Effect.succeed(first)
            )
          )
    )
  }

/** the job's system message goes before the item's own */
export const withSystemPrompt = (
  messages: ReadonlyArray<ChatMessage>,
  systemPrompt: string | undefined
): ReadonlyArray<ChatMessage> =>
  systemPrompt === undefined ? messages : [{ role: "system", content: systemPrompt }, ...messages]
