/** Seeded notes and the JSON they mean: one field at a time, each with its schema, its wording in the notes and its value. */
import { monthNames } from "../../../values/month-names.ts"
import type { SeededRandom } from "../random.ts"
import type { JsonSchema } from "./schema-check.ts"

export interface Field {
  readonly key: string
  readonly schema: JsonSchema
  /** lines of the notes; the text before the colon is the schema's description */
  readonly notes: ReadonlyArray<string>
  readonly value: unknown
}

export type MakeField = (random: SeededRandom) => Field

const two = (n: number) => String(n).padStart(2, "0")

const single = (key: string, label: string, schema: JsonSchema, note: string, value: unknown): Field => ({
  key,
  schema: { ...schema, description: label },
  notes: [`${label}: ${note}`],
  value
})

/** one of the given texts, copied as it stands */
export const text =
  (key: string, label: string, values: ReadonlyArray<string>): MakeField =>
  (random) => {
    const value = random.pick(values)
    return single(key, label, { type: "string", minLength: 1 }, value, value)
  }

export const integer =
  (key: string, label: string, minimum: number, maximum: number): MakeField =>
  (random) => {
    const value = random.int(minimum, maximum)
    return single(key, label, { type: "integer", minimum, maximum }, String(value), value)
  }

/** an amount with two decimals */
export const amount =
  (key: string, label: string, maximum: number): MakeField =>
  (random) => {
    const cents = random.int(1, maximum * 100)
    return single(key, label, { type: "number", minimum: 0 }, (cents / 100).toFixed(2), cents / 100)
  }

export const flag =
  (key: string, label: string): MakeField =>
  (random) => {
    const value = random.next() < 0.5
    return single(key, label, { type: "boolean" }, value ? "yes" : "no", value)
  }

/** the notes say it with spaces, the schema lists it with underscores */
export const choice =
  (key: string, label: string, values: ReadonlyArray<string>): MakeField =>
  (random) => {
    const value = random.pick(values)
    return single(key, label, { enum: values }, value.replaceAll("_", " "), value)
  }

/** the notes write the month as a word */
export const day =
  (key: string, label: string): MakeField =>
  (random) => {
    const [year, month, date] = [random.int(2031, 2039), random.int(1, 12), random.int(1, 28)]
    return single(
      key,
      label,
      { type: "string", format: "date" },
      `${date} ${monthNames[month - 1]} ${year}`,
      `${year}-${two(month)}-${two(date)}`
    )
  }

export const code =
  (key: string, label: string): MakeField =>
  (random) => {
    const letter = () => random.pick([..."BCDFGHKLMNPRSTVX"])
    const value = `${letter()}${letter()}-${random.int(1000, 9999)}`
    return single(key, label, { type: "string", pattern: "^[A-Z]{2}-[0-9]{4}$" }, value, value)
  }

export const list =
  (key: string, label: string, values: ReadonlyArray<string>): MakeField =>
  (random) => {
    const value = random.sample(values, random.int(2, 4))
    return single(
      key,
      label,
      { type: "array", items: { type: "string" }, minItems: 1, uniqueItems: true },
      value.join(", "),
      value
    )
  }

/** the notes say "none" for null */
export const optional =
  (key: string, label: string, values: ReadonlyArray<string>): MakeField =>
  (random) => {
    const value = random.next() < 0.5 ? null : random.pick(values)
    return single(key, label, { type: ["string", "null"] }, value ?? "none", value)
  }

/** a fixed member that only the schema knows */
export const fixed =
  (key: string, value: unknown): MakeField =>
  () => ({ key, schema: { const: value }, notes: [], value })

const objectSchema = (fields: ReadonlyArray<Field>): JsonSchema => ({
  type: "object",
  properties: Object.fromEntries(fields.map(({ key, schema }) => [key, schema])),
  required: fields.map(({ key }) => key),
  additionalProperties: false
})

const objectValue = (fields: ReadonlyArray<Field>) => Object.fromEntries(fields.map(({ key, value }) => [key, value]))

/** an object inside the object; the notes stay flat */
export const group =
  (key: string, makers: ReadonlyArray<MakeField>): MakeField =>
  (random) => {
    const fields = makers.map((make) => make(random))
    return {
      key,
      schema: objectSchema(fields),
      notes: fields.flatMap(({ notes }) => notes),
      value: objectValue(fields)
    }
  }

/** two to four objects, one line of the notes each: `<label> 1: a: x; b: y` */
export const rows =
  (key: string, label: string, makers: ReadonlyArray<MakeField>): MakeField =>
  (random) => {
    const all = Array.from({ length: random.int(2, 4) }, () => makers.map((make) => make(random)))
    return {
      key,
      schema: { type: "array", description: label, minItems: 1, items: objectSchema(all[0] ?? []) },
      notes: all.map((fields, index) => `${label} ${index + 1}: ${fields.flatMap(({ notes }) => notes).join("; ")}`),
      value: all.map(objectValue)
    }
  }

export interface NoteTask {
  readonly schema: JsonSchema
  readonly notes: ReadonlyArray<string>
  readonly value: unknown
}

/** the notes come in random order, so that position says nothing */
export const noteTask = (random: SeededRandom, makers: ReadonlyArray<MakeField>): NoteTask => {
  const fields = makers.map((make) => make(random))
  return {
    schema: objectSchema(fields),
    notes: random.shuffle(fields.flatMap(({ notes }) => notes)),
    value: objectValue(fields)
  }
}
