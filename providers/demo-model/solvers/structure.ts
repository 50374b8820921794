/** Fills a JSON object from notes: reads the schema in the prompt and finds each member's value by its description. */
import type { Solution, Solver } from "../solver.ts"

interface Schema {
  readonly type?: string | ReadonlyArray<string>
  readonly description?: string
  readonly const?: unknown
  readonly enum?: ReadonlyArray<unknown>
  readonly format?: string
  readonly items?: Schema
  readonly properties?: { readonly [name: string]: Schema }
}

type Notes = ReadonlyMap<string, string>

const notesOf = (lines: ReadonlyArray<string>): Notes =>
  new Map(
    lines.flatMap((line) => {
      const colon = line.indexOf(": ")
      return colon < 0 ? [] : [[line.slice(0, colon).trim(), line.slice(colon + 2).trim()] as const]
    })
  )

const MONTHS = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december"
]

const isoDate = (note: string): string => {
  const [, day, month, year] = /^(\d{1,2}) ([A-Za-z]+) (\d{4})$/.exec(note) ?? []
  if (day === undefined || month === undefined || year === undefined) return note
  return `${year}-${String(MONTHS.indexOf(month.toLowerCase()) + 1).padStart(2, "0")}-${day.padStart(2, "0")}`
}

const squeeze = (value: unknown): string =>
  String(value)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")

/** a value of the schema, as far as the notes tell; a missing note gives an empty text */
const fill = (schema: Schema, notes: Notes): unknown => {
  if ("const" in schema) return schema.const
  if (schema.properties !== undefined) {
    return Object.fromEntries(Object.entries(schema.properties).map(([name, member]) => [name, fill(member, notes)]))
  }
  if (schema.items?.properties !== undefined) return fillRows(schema.description ?? "", schema.items, notes)
  const note = notes.get(schema.description ?? "") ?? ""
  if (schema.enum !== undefined) return schema.enum.find((value) => squeeze(value) === squeeze(note)) ?? note
  if (schema.items !== undefined) return note.split(", ")
  const types = [schema.type].flat()
  if (types.includes("null") && note === "none") return null
  if (types.includes("integer") || types.includes("number")) return Number(note)
  if (types.includes("boolean")) return note === "yes"
  return schema.format === "date" ? isoDate(note) : note
}

const fillRows = (label: string, row: Schema, notes: Notes): ReadonlyArray<unknown> => {
  const found: Array<unknown> = []
  for (let index = 1; notes.has(`${label} ${index}`); index++) {
    found.push(fill(row, notesOf((notes.get(`${label} ${index}`) ?? "").split("; "))))
  }
  return found
}

/** looks right and is not: the last member is forgotten */
const incomplete = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value).slice(0, -1)) : {}

const solve: Solver["solve"] = ({ messages }): Solution | undefined => {
  const prompt = messages.findLast(({ role }) => role === "user")?.content ?? ""
  const [, schemaText, noteText] = /\nSchema:\n(\{.*\})\n\nNotes:\n([\s\S]*?)\n\n/.exec(prompt) ?? []
  if (schemaText === undefined || noteText === undefined) return undefined
  try {
    const value = fill(JSON.parse(schemaText) as Schema, notesOf(noteText.split("\n")))
    return { right: { text: JSON.stringify(value) }, wrong: { text: JSON.stringify(incomplete(value)) } }
  } catch {
    return undefined
  }
}

export const structureSolver: Solver = { family: "structure", solve }
