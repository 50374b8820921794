/**
 * How well the model predicts authored texts: bits per byte, byte perplexity and word perplexity over the log-probabilities of an echoed
 * prompt. The first token has no prediction, so its bytes are not counted. Lower is better; there is no chance level.
 */
import { Effect } from "effect"
import { AdapterError, type Metric } from "../../sdk/adapter.ts"
import type { EchoedPrompt } from "../../sdk/model/model-exchange.ts"
import type { AskedItem, Asking, Item, ItemBenchmark, ScoredItem } from "../benchmark.ts"
import { verdictsOf } from "../items/item-metrics.ts"
import { intervalMembers } from "../proportion.ts"
import { jackknife } from "../statistics.ts"
import { TEXTS } from "./authored-texts.ts"

const ID = "perplexity_text"
const VERSION = 1

interface TextLoss {
  readonly nats: number
  readonly bytes: number
  readonly words: number
}

/** −Σ log p over the predicted tokens, with the bytes and words they cover; undefined when a token after the first has no value */
export const textLoss = (text: string, { logprobs, offsets }: EchoedPrompt): TextLoss | undefined => {
  const first = logprobs.findIndex((logprob) => logprob !== null)
  if (first < 0 || logprobs.slice(first).some((logprob) => logprob === null)) return undefined
  const predicted = text.slice(offsets[first])
  return {
    nats: -logprobs.slice(first).reduce<number>((sum, logprob) => sum + (logprob ?? 0), 0),
    bytes: Buffer.byteLength(predicted),
    words: predicted.split(/\s+/).filter((word) => word !== "").length
  }
}

const ask = (text: string, { client }: Asking): Effect.Effect<AskedItem, AdapterError> =>
  client.echo(text).pipe(
    Effect.flatMap((echoed) => {
      const loss = textLoss(text, echoed)
      if (loss === undefined) {
        return new AdapterError({
          code: "model_server_error",
          message: "the endpoint echoed the text without log-probabilities of all its tokens",
          retryable: false
        })
      }
      return Effect.succeed<AskedItem>({
        answer: {
          text: "",
          toolCalls: [],
          tokens: { prompt: echoed.tokens.length, completion: 0, estimated: false },
          latencyMs: 0,
          retries: 0
        },
        // nothing is right or wrong here: the text was measured
        verdict: {
          verdict: "correct",
          reason: "likelihood",
          basis: { logprobs: { tokens: echoed.logprobs, offsets: echoed.offsets } },
          scores: { ...loss }
        }
      })
    })
  )

const items: ReadonlyArray<Item> = TEXTS.map((text, index) => ({
  id: `${ID}:v${VERSION}:${String(index).padStart(3, "0")}`,
  stratum: "text",
  messages: [{ role: "user", content: text }],
  maxTokens: 1,
  reference: undefined,
  continuations: [["", text]],
  score: () => ({ verdict: "invalid", scores: {} }),
  ask: (asking) => ask(text, asking)
}))

const total = (losses: ReadonlyArray<TextLoss>, part: keyof TextLoss) =>
  losses.reduce((sum, loss) => sum + loss[part], 0)

/** a loss for each unit of text, and the measure that is made of it */
const MEASURES: ReadonlyArray<readonly [name: string, unit: "bytes" | "words", of: (nats: number) => number]> = [
  ["bits_per_byte", "bytes", (nats) => nats / Math.LN2],
  ["byte_perplexity", "bytes", Math.exp],
  ["word_perplexity", "words", Math.exp]
]

const perplexities = (scored: ReadonlyArray<ScoredItem>): ReadonlyArray<Metric> => {
  const losses = verdictsOf(scored).map(({ scores }) => ({
    nats: scores["nats"] ?? 0,
    bytes: scores["bytes"] ?? 0,
    words: scores["words"] ?? 0
  }))
  if (losses.length === 0) return []
  return MEASURES.map(([name, unit, of]) => {
    const loss = (some: ReadonlyArray<TextLoss>) => total(some, "nats") / total(some, unit)
    const interval = jackknife(losses, loss, { min: 0, max: Number.POSITIVE_INFINITY })
    const turned = interval === undefined ? undefined : { ...interval, low: of(interval.low), high: of(interval.high) }
    return { name, value: of(loss(losses)), lowerIsBetter: true, n: losses.length, ...intervalMembers(turned) }
  })
}

export const perplexityText: ItemBenchmark = {
  kind: "items",
  id: ID,
  needs: ["completions", "echo"],
  items: () => Effect.succeed(items),
  metrics: [],
  derive: perplexities,
  scoring: () => ({ origin: "authored", set_version: VERSION, method: "echo" })
}
