/** A record becomes a question: which columns it is read from, and what must be in them. Reference: providers-and-collections.md, "Embedded benchmarks". */
import { Either } from "effect"
import { parseJson } from "../../../values/json.ts"
import type { ChatMessage } from "../../sdk/model/model-exchange.ts"
import { LETTERS } from "../answers/choice-kind.ts"
import { type Grader, readGrader } from "./grader.ts"
import type { DataRecord } from "./records.ts"

export const COLUMNS = [
  "id",
  "question",
  "prompt",
  "messages",
  "choices",
  "answer",
  "reference",
  "context",
  "cluster",
  "grader"
] as const
type Column = (typeof COLUMNS)[number]
export type ColumnNames = { readonly [column in Column]?: string }

export interface CustomRow {
  readonly id: string | undefined
  /** a question gets the closing instruction of its scorer; a prompt or messages are sent as they are */
  readonly asked:
    | { readonly _tag: "Question"; readonly text: string }
    | { readonly _tag: "Prompt"; readonly text: string }
    | { readonly _tag: "Messages"; readonly messages: ReadonlyArray<ChatMessage> }
  readonly context: string | undefined
  readonly choices: { readonly options: ReadonlyArray<string>; readonly right: number } | undefined
  /** any of them is right; none where a grader decides without one */
  readonly references: ReadonlyArray<string>
  /** rows of one document or conversation have the same */
  readonly cluster: string | undefined
  /** how a second model decides about the reply */
  readonly grader: Grader | undefined
}

const ROLES = new Set(["system", "user", "assistant"])

const scalar = (value: unknown): string | undefined =>
  typeof value === "string"
    ? value
    : typeof value === "number" || typeof value === "boolean"
      ? String(value)
      : undefined

const listOf = (value: unknown): ReadonlyArray<string> | undefined => {
  const texts = Array.isArray(value) ? value.map(scalar) : [scalar(value)]
  return texts.length > 0 && texts.every((text) => text !== undefined) ? texts : undefined
}

/** a JSON list, or texts separated by `|` (CSV) */
const optionsOf = (value: unknown): ReadonlyArray<string> | undefined => {
  if (typeof value !== "string") return listOf(value)
  const parsed = value.trim().startsWith("[") ? parseJson(value) : undefined
  return Array.isArray(parsed) ? listOf(parsed) : value.split("|").map((option) => option.trim())
}

const messagesOf = (value: unknown): ReadonlyArray<ChatMessage> | undefined => {
  const list = typeof value === "string" ? parseJson(value) : value
  if (!Array.isArray(list) || list.length === 0) return undefined
  const messages = list.map((one: unknown) => {
    const { role, content } =
      typeof one === "object" && one !== null ? (one as { role?: unknown; content?: unknown }) : {}
    return typeof role === "string" && ROLES.has(role) && typeof content === "string"
      ? { role: role as ChatMessage["role"], content }
      : undefined
  })
  return messages.every((message) => message !== undefined) && messages.at(-1)?.role === "user" ? messages : undefined
}

/** the option that is meant: its text, its letter, or its number counted from 0 */
const placeOf = (answer: string, options: ReadonlyArray<string>): number => {
  const wanted = answer.trim()
  const byText = options.findIndex((option) => option.trim() === wanted)
  if (byText >= 0) return byText
  const byLetter = LETTERS.slice(0, options.length).indexOf(wanted.toUpperCase())
  return byLetter >= 0 ? byLetter : /^\d+$/.test(wanted) && Number(wanted) < options.length ? Number(wanted) : -1
}

/** the row, or what is wrong with it in words that follow "line 3 " */
export const readRow = ({ fields }: DataRecord, names: ColumnNames): Either.Either<CustomRow, string> => {
  const nameOf = (column: Column) => names[column] ?? column
  const value = (column: Column): unknown =>
    Object.hasOwn(fields, nameOf(column)) ? (fields[nameOf(column)] ?? undefined) : undefined
  const wrong = (column: Column, what: string) =>
    Either.left(`has a column ${JSON.stringify(nameOf(column))} that ${what}`)

  const asked = (["messages", "prompt", "question"] as const).find((column) => value(column) !== undefined)
  if (asked === undefined) {
    return Either.left(
      `has none of the columns ${(["question", "prompt", "messages"] as const).map((column) => JSON.stringify(nameOf(column))).join(", ")}`
    )
  }
  const messages = asked === "messages" ? messagesOf(value("messages")) : undefined
  if (asked === "messages" && messages === undefined) {
    return wrong(
      "messages",
      "is not a list of {role, content} with roles system, user and assistant that ends with a user message"
    )
  }
  const text = asked === "messages" ? "" : scalar(value(asked))
  if (text === undefined || (messages === undefined && text.trim() === ""))
    return wrong(asked, "is not a text, or is blank")
  const context = value("context") === undefined ? undefined : scalar(value("context"))
  if (value("context") !== undefined && context === undefined) return wrong("context", "is not a text")

  const answerColumn = value("answer") === undefined ? "reference" : "answer"
  const given = value("grader")
  const grader = given === undefined ? undefined : readGrader(given)
  if (grader !== undefined && Either.isLeft(grader)) return wrong("grader", grader.left)
  const references =
    value(answerColumn) === undefined ? (grader === undefined ? undefined : []) : listOf(value(answerColumn))
  if (references === undefined) {
    return value(answerColumn) === undefined
      ? Either.left(
          `has none of the columns ${JSON.stringify(nameOf("answer"))}, ${JSON.stringify(nameOf("reference"))}`
        )
      : wrong(answerColumn, "is not a text, a number or a list of them")
  }
  const cluster = value("cluster") === undefined ? undefined : scalar(value("cluster"))
  if (value("cluster") !== undefined && (cluster === undefined || !/^\P{Cc}{1,256}$/u.test(cluster)))
    return wrong("cluster", "is not a text of 1 to 256 characters without control characters")
  const options = value("choices") === undefined ? undefined : optionsOf(value("choices"))
  if (
    value("choices") !== undefined &&
    (options === undefined || options.length < 2 || options.length > LETTERS.length)
  ) {
    return wrong("choices", `is not a list of 2 to ${LETTERS.length} texts`)
  }
  const right = options === undefined ? -1 : placeOf(references[0] as string, options)
  if (options !== undefined && right < 0)
    return wrong(answerColumn, "names none of the choices by text, letter or number from 0")
  return Either.right({
    id: value("id") === undefined ? undefined : scalar(value("id")),
    asked:
      messages !== undefined
        ? { _tag: "Messages", messages }
        : { _tag: asked === "prompt" ? "Prompt" : "Question", text },
    context,
    choices: options === undefined ? undefined : { options, right },
    references,
    cluster,
    grader: grader?.right
  })
}
