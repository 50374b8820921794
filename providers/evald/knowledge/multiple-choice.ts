/**
 * Multiple choice with four options: how a question is put, how the chosen option is read under each method, and how it is scored. Random
 * guessing scores 0.25. Scores of different methods are not comparable, so the method is recorded. Contract: providers 5.
 */
import { Effect } from "effect"
import type { AdapterError } from "../../sdk/adapter.ts"
import type { Answer, ChatMessage } from "../../sdk/model-client.ts"
import type { AskedItem, Asking, Capability, Item, ItemBenchmark, ItemContext, ItemVerdict } from "../benchmark.ts"
import { seededRandom } from "../random.ts"
import { askByEcho } from "./echo-choice.ts"
import { EXAMPLE_QUESTIONS } from "./example-questions.ts"
import { LETTERS, readLetter } from "./letter.ts"
import { letterProbabilities } from "./letter-probabilities.ts"

export interface Question {
  readonly topic: string
  readonly text: string
  /** the right one first */
  readonly options: ReadonlyArray<string>
}

/** one question with its options in the order they are shown */
export interface PosedQuestion {
  readonly text: string
  readonly options: ReadonlyArray<string>
  /** place of the right option */
  readonly right: number
}

export const parseQuestions = (source: string): ReadonlyArray<Question> =>
  source
    .trim()
    .split("\n")
    .map((line) => {
      const [topic = "", text = "", ...options] = line.split(" | ")
      return { topic, text, options }
    })

/** options in a seeded order; over a set the right one stands in every place about equally often */
export const pose = (question: Question, number: number, ...seed: ReadonlyArray<string | number>): PosedQuestion => {
  const wrong = seededRandom(...seed, number).shuffle(question.options.slice(1))
  const right =
    (number + seededRandom(...seed, "start", Math.floor(number / question.options.length)).int(0, question.options.length - 1)) % question.options.length
  return { text: question.text, options: [...wrong.slice(0, right), question.options[0] as string, ...wrong.slice(right)], right }
}

export const LETTER_INSTRUCTION = 'Finish with a last line of the form "Answer: <x>", where <x> is the letter of the right option: A, B, C or D.'
export const LETTER_ONLY = "Reply with the letter of the right option and nothing else: A, B, C or D."

export const choiceText = ({ text, options }: PosedQuestion, instruction = LETTER_INSTRUCTION): string =>
  `${text}\n\n${options.map((option, index) => `${LETTERS[index]}) ${option}`).join("\n")}\n\n${instruction}`

const verdictOf = (chosen: number | undefined, right: number): ItemVerdict => ({
  verdict: chosen === undefined ? "invalid" : chosen === right ? "correct" : "incorrect",
  ...(chosen === undefined ? {} : { extracted: LETTERS[chosen] as string }),
  scores: { acc: chosen === right ? 1 : 0, invalid_rate: chosen === undefined ? 1 : 0 }
})

export const scoreLetter =
  (posed: PosedQuestion) =>
  (answer: Answer): ItemVerdict =>
    verdictOf(readLetter(answer.text, posed.options), posed.right)

/** the option whose letter got the highest probability as the first word of the reply */
export const scoreLogprobs =
  (posed: PosedQuestion) =>
  (answer: Answer): ItemVerdict => {
    const probabilities = letterProbabilities(answer)
    const best = probabilities === undefined ? undefined : probabilities.indexOf(Math.max(...probabilities))
    return verdictOf(best, posed.right)
  }

/** question and options as asked by letter only, with enough room for a blank before the letter */
export const letterQuestion = (posed: PosedQuestion) => ({
  content: choiceText(posed, LETTER_ONLY),
  maxTokens: 4,
  topLogprobs: 10
})

const methodOf = ({ parameters }: ItemContext) => (parameters["method"] ?? "generate") as "generate" | "logprobs" | "echo"

/** solved examples from the pool that is never asked */
export const exampleTurns = (context: ItemContext, instruction: string, reply: (letter: string) => string): ReadonlyArray<ChatMessage> => {
  const examples = seededRandom("choice examples", context.seed).sample(parseQuestions(EXAMPLE_QUESTIONS), context.fewShot)
  return examples.flatMap((example, number) => {
    const posed = pose(example, number, "choice examples", context.seed)
    return [
      { role: "user" as const, content: choiceText(posed, instruction) },
      { role: "assistant" as const, content: reply(LETTERS[posed.right] as string) }
    ]
  })
}

const echoExamples = (context: ItemContext): string =>
  seededRandom("choice examples", context.seed)
    .sample(parseQuestions(EXAMPLE_QUESTIONS), context.fewShot)
    .map(({ text, options }) => `Question: ${text}\nAnswer: ${options[0]}\n\n`)
    .join("")

const methodParts = (posed: PosedQuestion, context: ItemContext): Pick<Item, "messages" | "maxTokens" | "score" | "topLogprobs" | "ask"> => {
  switch (methodOf(context)) {
    case "logprobs": {
      const { content, maxTokens, topLogprobs } = letterQuestion(posed)
      const turns = exampleTurns(context, LETTER_ONLY, (letter) => letter)
      return { messages: [...turns, { role: "user", content }], maxTokens, topLogprobs, score: scoreLogprobs(posed) }
    }
    case "echo": {
      const prompt = `${echoExamples(context)}Question: ${posed.text}\nAnswer:`
      return {
        messages: [{ role: "user", content: prompt }],
        maxTokens: 1,
        score: () => verdictOf(undefined, posed.right),
        ask: (asking: Asking): Effect.Effect<AskedItem, AdapterError> =>
          askByEcho(asking.client, prompt, posed.options).pipe(
            Effect.map(({ answer, byTotal, byByte }) => {
              const verdict = verdictOf(byTotal, posed.right)
              return { answer, verdict: { ...verdict, scores: { ...verdict.scores, acc_norm: byByte === posed.right ? 1 : 0 } } }
            })
          )
      }
    }
    default: {
      const turns = exampleTurns(context, LETTER_INSTRUCTION, (letter) => `Answer: ${letter}`)
      return { messages: [...turns, { role: "user", content: choiceText(posed) }], maxTokens: 512, score: scoreLetter(posed) }
    }
  }
}

export interface QuestionSet {
  readonly id: string
  readonly version: number
  readonly source: string
}

export const choiceItems = ({ id, version, source }: QuestionSet, context: ItemContext): ReadonlyArray<Item> =>
  parseQuestions(source).map((question, index) => {
    const posed = pose(question, index, id, version, context.seed)
    return {
      id: `${id}:v${version}:${String(index).padStart(3, "0")}`,
      stratum: question.topic,
      reference: LETTERS[posed.right],
      choices: posed.options,
      ...methodParts(posed, context)
    }
  })

const METHOD_NEEDS: { readonly [method: string]: ReadonlyArray<Capability> } = { logprobs: ["logprobs"], echo: ["echo"] }

export const choiceBenchmark = (set: QuestionSet): ItemBenchmark => ({
  kind: "items",
  id: set.id,
  needs: ["generate"],
  needsFor: (parameters) => METHOD_NEEDS[String(parameters["method"])] ?? [],
  items: (context) => Effect.sync(() => choiceItems(set, context)),
  metrics: [{ name: "acc" }, { name: "acc_norm" }, { name: "invalid_rate", lowerIsBetter: true }],
  scoring: (context) => ({ origin: "authored", set_version: set.version, method: methodOf(context) })
})
