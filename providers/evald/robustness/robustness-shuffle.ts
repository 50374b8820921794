/**
 * Does the order of the options change the answer? Each question is asked in four orders, so that every option stands in every place once.
 * `consistency`: all four replies choose the same option. `acc`: mean over the four. `position_bias`: largest distance of a letter's share of
 * all replies from one quarter, 0 for a model without preference. Random guessing scores consistency 1/64, acc 0.25.
 */
import { Effect } from "effect"
import type { AdapterError, Metric } from "../../sdk/adapter.ts"
import { invalidParameter } from "../../sdk/failures.ts"
import { choiceKind, LETTERS } from "../answers/choice-kind.ts"
import { readAnswer } from "../answers/read-answer.ts"
import { readValue } from "../answers/reading.ts"
import type { AskedItem, Asking, Item, ItemBenchmark, ItemContext, ScoredItem } from "../benchmark.ts"
import { combineAnswers } from "../items/combine-answers.ts"
import { verdictsOf } from "../items/item-metrics.ts"
import {
  choiceExamples,
  choiceId,
  choiceText,
  exampleTurns,
  type PosedQuestion,
  pose
} from "../knowledge/choice-question.ts"
import { MIXED_QUESTIONS } from "../knowledge/mixed-questions.ts"
import { placeOf } from "../knowledge/multiple-choice.ts"
import { isSilent, unlessSilent, wasCut } from "../no-answer.ts"
import { mean } from "../statistics.ts"

const ID = "robustness_shuffle"
const VERSION = 1
const MAX_TOKENS = 2048

const rotated = ({ text, options, right }: PosedQuestion, by: number): PosedQuestion => ({
  text,
  options: options.map((_, place) => options[(place + by) % options.length] as string),
  right: (right - by + options.length) % options.length
})

const askOrders = (
  orders: ReadonlyArray<PosedQuestion>,
  asking: Asking,
  examples: Item["messages"]
): Effect.Effect<AskedItem, AdapterError> =>
  Effect.forEach(orders, (posed) =>
    asking.generate([...examples, { role: "user", content: choiceText(posed) }]).pipe(
      Effect.map((answer) => ({
        posed,
        answer,
        place: placeOf(readValue(readAnswer(answer.text, choiceKind(posed.options), wasCut(answer))))
      }))
    )
  ).pipe(
    Effect.map((asked) => {
      const chosen = asked.map(({ posed, place }) => (place === undefined ? undefined : posed.options[place]))
      const right = asked.filter(({ posed, place }) => place === posed.right).length
      const same = chosen[0] !== undefined && chosen.every((option) => option === chosen[0])
      const letters = asked.map(({ place }) => (place === undefined ? "-" : (LETTERS[place] as string)))
      const answer = asked.map((one) => one.answer).reduce(combineAnswers)
      const spoken = asked.find((one) => !isSilent(one.answer))?.answer ?? answer
      return {
        answer: { ...answer, text: asked.map((one) => one.answer.text).join("\n---\n") },
        verdict: unlessSilent(spoken, {
          verdict: chosen.every((option) => option === undefined)
            ? "invalid"
            : right === asked.length
              ? "correct"
              : "incorrect",
          extracted: letters.join(""),
          scores: {
            consistency: same ? 1 : 0,
            acc: right / asked.length,
            invalid_rate: letters.filter((letter) => letter === "-").length / letters.length,
            ...Object.fromEntries(
              ["A", "B", "C", "D"].map((letter) => [`chose_${letter}`, letters.filter((one) => one === letter).length])
            )
          }
        })
      }
    })
  )

const items = (context: ItemContext): ReadonlyArray<Item> => {
  const examples = exampleTurns(choiceExamples(context.seed, context.fewShot), "answer line")
  return MIXED_QUESTIONS.map((question, index) => {
    const posed = pose(question, index, ID, VERSION, context.seed)
    const orders = posed.options.map((_, by) => rotated(posed, by))
    return {
      id: choiceId(ID, VERSION, context.seed, index),
      stratum: question.topic,
      messages: [...examples, ...orders.map((order) => ({ role: "user" as const, content: choiceText(order) }))],
      maxTokens: MAX_TOKENS,
      reference: question.options[0],
      choices: posed.options,
      score: () => ({ verdict: "invalid", scores: {} }),
      ask: (asking) => askOrders(orders, asking, examples)
    }
  })
}

type Counts = ReadonlyArray<number>

const biasOf = (rows: ReadonlyArray<Counts>): number => {
  const sums = [0, 1, 2, 3].map((letter) => rows.reduce((sum, row) => sum + (row[letter] as number), 0))
  const total = sums.reduce((sum, count) => sum + count, 0)
  return Math.max(...sums.map((count) => Math.abs(count / total - 0.25)))
}

/** without an interval: a largest distance lies above the true one even of a model without preference */
const positionBias = (scored: ReadonlyArray<ScoredItem>): ReadonlyArray<Metric> => {
  const rows = verdictsOf(scored)
    .map(({ scores }) => ["A", "B", "C", "D"].map((letter) => scores[`chose_${letter}`] ?? 0))
    .filter((row) => mean(row) > 0)
  return rows.length === 0 ? [] : [{ name: "position_bias", value: biasOf(rows), lowerIsBetter: true, n: rows.length }]
}

export const robustnessShuffle: ItemBenchmark = {
  kind: "items",
  id: ID,
  needs: ["generate"],
  items: (context) =>
    context.parameters["method"] === undefined || context.parameters["method"] === "generate"
      ? Effect.sync(() => items(context))
      : invalidParameter(`${ID} reads generated answers only; remove parameter method`),
  metrics: [{ name: "consistency" }, { name: "acc" }, { name: "invalid_rate", lowerIsBetter: true }],
  derive: positionBias,
  scoring: () => ({ origin: "authored", set_version: VERSION, method: "generate", orders: 4 })
}
