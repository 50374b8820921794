/**
 * Multiple choice: how the chosen option is read under each method, and how it is scored. Random guessing scores 0.25 with four options. Scores
 * of different methods are not comparable, so the method is recorded. Reference: providers-and-collections.md, "Embedded benchmarks".
 */
import { Effect } from "effect"
import type { AdapterError } from "../../sdk/adapter.ts"
import type { Answer, ChatMessage } from "../../sdk/model/model-exchange.ts"
import { readStrictly } from "../answers/answer-line.ts"
import { choiceKind, LETTERS } from "../answers/choice-kind.ts"
import { readAnswer } from "../answers/read-answer.ts"
import { readValue } from "../answers/reading.ts"
import type { AskedItem, Asking, Capability, Item, ItemBenchmark, ItemContext, ItemVerdict } from "../benchmark.ts"
import { wasCut } from "../no-answer.ts"
import {
  choiceExamples,
  choiceId,
  choiceText,
  exampleTurns,
  type PosedQuestion,
  parseQuestions,
  pose
} from "./choice-question.ts"
import { askByEcho } from "./echo-choice.ts"
import { letterProbabilities } from "./letter-probabilities.ts"

export const CHOICE_METRICS = [
  { name: "acc" },
  { name: "acc_norm" },
  { name: "acc_strict" },
  { name: "format_error_rate", lowerIsBetter: true },
  { name: "invalid_rate", lowerIsBetter: true }
] as const

/** generated answers only: the letter in any usual form, and in the answer line that the prompt asks for */
const CHOICE_READINGS = { flexible: "acc", strict: "acc_strict" } as const

const METHOD_NEEDS: { readonly [method: string]: ReadonlyArray<Capability> } = {
  logprobs: ["logprobs"],
  echo: ["echo"]
}

/** capabilities beyond a chat or completions route that the parameter `method` asks for */
export const methodNeeds = (parameters: ItemContext["parameters"]): ReadonlyArray<Capability> =>
  METHOD_NEEDS[String(parameters["method"])] ?? []

export const methodOf = ({ parameters }: ItemContext) =>
  (parameters["method"] ?? "generate") as "generate" | "logprobs" | "echo"

const verdictOf = (chosen: number | undefined, right: number): ItemVerdict => ({
  verdict: chosen === undefined ? "invalid" : chosen === right ? "correct" : "incorrect",
  ...(chosen === undefined ? {} : { extracted: LETTERS[chosen] as string }),
  scores: { acc: chosen === right ? 1 : 0, invalid_rate: chosen === undefined ? 1 : 0 }
})

/** place of an option's letter */
export const placeOf = (letter: string | undefined): number | undefined =>
  letter === undefined ? undefined : LETTERS.indexOf(letter)

const scoreLetter =
  ({ options, right }: PosedQuestion) =>
  (answer: Answer): ItemVerdict => {
    const kind = choiceKind(options)
    const reading = readAnswer(answer.text, kind, wasCut(answer))
    const strict = readStrictly(answer.text, kind)
    const verdict = verdictOf(placeOf(readValue(reading)), right)
    return {
      ...verdict,
      ...(reading._tag === "Unread" ? { reason: reading.reason } : {}),
      scores: {
        ...verdict.scores,
        acc_strict: placeOf(strict) === right ? 1 : 0,
        format_error_rate: strict === undefined ? 1 : 0
      }
    }
  }

/** the option whose letter got the highest probability as the first word of the reply */
const scoreLogprobs =
  ({ options, right }: PosedQuestion) =>
  (answer: Answer): ItemVerdict => {
    const probabilities = letterProbabilities(answer, options.length)
    const verdict = verdictOf(probabilities?.indexOf(Math.max(...probabilities)), right)
    return probabilities === undefined
      ? { ...verdict, reason: "answer_not_found" }
      : { ...verdict, reason: "likelihood", basis: { logprobs: { probabilities } } }
  }

/** asks for the letter alone, with enough room for a blank before it and enough candidates to hold every letter */
export const letterQuestion = (posed: PosedQuestion, examples: ReadonlyArray<PosedQuestion>) => ({
  messages: [
    ...exampleTurns(examples, "letter only"),
    { role: "user", content: choiceText(posed, "letter only") }
  ] satisfies ReadonlyArray<ChatMessage>,
  maxTokens: 4,
  topLogprobs: 10
})

const askEcho =
  (prompt: string, { options, right }: PosedQuestion) =>
  ({ client }: Asking): Effect.Effect<AskedItem, AdapterError> =>
    askByEcho(client, prompt, options).pipe(
      Effect.map(({ answer, byTotal, byByte, totals }) => {
        const verdict: ItemVerdict = {
          ...verdictOf(byTotal, right),
          reason: "likelihood",
          basis: { logprobs: { continuations: totals } }
        }
        return { answer, verdict: { ...verdict, scores: { ...verdict.scores, acc_norm: byByte === right ? 1 : 0 } } }
      })
    )

/** the members of an item that depend on the method */
export const choiceParts = (
  posed: PosedQuestion,
  examples: ReadonlyArray<PosedQuestion>,
  method: "generate" | "logprobs" | "echo"
): Pick<Item, "messages" | "maxTokens" | "score" | "topLogprobs" | "continuations" | "ask" | "chance"> => ({
  chance: 1 / posed.options.length,
  ...methodParts(posed, examples, method)
})

const methodParts = (
  posed: PosedQuestion,
  examples: ReadonlyArray<PosedQuestion>,
  method: "generate" | "logprobs" | "echo"
): Pick<Item, "messages" | "maxTokens" | "score" | "topLogprobs" | "continuations" | "ask"> => {
  switch (method) {
    case "logprobs":
      return { ...letterQuestion(posed, examples), score: scoreLogprobs(posed) }
    case "echo": {
      const solved = examples.map(({ text, options, right }) => `Question: ${text}\nAnswer: ${options[right]}\n\n`)
      const prompt = `${solved.join("")}Question: ${posed.text}\nAnswer:`
      return {
        messages: [{ role: "user", content: prompt }],
        maxTokens: 1,
        continuations: posed.options.map((option) => [prompt, ` ${option}`] as const),
        score: () => verdictOf(undefined, posed.right),
        ask: askEcho(prompt, posed)
      }
    }
    default:
      return {
        messages: [...exampleTurns(examples, "answer line"), { role: "user", content: choiceText(posed) }],
        maxTokens: 2048,
        score: scoreLetter(posed)
      }
  }
}

export interface QuestionSet {
  readonly id: string
  readonly version: number
  readonly source: string
}

const choiceItems = ({ id, version, source }: QuestionSet, context: ItemContext): ReadonlyArray<Item> => {
  const examples = choiceExamples(context.seed, context.fewShot)
  return parseQuestions(source).map((question, index) => {
    const posed = pose(question, index, id, version, context.seed)
    return {
      id: choiceId(id, version, context.seed, index),
      stratum: question.topic,
      reference: LETTERS[posed.right],
      choices: posed.options,
      ...choiceParts(posed, examples, methodOf(context))
    }
  })
}

export const choiceBenchmark = (set: QuestionSet): ItemBenchmark => ({
  kind: "items",
  id: set.id,
  needs: ["generate"],
  needsFor: methodNeeds,
  items: (context) => Effect.sync(() => choiceItems(set, context)),
  metrics: CHOICE_METRICS,
  readings: CHOICE_READINGS,
  scoring: (context) => ({ origin: "authored", set_version: set.version, method: methodOf(context) })
})
