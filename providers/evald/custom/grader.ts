/** How a row has a second model decide: its question, and which labels or scores pass. Reference: docs/custom-data.md, "Graders". */
import { Either } from "effect"
import { isObject } from "../../../values/json.ts"
import type { ChatMessage } from "../../sdk/model/model-exchange.ts"
import { plainText, unmarked } from "../answers/plain-text.ts"

type Rule =
  | { readonly _tag: "Labels"; readonly labels: ReadonlyArray<string>; readonly passing: ReadonlyArray<string> }
  | { readonly _tag: "Score"; readonly low: number; readonly high: number; readonly threshold: number }

export interface Grader {
  /** `{{reply}}` stands for the reply */
  readonly messages: ReadonlyArray<ChatMessage>
  readonly rule: Rule
}

/** what a grader decided; `value`: 0 to 1 */
export interface Graded {
  readonly passed: boolean
  readonly value: number
  readonly told: string
}

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string" && one.trim() !== "")

const isMessage = (value: unknown): value is ChatMessage =>
  isObject(value) &&
  (value["role"] === "system" || value["role"] === "user" || value["role"] === "assistant") &&
  typeof value["content"] === "string"

/** words that follow "has a column that" */
export const readGrader = (given: unknown): Either.Either<Grader, string> => {
  if (!isObject(given)) return Either.left("is not an object")
  const { messages, labels, passing_labels: passing, range, pass_threshold: threshold } = given
  if (!Array.isArray(messages) || !messages.every(isMessage) || messages.at(-1)?.role !== "user")
    return Either.left("has no messages of {role, content} that end with one of the user")
  if (!messages.some(({ content }) => content.includes("{{reply}}")))
    return Either.left("has no message with {{reply}}")
  if (isTexts(labels) && isTexts(passing) && passing.every((one) => labels.includes(one)))
    return Either.right({ messages, rule: { _tag: "Labels", labels, passing } })
  const [low, high] = Array.isArray(range) ? range : []
  if (typeof low === "number" && typeof high === "number" && low < high && typeof threshold === "number")
    return Either.right({ messages, rule: { _tag: "Score", low, high, threshold } })
  return Either.left(
    "has neither labels with passing_labels among them, nor a range of two rising numbers with a pass_threshold"
  )
}

const closing = (rule: Rule): string =>
  rule._tag === "Labels"
    ? `Finish with a last line of the form "Label: <x>", where <x> is one of these: ${rule.labels.join(", ")}.`
    : `Finish with a last line of the form "Score: <n>", where <n> is a number from ${rule.low} to ${rule.high}.`

/** what the grader is asked about a reply */
export const questionOf = ({ messages, rule }: Grader, reply: string): ReadonlyArray<ChatMessage> =>
  messages.map(({ role, content }, index) => {
    const text = content.replaceAll("{{reply}}", () => reply)
    return { role, content: index === messages.length - 1 ? `${text}\n\n${closing(rule)}` : text }
  })

const lastLine = (text: string, word: string): string | undefined =>
  [...text.matchAll(new RegExp(`^[^\\p{L}\\p{N}]*${word}[^\\p{L}\\p{N}\\-]*(.+?)\\s*$`, "gimu"))].at(-1)?.[1]

const plain = (text: string): string =>
  unmarked(plainText(text))
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "")
    .toLowerCase()

/** undefined: it says none of the labels, or no number of the range */
export const readGraded = ({ rule }: Grader, given: string): Graded | undefined => {
  const text = unmarked(plainText(given))
  if (rule._tag === "Labels") {
    const said = plain(lastLine(text, "label") ?? text)
    const label = rule.labels.find((one) => plain(one) === said)
    if (label === undefined) return undefined
    const passed = rule.passing.includes(label)
    return { passed, value: passed ? 1 : 0, told: label }
  }
  const said = /^-?\d+(?:\.\d+)?/.exec(lastLine(text, "score") ?? text)?.[0]
  const score = Number(said ?? Number.NaN)
  if (!(score >= rule.low && score <= rule.high)) return undefined
  return { passed: score >= rule.threshold, value: (score - rule.low) / (rule.high - rule.low), told: String(score) }
}
