/**
 * What the long-context benchmarks share: 20 items per length, all expected strings must be in the answer, one score per length. A length
 * the model refuses as too long is not run: it enters no metric and is named in the notes. Reference: providers-and-collections.md, "Embedded benchmarks".
 */

import { Effect } from "effect"
import { escaped } from "../../../values/pattern-text.ts"
import type { AdapterError, Metric } from "../../sdk/adapter.ts"
import { invalidParameter } from "../../sdk/failures.ts"
import { exceedsContext } from "../../sdk/model/endpoint-error.ts"
import type { Answer } from "../../sdk/model/model-exchange.ts"
import type { AskedItem, Asking, Item, ItemBenchmark, ItemContext, ItemVerdict, ScoredItem } from "../benchmark.ts"
import { mayHold } from "../may-hold.ts"
import { unlessSilent, wasCut } from "../no-answer.ts"
import { proportion } from "../proportion.ts"
import { type SeededRandom, seededRandom } from "../random.ts"
import { ANSWER_TOKENS, MIN_LENGTH } from "./haystack.ts"

const DEFAULT_LENGTHS: ReadonlyArray<number> = [1024, 4096, 8192]
export const ITEMS_PER_LENGTH = 20

export interface Search {
  readonly prompt: string
  /** strings that all have to be in the answer */
  readonly expected: ReadonlyArray<string>
}

export interface SearchTask {
  readonly id: string
  readonly version: number
  readonly make: (random: SeededRandom, length: number, index: number) => Search
}

/** whether a string stands alone in a text: not inside a longer number or word; case does not matter */
export const mentions = (text: string, wanted: string): boolean =>
  mayHold(text, wanted) && new RegExp(`(?<![\\p{L}\\p{N}])${escaped(wanted)}(?![\\p{L}\\p{N}])`, "iu").test(text)

const score =
  (expected: ReadonlyArray<string>) =>
  (answer: Answer): ItemVerdict => {
    const found = expected.filter((wanted) => mentions(answer.text, wanted))
    const all = found.length === expected.length
    return {
      verdict: all ? "correct" : wasCut(answer) ? "invalid" : "incorrect",
      extracted: found.join(", "),
      scores: { string_match_all: all ? 1 : 0 }
    }
  }

/** stands for the answer that a refused prompt never got */
const noAnswer: Answer = {
  text: "",
  toolCalls: [],
  tokens: { prompt: 0, completion: 0, estimated: false },
  latencyMs: 0,
  retries: 0
}

const askUnlessTooLong =
  (item: Item) =>
  (asking: Asking): Effect.Effect<AskedItem, AdapterError> =>
    asking
      .generate(item.messages, {
        maxTokens: item.maxTokens,
        isComplete: (answer) => item.score(answer).verdict === "correct"
      })
      .pipe(
        Effect.map((answer): AskedItem => ({ answer, verdict: unlessSilent(answer, item.score(answer)) })),
        Effect.catchIf(exceedsContext, () =>
          Effect.succeed<AskedItem>({
            answer: noAnswer,
            verdict: { verdict: "skipped", reason: "context_too_long", scores: {} }
          })
        )
      )

/** items of one task at the given lengths; the same seed gives the same bytes */
export const searchItems = (task: SearchTask, seed: number, lengths: ReadonlyArray<number>): ReadonlyArray<Item> =>
  lengths.flatMap((length) =>
    Array.from({ length: ITEMS_PER_LENGTH }, (_, index) => {
      const { prompt, expected } = task.make(seededRandom(task.id, task.version, seed, length, index), length, index)
      const item: Item = {
        id: `${task.id}:${task.version}:${seed}-${length}-${String(index).padStart(2, "0")}`,
        stratum: String(length),
        messages: [{ role: "user", content: prompt }],
        maxTokens: ANSWER_TOKENS,
        reference: expected,
        chance: 0,
        score: score(expected)
      }
      return { ...item, ask: askUnlessTooLong(item) }
    })
  )

const lengthsOf = ({ parameters }: ItemContext): ReadonlyArray<number> => {
  const given = parameters["lengths"]
  return Array.isArray(given) ? [...new Set(given.map(Number))].sort((a, b) => a - b) : DEFAULT_LENGTHS
}

const strata = (scored: ReadonlyArray<ScoredItem>): ReadonlyArray<string> => [
  ...new Set(scored.map(({ item }) => item.stratum))
]

const skippedLengths = (scored: ReadonlyArray<ScoredItem>): ReadonlyArray<string> =>
  strata(scored).filter((length) =>
    scored.some(
      ({ item, outcome }) =>
        item.stratum === length && outcome._tag === "Scored" && outcome.verdict.verdict === "skipped"
    )
  )

/** per length, and `auc`: the mean over the lengths that were run, each length counting the same */
const derive = (scored: ReadonlyArray<ScoredItem>): ReadonlyArray<Metric> => {
  const perLength = strata(scored).flatMap((length) => {
    const values = scored.flatMap(({ item, outcome }) => {
      const value = outcome._tag === "Scored" ? outcome.verdict.scores["string_match_all"] : undefined
      return item.stratum !== length || value === undefined ? [] : [value]
    })
    return proportion(`${length}/string_match_all`, values.filter((value) => value === 1).length, values.length)
  })
  const rates = perLength.map(({ value }) => Number(value))
  if (rates.length === 0) return []
  return [
    ...perLength,
    {
      name: "auc",
      value: rates.reduce((sum, rate) => sum + rate, 0) / rates.length,
      lowerIsBetter: false,
      n: rates.length
    }
  ]
}

const notes = (scored: ReadonlyArray<ScoredItem>): ReadonlyArray<string> =>
  skippedLengths(scored).map(
    (length) => `length ${length} was not run: the model refused the prompt as longer than its context`
  )

/** the benchmark of a search task */
export const longContext = (task: SearchTask): ItemBenchmark => ({
  kind: "items",
  id: task.id,
  needs: ["chat"],
  items: (context) => {
    const lengths = lengthsOf(context)
    const small = lengths.filter((length) => length < MIN_LENGTH)
    return small.length > 0
      ? invalidParameter(
          `lengths (${small.join(", ")}) must be at least ${MIN_LENGTH} tokens, since the question itself needs that much room`
        )
      : Effect.succeed(searchItems(task, context.seed, lengths))
  },
  metrics: [{ name: "string_match_all", lowerIsBetter: false }],
  derive,
  notes
})
