/** Values made from the schemas of the OpenAPI document: fitting ones, and ones that differ from them in one place. */
import { FastCheck as fc } from "effect"
import { anyCharacter } from "./run/any-character.ts"

export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: ReadonlyArray<string>
  readonly items?: Schema
  readonly anyOf?: ReadonlyArray<Schema>
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
  readonly format?: string
  readonly default?: unknown
}

type Value = fc.Arbitrary<unknown>

/** words that mean something to the service, so that values get beyond the first check; by property name */
export type Words = { readonly [property: string]: ReadonlyArray<unknown> }

const hostile = [
  "",
  " ",
  "\u0000",
  "\ud800",
  "a".repeat(5000),
  "../../etc/passwd",
  "%00",
  "'; DROP TABLE jobs; --",
  "💥",
  "-1",
  "__proto__",
  "$(x)"
]

export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.constantFrom(...hostile)
)

/** texts of a pattern, made once: fast-check tries its dangerous words on the whole pattern first, which takes milliseconds */
const matching = new Map<string, fc.Arbitrary<string>>()
const textLike = (pattern: string): fc.Arbitrary<string> => {
  const found = matching.get(pattern) ?? fc.stringMatching(new RegExp(pattern))
  matching.set(pattern, found)
  return found
}

const textOf = ({ pattern, format, minLength = 0, maxLength = 200 }: Schema): Value => {
  if (pattern !== undefined) return textLike(pattern)
  if (format === "date-time")
    return fc
      .date({ min: new Date("2020-01-01T00:00:00Z"), max: new Date("2030-01-01T00:00:00Z"), noInvalidDate: true })
      .map((date) => date.toISOString())
  return fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, minLength + 12)) })
}

/** makes values from schemas of one document */
export const makeValues = (components: { readonly [name: string]: Schema }, words: Words) => {
  const resolved = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : (components[schema.$ref.split("/").at(-1) ?? ""] ?? {})

  const fitting = (given: Schema, property = "", depth = 0): Value => {
    const schema = resolved(given)
    const known = words[property]
    const plain = made(schema, depth)
    return known === undefined
      ? plain
      : fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: plain })
  }

  const made = (schema: Schema, depth: number): Value => {
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
    if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => fitting(one, "", depth + 1)))
    switch (schema.type) {
      case "boolean":
        return fc.boolean()
      case "integer":
        return fc.integer({ min: schema.minimum ?? -1000, max: schema.maximum ?? 1_000_000 })
      case "number":
        return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true })
      case "string":
        return textOf(schema)
      case "array":
        return fc.array(fitting(schema.items ?? {}, "", depth + 1), {
          minLength: schema.minItems ?? (depth < 3 ? 1 : 0),
          maxLength: Math.min(schema.maxItems ?? 3, 3)
        })
      case "object": {
        if (schema.properties === undefined)
          return fc.dictionary(
            fc.string({ minLength: 1, maxLength: 8 }),
            fc.oneof(fc.string(), fc.integer(), fc.boolean()),
            { maxKeys: 3 }
          )
        const members = Object.fromEntries(
          Object.entries(schema.properties).map(([name, member]) => [name, fitting(member, name, depth + 1)])
        )
        return fc.record(members, { requiredKeys: [...(schema.required ?? [])] })
      }
      default:
        return fc.jsonValue({ maxDepth: 1 })
    }
  }

  return { fitting: (schema: Schema) => fitting(schema) }
}

const placesOf = (value: unknown, path: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> => [
  path,
  ...(typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, member]) => placesOf(member, [...path, name]))
    : [])
]

const withAt = (value: unknown, [name, ...rest]: ReadonlyArray<string>, other: unknown): unknown => {
  if (name === undefined) return other
  if (Array.isArray(value))
    return value.map((member, position) => (String(position) === name ? withAt(member, rest, other) : member))
  const record = value as { readonly [name: string]: unknown }
  return { ...record, [name]: withAt(record[name], rest, other) }
}

const replacedAt = (value: unknown, place: number, other: unknown): unknown => {
  const places = placesOf(value)
  return withAt(value, places[place % places.length] ?? [], other)
}

const otherValues = fc.oneof(fc.jsonValue({ maxDepth: 2 }), anyText, fc.constantFrom(null, -1, 1e308, [], {}))

/** the value with one part replaced by something else */
export const brokenOnce = (values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.tuple(values, fc.nat(), otherValues).map(([value, place, other]) => replacedAt(value, place, other))
