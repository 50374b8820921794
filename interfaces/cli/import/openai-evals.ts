/**
 * Evaluations of the OpenAI Evals API as it exports them: an eval with its testing criteria, and a run with its prompt and its items. Each
 * criterion becomes a set. Reference: docs/custom-data.md, "Evaluations of other tools".
 */

import { Either } from "effect"
import { defined } from "../../../values/defined.ts"
import { isObject } from "../../../values/json.ts"
import {
  entryIn,
  type Grader,
  type Imported,
  type ImportedSet,
  idOf,
  type LeftOut,
  listIn,
  type Message,
  type Row,
  scalarText
} from "./imported.ts"
import { contains, containsAnyCase, isText, not, patternOf } from "./patterns.ts"
import { render } from "./templates.ts"

type Document = { readonly [member: string]: unknown }

const reply = "sample.output_text"
const isReply = (template: unknown): boolean =>
  typeof template === "string" && /^\{\{\s*sample\.output_text\s*\}\}$/.test(template.trim())

const roles: { readonly [role: string]: Message["role"] } = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant"
}

const textOf = (content: unknown): string | undefined => {
  if (typeof content === "string") return content
  const parts = isObject(content) ? [content] : listIn(content)
  const texts = parts.map((part) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : undefined))
  return texts.length > 0 && texts.every((text) => text !== undefined) ? texts.join("") : undefined
}

/** messages with the values of one item, or why there are none; `replies`: places of the reply, where there is one already */
const messagesOf = (
  templates: unknown,
  item: unknown,
  replies: ReadonlyArray<string>
): Either.Either<ReadonlyArray<Message>, string> =>
  Either.gen(function* () {
    const messages: Array<Message> = []
    for (const template of listIn(templates)) {
      const role = isObject(template) ? entryIn(roles, template["role"]) : undefined
      const content = isObject(template) ? textOf(template["content"]) : undefined
      if (role === undefined || content === undefined)
        return yield* Either.left("one of its messages has a role or a content other than text")
      messages.push({ role, content: yield* render(content, { item }, replies) })
    }
    return messages.at(-1)?.role === "user"
      ? messages
      : yield* Either.left("its messages do not end with one of the user")
  })

const comparisons: { readonly [operation: string]: (text: string) => string } = {
  eq: isText,
  ne: (text) => not(isText(text)),
  like: contains,
  ilike: containsAnyCase
}

interface Item {
  readonly id: string
  readonly item: unknown
  readonly messages: ReadonlyArray<Message>
}

type Judged = Pick<ImportedSet, "scorer" | "judge" | "notes"> & {
  readonly of: (item: Item) => Either.Either<Pick<Row, "answer" | "grader">, string>
}

const stringCheck = ({ input, reference, operation }: Document): Either.Either<Judged, string> => {
  const compare = entryIn(comparisons, operation)
  if (!isReply(input)) return Either.left("its input is something else than the reply, {{sample.output_text}}")
  if (compare === undefined) return Either.left(`its operation '${String(operation)}' is none of eq, ne, like, ilike`)
  return Either.right({
    scorer: "regex_match",
    notes: ["blanks around a reply, reasoning before it and special tokens are taken off before it is compared"],
    of: ({ item }) =>
      Either.flatMap(render(String(reference), { item }), (text) =>
        text === "" ? Either.left("its reference is empty") : Either.right({ answer: patternOf(compare(text)) })
      )
  })
}

const similarity = ({
  input,
  reference,
  evaluation_metric: metric,
  pass_threshold: threshold
}: Document): Either.Either<Judged, string> => {
  if (!isReply(input)) return Either.left("its input is something else than the reply, {{sample.output_text}}")
  if (metric !== "rouge_l")
    return Either.left(`its metric '${String(metric)}' has no counterpart that measures the same; rouge_l has`)
  return Either.right({
    scorer: "rouge_l",
    notes: [
      `the score is the mean over the items, not the share of those that reach pass_threshold (${String(threshold)})`
    ],
    of: ({ item }) => Either.map(render(String(reference), { item }), (answer) => ({ answer }))
  })
}

const textsIn = (value: unknown): ReadonlyArray<string> | undefined => {
  const texts = listIn(value).map(scalarText)
  return texts.length > 0 && texts.every((text) => text !== undefined) ? texts : undefined
}

const graded = (
  { model, input }: Document,
  rule: (messages: ReadonlyArray<Message>) => Grader
): Either.Either<Judged, string> =>
  Either.right({
    scorer: "grader",
    ...(typeof model === "string" ? { judge: model } : {}),
    notes: ["the grader is asked in its own words; the form of its answer is asked for in ours"],
    of: ({ item }) => Either.map(messagesOf(input, item, [reply]), (messages) => ({ grader: rule(messages) }))
  })

const labelModel = (criterion: Document): Either.Either<Judged, string> => {
  const [labels, passing] = [textsIn(criterion["labels"]), textsIn(criterion["passing_labels"])]
  return labels === undefined || passing === undefined || passing.some((label) => !labels.includes(label))
    ? Either.left("its labels are missing, or one of its passing_labels is none of them")
    : graded(criterion, (messages) => ({ messages, labels, passing_labels: passing }))
}

const scoreModel = (criterion: Document): Either.Either<Judged, string> => {
  const [low, high] = criterion["range"] === undefined ? [0, 1] : listIn(criterion["range"])
  const threshold = criterion["pass_threshold"]
  if (typeof low !== "number" || typeof high !== "number" || low >= high)
    return Either.left("its range is no pair of rising numbers")
  if (typeof threshold !== "number")
    return Either.left("it has no pass_threshold, so that nothing says which scores pass")
  return graded(criterion, (messages) => ({ messages, range: [low, high], pass_threshold: threshold }))
}

const kinds: { readonly [type: string]: (criterion: Document) => Either.Either<Judged, string> } = {
  string_check: stringCheck,
  text_similarity: similarity,
  label_model: labelModel,
  score_model: scoreModel
}

const setOf = (
  criterion: unknown,
  index: number,
  items: ReadonlyArray<Item>
): { readonly set?: ImportedSet; readonly leftOut: ReadonlyArray<LeftOut> } => {
  const given = isObject(criterion) ? criterion : {}
  const name = scalarText(given["name"]) ?? String(index)
  const what = `criterion '${name}'`
  const kind = entryIn(kinds, given["type"])
  const judged =
    kind === undefined ? Either.left(`its type '${String(given["type"])}' has no counterpart`) : kind(given)
  if (Either.isLeft(judged)) return { leftOut: [{ what, why: judged.left }] }
  const { of, ...set } = judged.right
  const rows: Array<Row> = []
  const leftOut: Array<LeftOut> = []
  for (const item of items) {
    const found = of(item)
    if (Either.isLeft(found)) leftOut.push({ what: `${what}, item ${item.id}`, why: found.left })
    else rows.push({ id: item.id, messages: item.messages, ...found.right })
  }
  return rows.length === 0
    ? { leftOut }
    : { set: { ...set, id: `${index + 1}-${idOf(name, "criterion")}`, rows }, leftOut }
}

const contentOf = (run: Document): ReadonlyArray<unknown> => {
  const source = isObject(run["data_source"]) ? run["data_source"]["source"] : undefined
  return isObject(source) ? listIn(source["content"]) : []
}

/** the eval and a run of it, each by its `object`, wherever in the document they stand */
const partsOf = (document: unknown): { readonly definition?: Document; readonly run?: Document } => {
  const all = isObject(document)
    ? [document, document["eval"], document["run"], ...listIn(document["runs"]), ...listIn(document["data"])]
    : listIn(document)
  const records = all.filter(isObject)
  const definition = records.find((one) => Array.isArray(one["testing_criteria"]))
  const run = records.find((one) => isObject(one["data_source"]))
  return { ...defined({ definition, run }) }
}

/** `document`: the export; `data`: rows of a file of items beside it, used when the run names a file. Left: why it is no such export */
export const readOpenAiEvals = (
  document: unknown,
  data: ReadonlyArray<unknown> | undefined
): Either.Either<Imported, string> => {
  const { definition, run } = partsOf(document)
  if (definition === undefined) return Either.left("it has no eval: an object with testing_criteria")
  if (run === undefined)
    return Either.left("it has no run: an object with a data_source, which says what the model is asked")
  const source = isObject(run["data_source"]) ? run["data_source"] : {}
  const input = isObject(source["input_messages"]) ? source["input_messages"] : {}
  if (!Array.isArray(input["template"]))
    return Either.left("its run has no input_messages with a template: what the model was asked can not be told")
  const given = data ?? contentOf(run)
  if (given.length === 0) return Either.left("its run holds no items; name a file of them with --data")
  const items: Array<Item> = []
  const leftOut: Array<LeftOut> = []
  for (const [index, row] of given.entries()) {
    const item = isObject(row) && row["item"] !== undefined ? row["item"] : row
    const messages = messagesOf(input["template"], item, [])
    if (Either.isLeft(messages)) leftOut.push({ what: `item ${index + 1}`, why: messages.left })
    else items.push({ id: String(index + 1), item, messages: messages.right })
  }
  const sets = listIn(definition["testing_criteria"]).map((criterion, index) => setOf(criterion, index, items))
  return Either.right({
    name: scalarText(definition["name"]) ?? "imported",
    sets: sets.flatMap(({ set }) => set ?? []),
    leftOut: [...leftOut, ...sets.flatMap((one) => one.leftOut)]
  })
}
