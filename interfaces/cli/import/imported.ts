/** What an evaluation of another tool becomes: sets of rows for the benchmark `custom_jsonl`, and what has no counterpart. Reference: docs/custom-data.md, "Evaluations of other tools". */

export interface Message {
  readonly role: "system" | "user" | "assistant"
  readonly content: string
}

/** a second model's question about a reply, and which of its answers pass */
export type Grader =
  | {
      readonly messages: ReadonlyArray<Message>
      readonly labels: ReadonlyArray<string>
      readonly passing_labels: ReadonlyArray<string>
    }
  | {
      readonly messages: ReadonlyArray<Message>
      readonly range: readonly [number, number]
      readonly pass_threshold: number
    }

export interface Row {
  readonly id: string
  readonly messages: ReadonlyArray<Message>
  readonly answer?: string
  readonly grader?: Grader
}

export interface ImportedSet {
  /** part of a file name */
  readonly id: string
  readonly scorer: "regex_match" | "rouge_l" | "grader"
  readonly rows: ReadonlyArray<Row>
  /** name of the model that grades, where the original names one */
  readonly judge?: string
  readonly notes: ReadonlyArray<string>
}

/** something that has no counterpart and was left out */
export interface LeftOut {
  readonly what: string
  readonly why: string
}

export interface Imported {
  readonly name: string
  readonly sets: ReadonlyArray<ImportedSet>
  readonly leftOut: ReadonlyArray<LeftOut>
}

/** a name as an id has it: lower case, digits and hyphens */
export const idOf = (text: string, otherwise: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60) || otherwise

export const listIn = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** an entry of a table by a name that somebody else chose */
export const entryIn = <A>(table: { readonly [name: string]: A }, name: unknown): A | undefined =>
  typeof name === "string" && Object.hasOwn(table, name) ? table[name] : undefined

/** a number, a boolean or a text as it stands in a prompt */
export const scalarText = (value: unknown): string | undefined =>
  typeof value === "string"
    ? value
    : typeof value === "number" || typeof value === "boolean"
      ? String(value)
      : undefined
