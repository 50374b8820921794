/**
 * What models that cannot know anything would score on the same items: one that says nothing, always the same, repeats the question, refuses,
 * or answers at random. A score that such a model reaches shows nothing. Computed by the benchmark's own scorers, without asking anybody.
 */
import { Effect, Option } from "effect"
import { isObject } from "../../values/json.ts"
import type { Controls } from "../sdk/controls.ts"
import type { Answer, ChatMessage, ModelClient } from "../sdk/model/model-exchange.ts"
import { LETTERS } from "./answers/choice-kind.ts"
import type { Item, ItemBenchmark, ItemContext, ScoredItem } from "./benchmark.ts"
import { askItem } from "./items/ask-item.ts"
import { itemMetrics } from "./items/item-metrics.ts"
import { type SeededRandom, seededRandom } from "./random.ts"

const MOST_ITEMS = 200

export const REFUSAL = "I'm sorry, but I can't help with that."

type Reply = (item: Item, messages: ReadonlyArray<ChatMessage>) => Partial<Answer>

/** the reference of an item as a model that knows it would write it */
const written = ({ reference, tools }: Item): Partial<Answer> => {
  if (tools !== undefined && isObject(reference)) {
    return {
      toolCalls: [{ id: "1", name: String(reference["name"]), arguments: JSON.stringify(reference["arguments"] ?? {}) }]
    }
  }
  if (typeof reference === "string" || typeof reference === "number") return { text: `Answer: ${reference}` }
  return { text: Array.isArray(reference) ? reference.map(String).join(", ") : (JSON.stringify(reference) ?? "Yes.") }
}

const lettersOf = ({ choices = [] }: Item) => LETTERS.slice(0, choices.length)

/** the answer that is right most often; "Yes." where every item has an answer of its own */
const constantReply = (items: ReadonlyArray<Item>): Partial<Answer> => {
  const counts = new Map<string, number>()
  for (const item of items) {
    const text = JSON.stringify(written(item))
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  const [[text, count] = ["", 0]] = [...counts].sort(([, one], [, other]) => other - one)
  return count > 1 ? (JSON.parse(text) as Partial<Answer>) : { text: "Yes." }
}

/** a letter of the item's own options, else the answer to another item */
const randomReply =
  (items: ReadonlyArray<Item>, random: SeededRandom): Reply =>
  (item) => {
    const letters = lettersOf(item)
    return letters.length > 0
      ? { text: `Answer: ${random.pick(letters)}` }
      : written(random.pick(items.filter((other) => other !== item)) ?? item)
  }

const unused = Effect.dieMessage("a control asks nobody")
const nobody: ModelClient = {
  chat: () => unused,
  chatStream: () => unused,
  complete: () => unused,
  echo: () => unused,
  capabilities: unused,
  adaptations: Effect.succeed([])
}

const answering =
  (item: Item, reply: Reply) =>
  (messages: ReadonlyArray<ChatMessage>): Effect.Effect<Answer> =>
    Effect.sync(() => ({
      text: "",
      toolCalls: [],
      finishReason: "stop",
      tokens: { prompt: 0, completion: 0, estimated: true },
      latencyMs: 0,
      retries: 0,
      ...reply(item, messages)
    }))

/** the value of `metric` when every item gets this reply; undefined when it cannot be told without asking */
const scoreOf = (
  benchmark: ItemBenchmark,
  context: ItemContext,
  metric: string,
  items: ReadonlyArray<Item>,
  reply: Reply
) =>
  Effect.forEach(items, (item) =>
    Effect.map(
      askItem(item, nobody, answering(item, reply)),
      ({ answer, verdict }): ScoredItem => ({ item, outcome: { _tag: "Scored", answer, verdict } })
    )
  ).pipe(
    Effect.map((scored) => itemMetrics(benchmark, scored, context).find(({ name }) => name === metric)?.value),
    Effect.map((value) => (typeof value === "number" && Number.isFinite(value) ? value : undefined)),
    Effect.sandbox,
    Effect.option,
    Effect.map(Option.getOrUndefined)
  )

/** undefined for benchmarks whose scores do not come from the text of an answer alone: a second model, log-probabilities, code that is run */
export const controlsOf = (
  benchmark: ItemBenchmark,
  context: ItemContext,
  metric: string,
  drawn: ReadonlyArray<Item>
): Effect.Effect<Controls | undefined> => {
  if (drawn.some(({ isJudged, topLogprobs }) => isJudged === true || topLogprobs !== undefined))
    return Effect.succeed(undefined)
  const random = seededRandom("controls", benchmark.id, context.seed)
  const items = drawn.length <= MOST_ITEMS ? drawn : random.sample(drawn, MOST_ITEMS)
  const same = constantReply(items)
  const replies: { readonly [control: string]: Reply } = {
    empty: () => ({}),
    constant: () => same,
    echo: (_, messages) => ({ text: messages.at(-1)?.content ?? "" }),
    refusal: () => ({ text: REFUSAL }),
    random: randomReply(items, random)
  }
  const chances = drawn.flatMap(({ chance }) => (chance === undefined ? [] : [chance]))
  return Effect.forEach(Object.entries(replies), ([control, reply]) =>
    Effect.map(scoreOf(benchmark, context, metric, items, reply), (value) => [control, value] as const)
  ).pipe(
    Effect.map((scores) => {
      const told = scores.filter(([, value]) => value !== undefined)
      if (told.length === 0) return undefined
      return {
        metric,
        n: items.length,
        ...(chances.length < drawn.length
          ? {}
          : { chance: chances.reduce((sum, chance) => sum + chance, 0) / chances.length }),
        ...Object.fromEntries(told)
      }
    })
  )
}
