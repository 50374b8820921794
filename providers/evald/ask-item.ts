/** Asks one item: a single question, a scripted conversation, or whatever the item does by itself. */
import { Effect } from "effect"
import type { AdapterError } from "../sdk/adapter.ts"
import type { Answer, ChatMessage, ModelClient, TokenUsage } from "../sdk/model-client.ts"
import type { AskedItem, Item } from "./benchmark.ts"
import type { makeGenerate } from "./route.ts"

const plus = (a: TokenUsage, b: TokenUsage): TokenUsage => ({
  prompt: a.prompt + b.prompt,
  completion: a.completion + b.completion,
  estimated: a.estimated || b.estimated
})

/** several answers seen as one: the last one's text, everyone's tokens, time and retries */
export const combineAnswers = (earlier: Answer, last: Answer): Answer => ({
  ...last,
  tokens: plus(earlier.tokens, last.tokens),
  latencyMs: earlier.latencyMs + last.latencyMs,
  retries: earlier.retries + last.retries
})

const converse = (item: Item, generate: ReturnType<typeof makeGenerate>): Effect.Effect<Answer, AdapterError> => {
  const options = {
    maxTokens: item.maxTokens,
    ...(item.topLogprobs === undefined ? {} : { topLogprobs: item.topLogprobs }),
    ...(item.tools === undefined ? {} : { tools: item.tools })
  }
  return Effect.gen(function* () {
    let messages: ReadonlyArray<ChatMessage> = item.messages
    let answer = yield* generate(messages, options)
    for (const next of item.followUps ?? []) {
      messages = [...messages, { role: "assistant", content: answer.text }, next]
      answer = combineAnswers(answer, yield* generate(messages, options))
    }
    return answer
  })
}

/** the answer with its verdict; every failure stays a failure and is never scored */
export const askItem = (item: Item, client: ModelClient, generate: ReturnType<typeof makeGenerate>): Effect.Effect<AskedItem, AdapterError> =>
  item.ask === undefined
    ? converse(item, generate).pipe(Effect.map((answer) => ({ answer, verdict: item.score(answer) })))
    : Effect.scoped(
        item.ask({
          client,
          generate: (messages, options) => generate(messages, { maxTokens: item.maxTokens, ...options })
        })
      )
