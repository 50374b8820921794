/** A question with options: how it is written down in this project, and how it is put to a model. */
import type { ChatMessage } from "../../sdk/model/model-exchange.ts"
import { answerInstruction } from "../answers/answer-kind.ts"
import { choiceKind, LETTERS } from "../answers/choice-kind.ts"
import { seededRandom } from "../random.ts"
import { EXAMPLE_QUESTIONS } from "./example-questions.ts"

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

/** how the reply has to look: a last line `Answer: B`, or nothing but the letter */
export type Manner = "answer line" | "letter only"

export const parseQuestions = (source: string): ReadonlyArray<Question> =>
  source
    .trim()
    .split("\n")
    .map((line) => {
      const [topic = "", text = "", ...options] = line.split(" | ")
      return { topic, text, options }
    })

/** of a question of a set: the seed orders its options, so that it is another question under another seed */
export const choiceId = (set: string, version: number, seed: number, number: number): string =>
  `${set}:v${version}:s${seed}-${String(number).padStart(3, "0")}`

/** options in a seeded order; over a set the right one stands in every place about equally often */
export const pose = (
  { text, options }: Question,
  number: number,
  ...seed: ReadonlyArray<string | number>
): PosedQuestion => {
  const wrong = seededRandom(...seed, number).shuffle(options.slice(1))
  const start = seededRandom(...seed, "start", Math.floor(number / options.length)).int(0, options.length - 1)
  const right = (number + start) % options.length
  return { text, options: [...wrong.slice(0, right), options[0] as string, ...wrong.slice(right)], right }
}

const instruction = (manner: Manner, options: ReadonlyArray<string>): string => {
  const letters = `${LETTERS.slice(0, options.length - 1).join(", ")} or ${LETTERS[options.length - 1]}`
  return manner === "letter only"
    ? `Reply with the letter of the right option and nothing else: ${letters}.`
    : answerInstruction(choiceKind(options))
}

export const choiceText = ({ text, options }: PosedQuestion, manner: Manner = "answer line"): string =>
  `${text}\n\n${options.map((option, index) => `${LETTERS[index]}) ${option}`).join("\n")}\n\n${instruction(manner, options)}`

/** what a model that answers rightly replies */
const choiceReply = ({ right }: PosedQuestion, manner: Manner): string =>
  manner === "letter only" ? (LETTERS[right] as string) : `Answer: ${LETTERS[right]}`

/** solved examples from a pool that is never asked */
export const choiceExamples = (seed: number, count: number): ReadonlyArray<PosedQuestion> =>
  seededRandom("choice examples", seed)
    .sample(parseQuestions(EXAMPLE_QUESTIONS), count)
    .map((example, number) => pose(example, number, "choice examples", seed))

export const exampleTurns = (examples: ReadonlyArray<PosedQuestion>, manner: Manner): ReadonlyArray<ChatMessage> =>
  examples.flatMap((posed) => [
    { role: "user" as const, content: choiceText(posed, manner) },
    { role: "assistant" as const, content: choiceReply(posed, manner) }
  ])
