/**
 * Do the probabilities of the option letters mean what they say? `ece`: expected calibration error over ten bins of the chosen letter's
 * probability. `brier`: Σ (p − 1 for the right option, p for the others)², 0 to 2; letters without a stated probability count as 0.
 * A model that gives every letter 1/4 has ece near 0 and brier 0.75.
 */
import { Effect } from "effect"
import type { Metric } from "../../sdk/adapter.ts"
import type { Answer } from "../../sdk/model/model-exchange.ts"
import { LETTERS } from "../answers/choice-kind.ts"
import type { Item, ItemBenchmark, ItemContext, ItemVerdict, ScoredItem } from "../benchmark.ts"
import { verdictsOf } from "../items/item-metrics.ts"
import { choiceExamples, choiceId, type PosedQuestion, pose } from "../knowledge/choice-question.ts"
import { letterProbabilities } from "../knowledge/letter-probabilities.ts"
import { MIXED_QUESTIONS } from "../knowledge/mixed-questions.ts"
import { letterQuestion } from "../knowledge/multiple-choice.ts"
import { brier, expectedCalibrationError, type Prediction } from "../statistics.ts"

const ID = "calibration_mcq"
const VERSION = 1

const score =
  ({ right }: PosedQuestion) =>
  (answer: Answer): ItemVerdict => {
    const probabilities = letterProbabilities(answer)
    if (probabilities === undefined)
      return { verdict: "invalid", reason: "answer_not_found", scores: { acc: 0, invalid_rate: 1 } }
    const confidence = Math.max(...probabilities)
    const chosen = probabilities.indexOf(confidence)
    return {
      verdict: chosen === right ? "correct" : "incorrect",
      extracted: LETTERS[chosen] as string,
      reason: "likelihood",
      basis: { logprobs: { probabilities } },
      scores: { acc: chosen === right ? 1 : 0, invalid_rate: 0, brier: brier(probabilities, right), confidence }
    }
  }

const items = (context: ItemContext): ReadonlyArray<Item> => {
  const examples = choiceExamples(context.seed, context.fewShot)
  return MIXED_QUESTIONS.map((question, index) => {
    const posed = pose(question, index, ID, VERSION, context.seed)
    return {
      id: choiceId(ID, VERSION, context.seed, index),
      stratum: question.topic,
      ...letterQuestion(posed, examples),
      reference: LETTERS[posed.right],
      choices: posed.options,
      score: score(posed)
    }
  })
}

/** without an interval: with few items a bin the estimate lies above the true error even of a calibrated model, and no resampling mends that */
const calibration = (scored: ReadonlyArray<ScoredItem>): ReadonlyArray<Metric> => {
  const predictions = verdictsOf(scored).flatMap(({ scores }): ReadonlyArray<Prediction> => {
    const { confidence, acc } = scores
    return confidence === undefined ? [] : [{ confidence, correct: acc === 1 }]
  })
  return predictions.length === 0
    ? []
    : [{ name: "ece", value: expectedCalibrationError(predictions), lowerIsBetter: true, n: predictions.length }]
}

export const calibrationMcq: ItemBenchmark = {
  kind: "items",
  id: ID,
  needs: ["chat", "logprobs"],
  items: (context) => Effect.sync(() => items(context)),
  metrics: [
    { name: "brier", lowerIsBetter: true, range: { min: 0, max: 2 } },
    { name: "acc" },
    { name: "invalid_rate", lowerIsBetter: true }
  ],
  derive: calibration,
  scoring: () => ({ origin: "authored", set_version: VERSION, method: "logprobs", bins: 10 })
}
