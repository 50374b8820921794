/**
 * Configurations of promptfoo: prompts with places, tests with values and assertions. Assertions on the text become patterns, rubrics a
 * second model's question. Reference: docs/custom-data.md, "Evaluations of other tools".
 */
import { Either } from "effect"
import { isObject } from "../../../values/json.ts"
import { readJson } from "../../../values/json-text/read-json.ts"
import {
  entryIn,
  type Imported,
  type ImportedSet,
  idOf,
  type LeftOut,
  listIn,
  type Message,
  type Row,
  scalarText
} from "./imported.ts"
import {
  begins,
  type Condition,
  contains,
  containsAnyCase,
  every,
  isText,
  matches,
  not,
  patternOf,
  some
} from "./patterns.ts"
import { render, replyPlace } from "./templates.ts"

type Values = { readonly [name: string]: unknown }

const textsOf = (value: unknown): ReadonlyArray<string> => {
  const given = typeof value === "string" ? value.split(",").map((part) => part.trim()) : listIn(value)
  return given.flatMap((one) => scalarText(one) ?? [])
}

const ofList = (
  value: unknown,
  join: (all: ReadonlyArray<Condition>) => Condition,
  one: (text: string) => Condition
) => {
  const texts = textsOf(value)
  return texts.length === 0 ? undefined : join(texts.map(one))
}
const ofText = (value: unknown, one: (text: string) => Condition | undefined): Condition | undefined => {
  const text = scalarText(value)
  return text === undefined || text === "" ? undefined : one(text)
}

/** undefined: its value is none */
const textual: { readonly [type: string]: (value: unknown) => Condition | undefined } = {
  equals: (value) => ofText(value, isText),
  contains: (value) => ofText(value, contains),
  icontains: (value) => ofText(value, containsAnyCase),
  "starts-with": (value) => ofText(value, begins),
  regex: (value) => ofText(value, matches),
  "contains-all": (value) => ofList(value, every, contains),
  "contains-any": (value) => ofList(value, some, contains),
  "icontains-all": (value) => ofList(value, every, containsAnyCase),
  "icontains-any": (value) => ofList(value, some, containsAnyCase)
}

const graded = ["llm-rubric"]
/** they change what passing means */
const changing = ["threshold", "weight", "transform", "provider", "metric", "rubricPrompt", "config"]

type Asserted =
  | { readonly _tag: "Condition"; readonly condition: Condition }
  | { readonly _tag: "Rubric"; readonly rubric: string }

const conditionOf = (condition: Condition): Asserted => ({ _tag: "Condition", condition })
const rubricOf = (rubric: string): Asserted => ({ _tag: "Rubric", rubric })

/** values of assertions have places as well */
const rendered = (value: unknown, vars: Values): Either.Either<unknown, string> => {
  if (typeof value === "string") return render(value, vars)
  return Array.isArray(value)
    ? Either.all(value.map((one: unknown) => (typeof one === "string" ? render(one, vars) : Either.right(one))))
    : Either.right(value)
}

const asserted = (assertion: unknown, vars: Values): Either.Either<Asserted, string> =>
  Either.gen(function* () {
    const given = isObject(assertion) ? assertion : {}
    const type = String(given["type"])
    const more = changing.filter((member) => given[member] !== undefined)
    if (more.length > 0)
      return yield* Either.left(`its assertion '${type}' has ${more.join(", ")}, which has no counterpart`)
    const value = yield* rendered(given["value"], vars)
    if (graded.includes(type)) {
      const rubric = scalarText(value)
      if (rubric === undefined) return yield* Either.left(`its assertion '${type}' has no text`)
      return rubricOf(rubric)
    }
    const isNot = type.startsWith("not-")
    const kind = entryIn(textual, isNot ? type.slice("not-".length) : type)
    if (kind === undefined) return yield* Either.left(`its assertion '${type}' has no counterpart`)
    if (typeof value === "string" && value.startsWith("file://"))
      return yield* Either.left(`its assertion '${type}' takes its value from a file`)
    const condition = kind(value)
    if (condition === undefined) return yield* Either.left(`its assertion '${type}' has no value that can be checked`)
    return conditionOf(isNot ? not(condition) : condition)
  })

/** messages of a prompt, which is a text or a list of messages as JSON */
const messagesOf = (prompt: unknown, vars: Values): Either.Either<ReadonlyArray<Message>, string> =>
  Either.gen(function* () {
    const raw = isObject(prompt) ? (prompt["raw"] ?? prompt["prompt"]) : prompt
    if (typeof raw !== "string") return yield* Either.left("the prompt is no text")
    if (
      /^(file|exec|langfuse|portkey|helicone):/.test(raw) ||
      /^\S+\.(txt|json|js|py|md|ya?ml)(:\w+)?$/.test(raw.trim())
    )
      return yield* Either.left(`the prompt lies elsewhere (${raw.trim()}); put its text in its place`)
    if (!raw.trim().startsWith("[")) return [{ role: "user", content: yield* render(raw, vars) }] as const
    const list = yield* Either.mapLeft(readJson(raw), () => "the prompt begins as a list of messages and is none")
    const messages: Array<Message> = []
    for (const one of listIn(list)) {
      const [role, content] = isObject(one) ? [one["role"], one["content"]] : []
      if ((role !== "system" && role !== "user" && role !== "assistant") || typeof content !== "string")
        return yield* Either.left("one of the prompt's messages has a role or a content other than text")
      messages.push({ role, content: yield* render(content, vars) })
    }
    return messages.at(-1)?.role === "user"
      ? messages
      : yield* Either.left("the prompt does not end with a message of the user")
  })

const mostCombinations = 1000

/** lists among the values stand for one test each */
const combinations = (vars: Values): ReadonlyArray<Values> =>
  Object.entries(vars).reduce<ReadonlyArray<Values>>(
    (all, [name, value]) =>
      (Array.isArray(value) ? value : [value])
        .flatMap((one: unknown) => all.map((before) => ({ ...before, [name]: one })))
        .slice(0, mostCombinations + 1),
    [{}]
  )

const rubricMessages = (rubric: string): ReadonlyArray<Message> => [
  {
    role: "user",
    content: `You grade a reply by a rubric.\n\n<rubric>\n${rubric}\n</rubric>\n<reply>\n${replyPlace}\n</reply>\n\nDoes the reply fulfil the rubric?`
  }
]

interface Found {
  readonly rows: ReadonlyArray<Row & { readonly scorer: "regex_match" | "grader" }>
  readonly leftOut: ReadonlyArray<LeftOut>
}

/** one prompt with one set of values */
const rowsOf = (id: string, what: string, prompt: unknown, vars: Values, assertions: ReadonlyArray<unknown>): Found => {
  const messages = messagesOf(prompt, vars)
  if (Either.isLeft(messages)) return { rows: [], leftOut: [{ what, why: messages.left }] }
  const all = assertions.map((one) => asserted(one, vars))
  // without one of its assertions a test would pass more often than it did
  const problems = all.flatMap((one) => (Either.isLeft(one) ? [{ what, why: one.left }] : []))
  if (problems.length > 0) return { rows: [], leftOut: problems }
  const good = all.flatMap((one) => (Either.isRight(one) ? [one.right] : []))
  const conditions = good.flatMap((one) => (one._tag === "Condition" ? [one.condition] : []))
  const rubrics = good.flatMap((one) => (one._tag === "Rubric" ? [one.rubric] : []))
  return {
    rows: [
      ...(conditions.length === 0
        ? []
        : [{ id, messages: messages.right, answer: patternOf(every(conditions)), scorer: "regex_match" as const }]),
      ...rubrics.map((rubric, index) => ({
        id: rubrics.length === 1 ? id : `${id}-${index + 1}`,
        messages: messages.right,
        grader: { messages: rubricMessages(rubric), labels: ["yes", "no"], passing_labels: ["yes"] },
        scorer: "grader" as const
      }))
    ],
    leftOut: []
  }
}

const notes = {
  regex_match:
    "a test passes when all its assertions on the text hold; blanks around a reply, reasoning before it and special tokens are taken off first",
  grader:
    "rubrics are put to the judge in our words, each as an item of its own, beside the same test's assertions on the text"
}

const testsOf = (test: unknown, index: number, prompts: ReadonlyArray<unknown>, defaults: Values): Found => {
  const what = `test ${index + 1}`
  const given = isObject(test) ? test : {}
  const assertions = [...listIn(defaults["assert"]), ...listIn(given["assert"])]
  const more = ["threshold", "options", "provider", "scenarios"].filter((member) => given[member] !== undefined)
  const vars = {
    ...(isObject(defaults["vars"]) ? defaults["vars"] : {}),
    ...(isObject(given["vars"]) ? given["vars"] : {})
  }
  const all = combinations(vars)
  const why = !isObject(test)
    ? "it is no mapping: tests in files are not read"
    : more.length > 0
      ? `it has ${more.join(", ")}, which has no counterpart`
      : assertions.length === 0
        ? "it asserts nothing"
        : all.length > mostCombinations
          ? `its values have more than ${mostCombinations} combinations`
          : undefined
  if (why !== undefined) return { rows: [], leftOut: [{ what, why }] }
  const found = prompts.flatMap((prompt, place) =>
    all.map((values, number) => {
      const id = [
        index + 1,
        ...(prompts.length > 1 ? [`p${place + 1}`] : []),
        ...(all.length > 1 ? [`v${number + 1}`] : [])
      ].join("-")
      return rowsOf(id, `${what}${prompts.length > 1 ? `, prompt ${place + 1}` : ""}`, prompt, values, assertions)
    })
  )
  return { rows: found.flatMap(({ rows }) => rows), leftOut: found.flatMap(({ leftOut }) => leftOut) }
}

/** `document`: the parsed configuration; `name`: of its file. Left: why it is none */
export const readPromptfoo = (document: unknown, name: string): Either.Either<Imported, string> => {
  if (!isObject(document) || document["prompts"] === undefined) return Either.left("it has no prompts")
  const prompts = Array.isArray(document["prompts"]) ? document["prompts"] : [document["prompts"]]
  if (!Array.isArray(document["tests"]))
    return Either.left("it has no list of tests; those in other files are not read")
  const defaults = isObject(document["defaultTest"]) ? document["defaultTest"] : {}
  const unread = ["scenarios", "derivedMetrics", "transform", "nunjucksFilters"].filter(
    (member) => document[member] !== undefined
  )
  const found = document["tests"].map((test: unknown, index) => testsOf(test, index, prompts, defaults))
  const rows = found.flatMap((one) => one.rows)
  const sets = (["regex_match", "grader"] as const).flatMap((scorer): ReadonlyArray<ImportedSet> => {
    const own = rows.filter((row) => row.scorer === scorer).map(({ scorer: _, ...row }): Row => row)
    return own.length === 0
      ? []
      : [{ id: scorer === "grader" ? "rubrics" : "assertions", scorer, rows: own, notes: [notes[scorer]] }]
  })
  return Either.right({
    name: scalarText(document["description"]) ?? idOf(name, "imported"),
    sets,
    leftOut: [
      ...unread.map((member) => ({ what: member, why: "it has no counterpart" })),
      ...found.flatMap((one) => one.leftOut)
    ]
  })
}
