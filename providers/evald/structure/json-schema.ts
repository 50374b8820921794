/**
 * json_schema: 80 generated notes that are to become one JSON object of a given schema. `schema_valid_rate`: the answer is JSON and fits
 * the schema; `exact_match`: it also says what the notes say. Guessing scores 0. Reference: providers-and-collections.md, "Embedded benchmarks".
 */
import { Effect } from "effect"
import type { Answer } from "../../sdk/model-client.ts"
import type { Item, ItemBenchmark, ItemContext, ItemVerdict } from "../benchmark.ts"
import { seededRandom } from "../random.ts"
import { type NoteTask, noteTask } from "./notes.ts"
import { recordKinds } from "./record-kinds.ts"
import { jsonEqual, validate } from "./schema-validator.ts"

const GENERATOR_VERSION = 1
const SIZE = 80
const LEVELS = ["easy", "medium", "hard"] as const

/** the whole text, or the one fenced block it consists of; undefined when that is not JSON */
export const jsonAnswer = (text: string): { readonly value: unknown } | undefined => {
  const trimmed = text.trim()
  const body = /^```[a-z]*\s*\n([\s\S]*?)\n?```$/u.exec(trimmed)?.[1] ?? trimmed
  try {
    return { value: JSON.parse(body) as unknown }
  } catch {
    return undefined
  }
}

const score =
  (task: NoteTask) =>
  (answer: Answer): ItemVerdict => {
    const parsed = jsonAnswer(answer.text)
    if (parsed === undefined) return { verdict: "invalid", scores: { schema_valid_rate: 0, exact_match: 0 } }
    const valid = validate(task.schema, parsed.value).length === 0 ? 1 : 0
    const exact = jsonEqual(parsed.value, task.value) ? 1 : 0
    return {
      verdict: valid === 1 ? "correct" : "incorrect",
      extracted: JSON.stringify(parsed.value),
      scores: { schema_valid_rate: valid, exact_match: exact }
    }
  }

const prompt = (task: NoteTask): string =>
  [
    "Turn the notes into one JSON object that fits the schema.",
    "",
    "Schema:",
    JSON.stringify(task.schema),
    "",
    "Notes:",
    ...task.notes,
    "",
    "Answer with the JSON object only."
  ].join("\n")

const item = (seed: number, index: number, level: (typeof LEVELS)[number]): Item => {
  const random = seededRandom("json_schema", GENERATOR_VERSION, seed, level, index)
  const kind = recordKinds[Math.floor(index / LEVELS.length) % recordKinds.length] ?? recordKinds[0]
  if (kind === undefined) throw new RangeError("json_schema has no kinds of records")
  const flat = random.sample(kind.flat, level === "easy" ? 3 : 4)
  const task = noteTask(random, [...flat, ...(level === "easy" ? [] : kind.nested), ...(level === "hard" ? kind.strict : [])])
  return {
    id: `json_schema:${GENERATOR_VERSION}:${seed}-${level}-${index}`,
    stratum: `${level}/${kind.name}`,
    messages: [{ role: "user", content: prompt(task) }],
    maxTokens: 768,
    reference: task.value,
    score: score(task)
  }
}

/** the seeded set: 80 items over the levels asked for */
export const jsonSchemaItems = ({ seed, difficulty }: Pick<ItemContext, "seed" | "difficulty">): ReadonlyArray<Item> =>
  Array.from({ length: SIZE }, (_, index) => item(seed, index, difficulty === "mixed" ? (LEVELS[index % LEVELS.length] ?? "easy") : difficulty))

export const jsonSchema: ItemBenchmark = {
  kind: "items",
  id: "json_schema",
  needs: ["chat"],
  items: (context) => Effect.succeed(jsonSchemaItems(context)),
  metrics: [
    { name: "schema_valid_rate", lowerIsBetter: false },
    { name: "exact_match", lowerIsBetter: false }
  ]
}
