/**
 * Reads members of an untrusted JSON object and collects every problem instead of stopping at the first. `null` is absent everywhere.
 */
import { cleanText } from "../../values/clean-text.ts"
import { isObject, type JsonObject } from "../../values/json.ts"

export interface EventProblem {
  /** JSON Pointer into the body */
  readonly path: string
  readonly message: string
  readonly code: "invalid_value"
}

export const pointer = (base: string, name: string | number) =>
  `${base}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`

const maxShown = 80

/** a text of megabytes is not written out to be cut then */
const shortened = (_: string, value: unknown): unknown => (typeof value === "string" ? value.slice(0, maxShown) : value)

/** the value as the reader of an error sees it, cut to 80 characters */
export const show = (value: unknown): string => {
  const text = value === undefined ? "nothing" : (JSON.stringify(value, shortened) ?? typeof value)
  return text.length > maxShown ? `${text.slice(0, maxShown - 1)}…` : text
}

const maxListed = 5

/** the first names, each of a sane length, and how many more there are */
export const listed = (names: ReadonlyArray<string>): string => {
  const first = names
    .slice(0, maxListed)
    .map((name) => (name.length > maxShown ? `${name.slice(0, maxShown - 1)}…` : name))
  return `${first.join(", ")}${names.length > maxListed ? ` and ${names.length - maxListed} more` : ""}`
}

export interface EventReader {
  readonly names: ReadonlyArray<string>
  readonly raw: (name: string) => unknown
  readonly refuse: (name: string, message: string) => undefined
  /** cleaned text; the empty string is absent */
  readonly text: (name: string) => string | undefined
  readonly required: (name: string) => string
  readonly integer: (name: string) => number | undefined
  readonly number: (name: string) => number | undefined
  readonly boolean: (name: string) => boolean | undefined
  readonly object: (name: string) => JsonObject | undefined
  readonly list: (name: string) => ReadonlyArray<unknown> | undefined
  readonly oneOf: <A extends string>(name: string, allowed: ReadonlyArray<A>) => A | undefined
}

export const readerOf = (source: JsonObject, base: string, problems: Array<EventProblem>): EventReader => {
  const raw = (name: string) => (Object.hasOwn(source, name) ? (source[name] ?? undefined) : undefined)
  const refuse = (name: string, message: string): undefined => {
    problems.push({ path: pointer(base, name), message: `${name} ${message}`, code: "invalid_value" })
  }
  const expect =
    <A>(wanted: string, fits: (value: unknown) => value is A) =>
    (name: string): A | undefined => {
      const value = raw(name)
      if (value === undefined) return undefined
      return fits(value) ? value : refuse(name, `must be ${wanted}, got ${show(value)}`)
    }
  const string = expect("a string", (value) => typeof value === "string")
  const text = (name: string) => {
    const value = string(name)
    return value === undefined || value === "" ? undefined : cleanText(value)
  }
  return {
    names: Object.keys(source),
    raw,
    refuse,
    text,
    required: (name) => {
      const before = problems.length
      const value = text(name)
      if (value === undefined && problems.length === before) refuse(name, "is required and must not be empty")
      return value ?? ""
    },
    integer: expect("an integer", (value): value is number => Number.isSafeInteger(value)),
    number: expect("a number", (value): value is number => typeof value === "number" && Number.isFinite(value)),
    boolean: expect("true or false", (value) => typeof value === "boolean"),
    object: expect("an object", isObject),
    list: expect("an array", (value): value is ReadonlyArray<unknown> => Array.isArray(value)),
    oneOf: (name, allowed) => {
      const value = text(name)
      const known = allowed.find((one) => one === value)
      return value === undefined || known !== undefined
        ? known
        : refuse(name, `must be one of ${allowed.join(", ")}, got ${show(value)}`)
    }
  }
}
