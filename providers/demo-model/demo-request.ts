/** Bodies of generation requests, as far as the demo model understands them. */
import { Either } from "effect"
import { defined } from "../../values/defined.ts"
import { isObject, listMember, member, numberMember, textMember } from "../../values/json.ts"
import type { DemoMessage, DemoTool } from "./solver.ts"

export interface DemoRequest {
  readonly route: "chat" | "completions"
  readonly model: string
  readonly messages: ReadonlyArray<DemoMessage>
  readonly tools: ReadonlyArray<DemoTool>
  /** prompt tokens are counted and echoed over this text */
  readonly promptText: string
  /** absent: as long as the answer is */
  readonly maxTokens?: number
  readonly stop: ReadonlyArray<string>
  readonly stream: boolean
  readonly includeUsage: boolean
  /** number of top log-probabilities asked for; absent: none wanted */
  readonly topLogprobs?: number
  readonly echo: boolean
  readonly temperature: number
  readonly seed?: number
  /** the answer goes on until `maxTokens` */
  readonly ignoreEnd: boolean
}

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : Array.isArray(content)
      ? content.map((part) => textMember(part, "text") ?? "").join("")
      : ""

const readTool = (tool: unknown): ReadonlyArray<DemoTool> => {
  const called = member(tool, "function")
  const name = textMember(called, "name")
  const parameters = member(called, "parameters")
  return name === undefined ? [] : [{ name, parameters: isObject(parameters) ? parameters : {} }]
}

const readStop = (stop: unknown): ReadonlyArray<string> =>
  [stop].flat().filter((one): one is string => typeof one === "string" && one !== "")

const optional = (body: unknown) => {
  const maxTokens = numberMember(body, "max_completion_tokens") ?? numberMember(body, "max_tokens")
  const seed = numberMember(body, "seed")
  return { ...defined({ maxTokens, seed }) }
}

const common = (body: unknown) => ({
  model: textMember(body, "model") ?? "",
  stop: readStop(member(body, "stop")),
  stream: member(body, "stream") === true,
  includeUsage: member(member(body, "stream_options"), "include_usage") === true,
  temperature: numberMember(body, "temperature") ?? 1,
  ignoreEnd: member(body, "ignore_eos") === true,
  ...optional(body)
})

const problemOf = (body: unknown): string | undefined => {
  if ((textMember(body, "model") ?? "") === "") return "model is required"
  if ((numberMember(body, "n") ?? 1) !== 1) return "n must be 1"
  const maxTokens = numberMember(body, "max_completion_tokens") ?? numberMember(body, "max_tokens") ?? 0
  return Number.isInteger(maxTokens) && maxTokens >= 0 ? undefined : "max_tokens must be a whole number, 0 or more"
}

/** left: what is wrong, for the error body */
export const readChatRequest = (body: unknown): Either.Either<DemoRequest, string> => {
  const problem = problemOf(body)
  if (problem !== undefined) return Either.left(problem)
  const messages = listMember(body, "messages").map((message) => ({
    role: textMember(message, "role") ?? "user",
    content: textOf(member(message, "content"))
  }))
  if (messages.length === 0) return Either.left("messages must be a list with at least one message")
  return Either.right({
    ...common(body),
    route: "chat",
    messages,
    tools: listMember(body, "tools").flatMap(readTool),
    promptText: messages.map(({ role, content }) => `${role}: ${content}`).join("\n"),
    echo: false,
    ...(member(body, "logprobs") === true ? { topLogprobs: numberMember(body, "top_logprobs") ?? 0 } : {})
  })
}

const turn = /(?:^|\n\n)(System|User|Assistant|Tool): /g

/** a conversation written as one text that ends where the assistant has to speak; any other text is one question */
const messagesOf = (prompt: string): ReadonlyArray<DemoMessage> => {
  const found = prompt.match(/^(?:System|User): [\s\S]*\n\nAssistant:\s*$/) === null ? [] : [...prompt.matchAll(turn)]
  if (found.length === 0) return [{ role: "user", content: prompt }]
  const end = prompt.lastIndexOf("\n\nAssistant:")
  return found.map((mark, at) => ({
    role: (mark[1] ?? "").toLowerCase(),
    content: prompt.slice(mark.index + mark[0].length, found[at + 1]?.index ?? end)
  }))
}

/** the first prompt of a list is answered; token numbers are not understood */
export const readCompletionRequest = (body: unknown): Either.Either<DemoRequest, string> => {
  const problem = problemOf(body)
  if (problem !== undefined) return Either.left(problem)
  const given = member(body, "prompt")
  const prompt = Array.isArray(given) && given.length === 1 ? given[0] : given
  if (typeof prompt !== "string") return Either.left("prompt must be one text")
  const topLogprobs = numberMember(body, "logprobs")
  return Either.right({
    ...common(body),
    maxTokens: numberMember(body, "max_tokens") ?? 16,
    route: "completions",
    messages: messagesOf(prompt),
    tools: [],
    promptText: prompt,
    echo: member(body, "echo") === true,
    ...defined({ topLogprobs })
  })
}
