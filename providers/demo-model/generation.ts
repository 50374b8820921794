/** From a request to the finished answer: tokens, end, log-probabilities. Pure: the same request is answered the same. */

import { defined } from "../../values/defined.ts"
import type { DemoRequest } from "./demo-request.ts"
import type { DemoKnobs } from "./knobs.ts"
import { runningText } from "./ngram.ts"
import { replyTo } from "./reply.ts"
import { hashShare } from "./seeded.ts"
import type { DemoReply } from "./solver.ts"
import { echoedLogprobs, generatedLogprobs, type TokenLogprob } from "./token-logprobs.ts"
import { countTokens, splitTokens } from "./tokens.ts"

export interface Generation {
  readonly tokens: ReadonlyArray<string>
  readonly toolCalls: NonNullable<DemoReply["toolCalls"]>
  readonly finishReason: "stop" | "length" | "tool_calls"
  readonly promptTokens: number
  /** tokens of the answer, or what calling tools would have taken */
  readonly completionTokens: number
  /** per token of the answer, when asked for */
  readonly logprobs?: ReadonlyArray<TokenLogprob>
  readonly echoed?: {
    readonly tokens: ReadonlyArray<string>
    readonly logprobs?: ReadonlyArray<TokenLogprob | undefined>
  }
}

const upToStop = (text: string, stop: ReadonlyArray<string>): string => {
  const ends = stop.map((one) => text.indexOf(one)).filter((at) => at >= 0)
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends))
}

export const generate = (request: DemoRequest, knobs: DemoKnobs): Generation => {
  const sampling = { temperature: request.temperature, ...defined({ seed: request.seed }) }
  const reply = replyTo({ messages: request.messages, tools: request.tools }, knobs, sampling)
  const toolCalls = reply.toolCalls ?? []
  const said = splitTokens(upToStop(reply.text, request.stop))
  const missing = request.ignoreEnd ? (request.maxTokens ?? said.length) - said.length : 0
  const filler =
    missing > 0
      ? splitTokens(` ${runningText(missing, hashShare(knobs.seed, request.promptText))}`).slice(0, missing)
      : []
  const whole = [...said, ...filler]
  const tokens = whole.slice(0, request.maxTokens ?? whole.length)
  const cut = tokens.length < whole.length || (request.ignoreEnd && tokens.length === request.maxTokens)
  const callTokens = toolCalls.reduce((sum, call) => sum + countTokens(call.name + JSON.stringify(call.arguments)), 0)
  const amount = request.topLogprobs
  const echoed = request.echo ? splitTokens(request.promptText) : undefined
  return {
    tokens,
    toolCalls,
    finishReason: toolCalls.length > 0 ? "tool_calls" : cut ? "length" : "stop",
    promptTokens: countTokens(request.promptText),
    completionTokens: tokens.length + callTokens,
    ...(amount === undefined
      ? {}
      : { logprobs: generatedLogprobs(tokens, request.promptText, reply.confidence, amount, knobs.seed) }),
    ...(echoed === undefined
      ? {}
      : { echoed: { tokens: echoed, ...(amount === undefined ? {} : { logprobs: echoedLogprobs(echoed, amount) }) } })
  }
}
