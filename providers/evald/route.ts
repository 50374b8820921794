/** Which model route answers an item, and what a request looks like there. Reference: providers-and-collections.md, "Honesty rules". */
import { Effect } from "effect"
import type { AdapterError } from "../sdk/adapter.ts"
import type { Answer, ChatMessage, EndpointCapabilities, GenerationRequest, ModelClient } from "../sdk/model-client.ts"
import { notSupported } from "./adapter-errors.ts"
import type { Capability, EmbeddedBenchmark } from "./benchmark.ts"
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
export const chooseRoute = (benchmark: EmbeddedBenchmark, capabilities: EndpointCapabilities, parameters: Parameters): Effect.Effect<Route, AdapterError> => {
  const needs = [...benchmark.needs, ...(benchmark.kind === "items" ? (benchmark.needsFor?.(parameters.values) ?? []) : [])]
  const missing = needs.filter((capability) => !offers(capabilities, capability))
  if (missing.length > 0) {
    return notSupported(`benchmark ${benchmark.id} needs ${missing.map((one) => WHAT[one]).join(" and ")}, which the model endpoint does not offer`)
  }
  const wanted = parameters.endpoint
  if (wanted !== "auto" && !capabilities[wanted]) {
    return notSupported(`parameter endpoint asks for ${WHAT[wanted]}, which the model endpoint does not offer; use endpoint: auto`)
  }
  if (wanted === "completions" && needs.some((capability) => capability === "chat" || capability === "tools" || capability === "stream")) {
    return notSupported(`benchmark ${benchmark.id} is a conversation and needs the chat route; remove endpoint: completions`)
  }
  return Effect.succeed(wanted === "auto" ? (capabilities.chat ? "chat" : "completions") : wanted)
}

const SPEAKER: { readonly [role: string]: string } = { system: "System", user: "User", assistant: "Assistant", tool: "Tool" }

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
}

/** one answer through the chosen route with the settings of the job; the system message of the job comes first */
export const makeGenerate =
  (client: ModelClient, route: Route, parameters: Parameters) =>
  (messages: ReadonlyArray<ChatMessage>, options: GenerateOptions): Effect.Effect<Answer, AdapterError> => {
    const settings = {
      maxTokens: parameters.maxTokens ?? options.maxTokens,
      temperature: parameters.temperature,
      seed: options.seed ?? parameters.seed,
      ...(options.topLogprobs === undefined ? {} : { topLogprobs: options.topLogprobs }),
      ...(Object.keys(parameters.extraBody).length === 0 ? {} : { extra: parameters.extraBody })
    }
    const all = withSystemPrompt(messages, parameters.systemPrompt)
    return route === "chat"
      ? client.chat({ messages: all, ...settings, ...(options.tools === undefined ? {} : { tools: options.tools }) })
      : client.complete({ prompt: transcript(all), stop: TRANSCRIPT_STOP, ...settings })
  }

/** the job's system message goes before the item's own */
export const withSystemPrompt = (messages: ReadonlyArray<ChatMessage>, systemPrompt: string | undefined): ReadonlyArray<ChatMessage> =>
  systemPrompt === undefined ? messages : [{ role: "system", content: systemPrompt }, ...messages]
