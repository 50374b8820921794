/** The OpenAI-compatible wire format: request bodies out, answers in. Lenient in what it reads: servers differ in every optional member. */

import { defined } from "../../../values/defined.ts"
import { isObject, type JsonObject, listMember, member, numberMember, textMember } from "../../../values/json.ts"
import { errorTextOf, saysFiltered } from "./endpoint-error.ts"
import type {
  Answer,
  ChatMessage,
  EchoedPrompt,
  GenerationRequest,
  TokenUsage,
  ToolCall,
  ToolDefinition
} from "./model-exchange.ts"
import { splitReasoning } from "./reasoning.ts"
import { estimateTokens } from "./token-estimate.ts"

/** what an answer says apart from timing */
export type ReadAnswer = Omit<Answer, "latencyMs" | "retries" | "parameters">

/** a question, and how its answer travels: no settings of the model */
const unlisted = new Set(["model", "messages", "prompt", "tools", "response_format", "stream", "stream_options"])

/** settings of a request as it was really sent, apart from what was asked and of whom */
export const settingsOf = (sent: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(sent).filter(([name]) => !unlisted.has(name)))

/** how the endpoint names what answered; absent or empty names are none */
export const servedBy = (body: unknown): Pick<Answer, "servedModel" | "systemFingerprint"> =>
  defined({
    servedModel: textMember(body, "model") || undefined,
    systemFingerprint: textMember(body, "system_fingerprint") || undefined
  })

export const wireMessage = (message: ChatMessage) => ({
  role: message.role,
  content: message.content,
  ...(message.toolCalls === undefined || message.toolCalls.length === 0
    ? {}
    : {
        tool_calls: message.toolCalls.map(({ id, name, arguments: text }) => ({
          id,
          type: "function",
          function: { name, arguments: text }
        }))
      }),
  ...defined({ tool_call_id: message.toolCallId })
})

export const wireTool = ({ name, description, parameters }: ToolDefinition) => ({
  type: "function",
  function: { name, description, parameters }
})

const sampling = (request: Omit<GenerationRequest, "messages">) => ({
  max_tokens: request.maxTokens,
  temperature: request.temperature,
  ...defined({ seed: request.seed }),
  ...(request.stop === undefined || request.stop.length === 0 ? {} : { stop: request.stop })
})

export const chatBody = (model: string, request: GenerationRequest, stream: boolean): JsonObject => ({
  model,
  messages: request.messages.map(wireMessage),
  ...sampling(request),
  ...(request.tools === undefined || request.tools.length === 0 ? {} : { tools: request.tools.map(wireTool) }),
  ...(request.topLogprobs === undefined ? {} : { logprobs: true, top_logprobs: request.topLogprobs }),
  ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  ...request.extra
})

export const completionBody = (
  model: string,
  prompt: string,
  request: Omit<GenerationRequest, "messages" | "tools">
): JsonObject => ({
  model,
  prompt,
  ...sampling(request),
  ...defined({ logprobs: request.topLogprobs }),
  ...request.extra
})

const isThought = (part: unknown): boolean =>
  /^(thinking|reasoning|redacted_thinking)/.test(textMember(part, "type") ?? "")

/** a text, or a list of texts and parts */
const partText = (part: unknown): string => {
  if (typeof part === "string") return part
  if (Array.isArray(part)) return part.map(partText).join("")
  return (
    textMember(part, "text") ??
    (isThought(part) ? partText(member(part, "thinking") ?? member(part, "summary") ?? "") : "")
  )
}

const partsOf = (message: unknown): ReadonlyArray<unknown> => {
  const content = member(message, "content")
  return Array.isArray(content) ? content : [content]
}

/** reasoning as servers name it: a member beside the content, its details, or parts of the content itself */
export const reasoningText = (message: unknown): string | undefined => {
  for (const name of ["reasoning_content", "reasoning", "thinking"]) {
    const text = textMember(message, name)
    if (text !== undefined) return text
  }
  const parts = [...listMember(message, "reasoning_details"), ...partsOf(message).filter(isThought)]
  return parts.length === 0 ? undefined : parts.map(partText).join("")
}

/** the answer's own text, whether `content` is a text or a list of parts; a refusal that has a member of its own is what the model says */
export const contentOf = (message: unknown): string => {
  const content = partsOf(message)
    .filter((part) => !isThought(part))
    .map((part) => partText(part) || (textMember(part, "refusal") ?? ""))
    .join("")
  return content === "" ? (textMember(message, "refusal") ?? "") : content
}

const readToolCall = (call: unknown, at: number): ToolCall | undefined => {
  const called = member(call, "function")
  const name = textMember(called, "name")
  if (name === undefined) return undefined
  const given = member(called, "arguments")
  return {
    id: textMember(call, "id") ?? `call_${at}`,
    name,
    arguments: typeof given === "string" ? given : JSON.stringify(given ?? {})
  }
}

const readToolCalls = (calls: ReadonlyArray<unknown>): ReadonlyArray<ToolCall> =>
  calls.flatMap((call, at) => readToolCall(call, at) ?? [])

/** reported usage, else an estimate over the texts */
export const readUsage = (usage: unknown, prompt: string, completion: string): TokenUsage => {
  const asked = numberMember(usage, "prompt_tokens")
  const generated = numberMember(usage, "completion_tokens")
  const reasoning = numberMember(member(usage, "completion_tokens_details"), "reasoning_tokens")
  const cached = numberMember(member(usage, "prompt_tokens_details"), "cached_tokens")
  if (asked !== undefined && generated !== undefined)
    return {
      prompt: asked,
      completion: generated,
      ...(reasoning === undefined || reasoning === 0 ? {} : { reasoning }),
      ...(cached === undefined || cached === 0 ? {} : { cached }),
      estimated: false
    }
  return {
    prompt: asked ?? estimateTokens(prompt),
    completion: generated ?? estimateTokens(completion),
    estimated: true
  }
}

const readTop = (top: unknown) =>
  (Array.isArray(top) ? top : []).flatMap((one) => {
    const token = textMember(one, "token")
    const logprob = numberMember(one, "logprob")
    return token === undefined || logprob === undefined ? [] : [{ token, logprob }]
  })

export const readChatLogprobs = (choice: unknown): Answer["logprobs"] => {
  const content = listMember(member(choice, "logprobs"), "content")
  return content.length === 0
    ? undefined
    : content.map((one) => ({
        token: textMember(one, "token") ?? "",
        logprob: numberMember(one, "logprob") ?? 0,
        top: readTop(member(one, "top_logprobs"))
      }))
}

/** completions endpoints list tokens, their log-probabilities and the best alternatives in parallel arrays */
const readCompletionLogprobs = (choice: unknown): Answer["logprobs"] => {
  const logprobs = member(choice, "logprobs")
  const values = listMember(logprobs, "token_logprobs")
  const tops = listMember(logprobs, "top_logprobs")
  const tokens = listMember(logprobs, "tokens")
  if (tokens.length === 0) return undefined
  return tokens.map((token, at) => {
    const top = tops[at]
    const logprob = values[at]
    return {
      token: String(token),
      logprob: typeof logprob === "number" ? logprob : 0,
      top: isObject(top)
        ? Object.entries(top).flatMap(([text, value]) =>
            typeof value === "number" ? [{ token: text, logprob: value }] : []
          )
        : []
    }
  })
}

const withOptional = (
  answer: ReadAnswer,
  choice: unknown,
  body: unknown,
  requestId: string | undefined,
  logprobs: Answer["logprobs"]
): ReadAnswer => {
  const finishReason = textMember(choice, "finish_reason")
  const id = requestId ?? textMember(body, "id")
  return {
    ...answer,
    ...servedBy(body),
    ...defined({ finishReason, requestId: id, logprobs })
  }
}

export const promptText = (messages: ReadonlyArray<ChatMessage>): string =>
  messages.map(({ content }) => content).join("\n")

/** the place of a choice among those of one answer */
export const placeOf = (choice: unknown, at: number): number => numberMember(choice, "index") ?? at

/** the one that was asked for, also where an endpoint gives several, in whatever order */
const firstChoice = (body: unknown): unknown =>
  listMember(body, "choices").reduce<{ readonly place: number; readonly choice: unknown } | undefined>(
    (first, choice, at) =>
      first !== undefined && first.place <= placeOf(choice, at) ? first : { place: placeOf(choice, at), choice },
    undefined
  )?.choice

/** undefined when the body has no choice with a message */
export const readChatAnswer = (
  body: unknown,
  messages: ReadonlyArray<ChatMessage>,
  requestId: string | undefined
): ReadAnswer | undefined => {
  const choice = firstChoice(body)
  const message = member(choice, "message")
  if (!isObject(message)) return undefined
  const content = contentOf(message)
  const reasoning = reasoningText(message)
  const calls = listMember(message, "tool_calls")
  const older = member(message, "function_call")
  const toolCalls = readToolCalls(calls.length === 0 && isObject(older) ? [{ function: older }] : calls)
  const written = [reasoning ?? "", content, ...toolCalls.map((call) => call.name + call.arguments)].join("")
  const tokens = readUsage(member(body, "usage"), promptText(messages), written)
  return withOptional(
    { ...splitReasoning(content, reasoning), toolCalls, tokens },
    choice,
    body,
    requestId,
    readChatLogprobs(choice)
  )
}

export const readCompletion = (
  body: unknown,
  prompt: string,
  requestId: string | undefined
): ReadAnswer | undefined => {
  const choice = firstChoice(body)
  const text = textMember(choice, "text")
  if (text === undefined) return undefined
  const tokens = readUsage(member(body, "usage"), prompt, text)
  return withOptional(
    { ...splitReasoning(text, undefined), toolCalls: [], tokens },
    choice,
    body,
    requestId,
    readCompletionLogprobs(choice)
  )
}

/** an answer that says nothing, with what the endpoint said instead */
export const withoutAnswer = (
  finishReason: "content_filter" | "error",
  problem: string,
  prompt: string
): ReadAnswer => ({
  text: "",
  toolCalls: [],
  finishReason,
  problem,
  tokens: { prompt: estimateTokens(prompt), completion: 0, estimated: true }
})

const hasNoChoice = (body: unknown): boolean => {
  const choices = member(body, "choices")
  return Array.isArray(choices) && choices.length === 0
}

/** `{"error": …}`, or a list of choices that has none, with status 200; undefined when the body tells of neither */
export const readProblem = (body: unknown, prompt: string): ReadAnswer | undefined => {
  if ((member(body, "error") ?? null) === null)
    return hasNoChoice(body) ? withoutAnswer("error", "the answer has no choices", prompt) : undefined
  const text = JSON.stringify(body)
  return withoutAnswer(saysFiltered(text) ? "content_filter" : "error", errorTextOf(text).text, prompt)
}

/** the echoed prompt alone: generated tokens behind it are cut off; undefined when the endpoint did not echo */
export const readEcho = (body: unknown, prompt: string): EchoedPrompt | undefined => {
  const choice = firstChoice(body)
  const logprobs = member(choice, "logprobs")
  const tokens = listMember(logprobs, "tokens").map(String)
  const values = listMember(logprobs, "token_logprobs").map((value) => (typeof value === "number" ? value : null))
  const given = listMember(logprobs, "text_offset")
  let offset = 0
  const counted = tokens.map((token) => {
    const at = offset
    offset += token.length
    return at
  })
  const offsets =
    given.length === tokens.length && given.every((at) => typeof at === "number") ? given.map(Number) : counted
  const end = offsets.findIndex((at) => at >= prompt.length)
  const length = end < 0 ? tokens.length : end
  if (length === 0 || values.length < length || !(textMember(choice, "text") ?? "").startsWith(prompt.slice(0, 16)))
    return undefined
  return { tokens: tokens.slice(0, length), logprobs: values.slice(0, length), offsets: offsets.slice(0, length) }
}
