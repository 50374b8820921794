/**
 * json_schema: 80 generated notes that are to become one JSON object of a given schema. `exact_match_flexible`: the object fits the schema and
 * says what the notes say; `exact_match`: and it is all of the answer; `schema_valid_rate`: it fits, whatever it says; `format_error_rate`: the
 * answer is more or less than JSON. Guessing scores 0. Reference:
 * providers-and-collections.md, "Embedded benchmarks".
 */
import { Effect } from "effect"
import type { Answer } from "../../sdk/model/model-exchange.ts"
import { readJson, strictJson } from "../answers/json-answer.ts"
import { jsonEqual } from "../answers/json-equal.ts"
import type { Item, ItemBenchmark, ItemContext, ItemVerdict } from "../benchmark.ts"
import { EXACT_METRICS, EXACT_READINGS } from "../exact-answer.ts"
import { seededRandom } from "../random.ts"
import { type NoteTask, noteTask } from "./notes.ts"
import { recordKinds } from "./record-kinds.ts"
import type { JsonSchema } from "./schema-check.ts"

const GENERATOR_VERSION = 1
const SIZE = 80
const LEVELS = ["easy", "medium", "hard"] as const

/** whether a value fits a schema */
type Fits = (schema: JsonSchema, value: unknown) => boolean

const score =
  (task: NoteTask, fits: Fits) =>
  (answer: Answer): ItemVerdict => {
    const reading = readJson(answer.text)
    const strict = strictJson(answer.text)
    const exact = (value: unknown) => (jsonEqual(value, task.value) ? 1 : 0)
    const asAsked = {
      exact_match: strict === undefined ? 0 : exact(strict.value),
      format_error_rate: strict === undefined ? 1 : 0
    }
    if (reading._tag === "Unread")
      return {
        verdict: "invalid",
        reason: reading.reason,
        scores: { exact_match_flexible: 0, ...asAsked, schema_valid_rate: 0 }
      }
    // the right values are right in the right shape only: the reference fits the schema
    const right = exact(reading.value)
    return {
      verdict: right === 1 ? "correct" : "incorrect",
      extracted: JSON.stringify(reading.value),
      scores: { exact_match_flexible: right, ...asAsked, schema_valid_rate: fits(task.schema, reading.value) ? 1 : 0 }
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

const item = (seed: number, index: number, level: (typeof LEVELS)[number], fits: Fits): Item => {
  const random = seededRandom("json_schema", GENERATOR_VERSION, seed, level, index)
  const kind = recordKinds[Math.floor(index / LEVELS.length) % recordKinds.length] ?? recordKinds[0]
  if (kind === undefined) throw new RangeError("json_schema has no kinds of records")
  const flat = random.sample(kind.flat, level === "easy" ? 3 : 4)
  const task = noteTask(random, [
    ...flat,
    ...(level === "easy" ? [] : kind.nested),
    ...(level === "hard" ? kind.strict : [])
  ])
  return {
    id: `json_schema:${GENERATOR_VERSION}:${seed}-${level}-${index}`,
    stratum: `${level}/${kind.name}`,
    messages: [{ role: "user", content: prompt(task) }],
    maxTokens: 3072,
    reference: task.value,
    chance: 0,
    score: score(task, fits)
  }
}

/** the seeded set: 80 items over the levels asked for */
export const jsonSchemaItems = (
  { seed, difficulty }: Pick<ItemContext, "seed" | "difficulty">,
  fits: Fits
): ReadonlyArray<Item> =>
  Array.from({ length: SIZE }, (_, index) =>
    item(seed, index, difficulty === "mixed" ? (LEVELS[index % LEVELS.length] ?? "easy") : difficulty, fits)
  )

export const jsonSchema: ItemBenchmark = {
  kind: "items",
  id: "json_schema",
  needs: ["chat"],
  // the library is for this benchmark alone, and every adapter process starts with the catalogue
  items: (context) =>
    Effect.map(
      Effect.promise(() => import("./schema-check.ts")),
      ({ fits }) => jsonSchemaItems(context, fits)
    ),
  metrics: [...EXACT_METRICS, { name: "schema_valid_rate", lowerIsBetter: false }],
  readings: EXACT_READINGS
}
