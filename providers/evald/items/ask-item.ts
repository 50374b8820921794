/** Asks one item: a single question, a scripted conversation, or whatever the item does by itself. */
import { Effect } from "effect"
import { defined } from "../../../values/defined.ts"
import type { AdapterError } from "../../sdk/adapter.ts"
import { noLogprobs } from "../../sdk/failures.ts"
import type { Answer, ChatMessage, ModelClient } from "../../sdk/model/model-exchange.ts"
import type { AskedItem, Item } from "../benchmark.ts"
import { isSilent, unlessSilent } from "../no-answer.ts"
import type { makeGenerate } from "../route.ts"
import { combineAnswers } from "./combine-answers.ts"

const converse = (item: Item, generate: ReturnType<typeof makeGenerate>): Effect.Effect<Answer, AdapterError> => {
  const options = {
    maxTokens: item.maxTokens,
    ...defined({ topLogprobs: item.topLogprobs, tools: item.tools })
  }
  return Effect.gen(function* () {
    let messages: ReadonlyArray<ChatMessage> = item.messages
    const followUps = item.followUps ?? []
    // a reply that was cut while it still counts on paper has not come to its answer either; only the last one is read
    const last = {
      ...options,
      isComplete: (answer: Answer) => !isSilent(answer) && item.score(answer).verdict !== "invalid"
    }
    let answer = yield* generate(messages, followUps.length === 0 ? last : options)
    for (const [at, next] of followUps.entries()) {
      messages = [...messages, { role: "assistant", content: answer.text }, next]
      answer = combineAnswers(answer, yield* generate(messages, at === followUps.length - 1 ? last : options))
    }
    return answer
  })
}

/** log-probabilities are the answer of items that ask for them, whatever was said; without them nothing was answered */
const judged = (item: Item, answer: Answer): Effect.Effect<AskedItem, AdapterError> => {
  const verdict = item.score(answer)
  if (item.topLogprobs !== undefined && answer.logprobs !== undefined) return Effect.succeed({ answer, verdict })
  return item.topLogprobs === undefined || isSilent(answer)
    ? Effect.succeed({ answer, verdict: unlessSilent(answer, verdict) })
    : noLogprobs("the model endpoint answered without the log-probabilities that were asked for")
}

/** the answer with its verdict; every failure stays a failure and is never scored */
export const askItem = (
  item: Item,
  client: ModelClient,
  generate: ReturnType<typeof makeGenerate>
): Effect.Effect<AskedItem, AdapterError> =>
  item.ask === undefined
    ? converse(item, generate).pipe(Effect.flatMap((answer) => judged(item, answer)))
    : Effect.scoped(
        item.ask({
          client,
          generate: (messages, options) => generate(messages, { maxTokens: item.maxTokens, ...options })
        })
      )
