/** Answers in the OpenAI-compatible format. Ids and times are fixed, so that equal requests get equal bytes. */
import type { DemoRequest } from "./demo-request.ts"
import type { Generation } from "./generation.ts"
import type { Candidate } from "./ngram.ts"
import type { TokenLogprob } from "./token-logprobs.ts"

/** 2026-01-01: a fixed date, the model has no clock */
const created = 1_767_225_600

export const modelsBody = (models: ReadonlyArray<string>) => ({
  object: "list",
  data: models.map((id) => ({ id, object: "model", created, owned_by: "evald-demo" }))
})

export const errorBody = (message: string, type: string, code: string) => ({ error: { message, type, code } })

const wireTop = ({ token, logprob }: Candidate) => ({ token, logprob, bytes: [...Buffer.from(token)] })
const wireLogprob = (one: TokenLogprob) => ({ ...wireTop(one), top_logprobs: one.top.map(wireTop) })

const usageOf = (generation: Generation) => ({
  prompt_tokens: generation.promptTokens,
  completion_tokens: generation.completionTokens,
  total_tokens: generation.promptTokens + generation.completionTokens
})

const wireCalls = (generation: Generation) =>
  generation.toolCalls.map((call, index) => ({
    index,
    id: `call_${index}`,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.arguments) }
  }))

/** the parallel arrays of the completions format, the echoed prompt first */
const completionLogprobs = (generation: Generation) => {
  const echoed = generation.echoed
  const tokens = [...(echoed?.tokens ?? []), ...generation.tokens]
  const known: ReadonlyArray<TokenLogprob | undefined> = [...(echoed?.logprobs ?? []), ...(generation.logprobs ?? [])]
  let offset = 0
  const offsets = tokens.map((token) => {
    const at = offset
    offset += token.length
    return at
  })
  return {
    tokens,
    token_logprobs: known.map((one) => one?.logprob ?? null),
    top_logprobs: known.map((one) =>
      one === undefined ? null : Object.fromEntries(one.top.map(({ token, logprob }) => [token, logprob]))
    ),
    text_offset: offsets
  }
}

const envelope = (request: DemoRequest, object: string) => ({
  id: `demo-${request.route}`,
  object,
  created,
  model: request.model
})

export const answerBody = (request: DemoRequest, generation: Generation) => {
  const text = generation.tokens.join("")
  const logprobs = generation.logprobs
  if (request.route === "completions")
    return {
      ...envelope(request, "text_completion"),
      choices: [
        {
          index: 0,
          text: (generation.echoed?.tokens.join("") ?? "") + text,
          logprobs: logprobs === undefined ? null : completionLogprobs(generation),
          finish_reason: generation.finishReason
        }
      ],
      usage: usageOf(generation)
    }
  const calls = wireCalls(generation).map(({ index: _, ...call }) => call)
  const message = {
    role: "assistant",
    content: calls.length > 0 && text === "" ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls })
  }
  return {
    ...envelope(request, "chat.completion"),
    choices: [
      {
        index: 0,
        message,
        logprobs: logprobs === undefined ? null : { content: logprobs.map(wireLogprob) },
        finish_reason: generation.finishReason
      }
    ],
    usage: usageOf(generation)
  }
}

/** payloads of a stream: `token(i)` for each token, then `last` */
export const streamPayloads = (request: DemoRequest, generation: Generation) => {
  const chat = request.route === "chat"
  const head = envelope(request, chat ? "chat.completion.chunk" : "text_completion")
  const chunk = (choice: object) => ({ ...head, choices: [{ index: 0, finish_reason: null, ...choice }] })
  const logprobs = generation.logprobs
  const token = (index: number): unknown => {
    const text = generation.tokens[index] ?? ""
    const known = logprobs?.[index]
    const stated = known === undefined ? {} : { logprobs: { content: [wireLogprob(known)] } }
    return chat
      ? chunk({ delta: { ...(index === 0 ? { role: "assistant" } : {}), content: text }, ...stated })
      : chunk({ text })
  }
  const calls =
    generation.toolCalls.length === 0
      ? []
      : [chunk({ delta: { role: "assistant", tool_calls: wireCalls(generation) } })]
  const finish = chunk({ ...(chat ? { delta: {} } : { text: "" }), finish_reason: generation.finishReason })
  const usage = request.includeUsage ? [{ ...head, choices: [], usage: usageOf(generation) }] : []
  return { token, last: [...calls, finish, ...usage] as ReadonlyArray<unknown> }
}
