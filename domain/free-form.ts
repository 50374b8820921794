/**
 * Bounds of free-form objects: what callers may hang on a record without the server knowing its members. It is stored, copied into every
 * answer and handed to adapters, so each is small.
 */
import type { Path } from "./path.ts"
import { member, type Sentence, say } from "./sentence.ts"
import { checkStrings, utf8Length } from "./text.ts"
import { type Violation, violation } from "./violation.ts"

/** free-form JSON object given by a caller; never interpreted */
export type FreeForm = { readonly [key: string]: unknown }

/** bytes as JSON: a cluster keeps them in an object of at most 1 MiB */
export const maxFreeFormBytes = 262_144
/** members and items at all depths */
export const maxFreeFormValues = 10_000

/** "values" or "bytes" when the bound certainly does not hold; looks no further than it has to */
const certainExcess = (value: unknown): "values" | "bytes" | undefined => {
  const open: Array<unknown> = [value]
  let values = 0
  let characters = 0
  while (open.length > 0) {
    const one = open.pop()
    if (typeof one === "string") characters += one.length
    else if (Array.isArray(one)) {
      values += one.length
      if (values > maxFreeFormValues) return "values"
      for (const item of one) open.push(item)
    } else if (typeof one === "object" && one !== null) {
      const names = Object.keys(one)
      values += names.length
      if (values > maxFreeFormValues) return "values"
      for (const name of names) {
        characters += name.length
        open.push((one as { readonly [name: string]: unknown })[name])
      }
    }
    if (characters > maxFreeFormBytes) return "bytes"
  }
  return undefined
}

/** `path`: of the object; `instead`: what a caller can do with large data */
export const checkFreeForm = (
  value: unknown,
  path: Path,
  instead: Sentence = "make it smaller"
): ReadonlyArray<Violation> => {
  const excess = certainExcess(value)
  if (excess === "values")
    return [
      violation(
        path,
        say`${member(path)} has more than ${maxFreeFormValues} members and items, which is the most: ${instead}`
      )
    ]
  if (excess === "bytes")
    return [
      violation(path, say`${member(path)} takes more than ${maxFreeFormBytes} bytes, which is the most: ${instead}`)
    ]
  const text = value === undefined ? "" : JSON.stringify(value)
  // a unit takes three bytes at most
  const bytes = 3 * text.length <= maxFreeFormBytes ? text.length : utf8Length(text)
  return bytes > maxFreeFormBytes
    ? [violation(path, say`${member(path)} takes ${bytes} bytes; at most ${maxFreeFormBytes} are allowed: ${instead}`)]
    : checkStrings(value, path)
}

/** characters of JSON that the parts of one record whose size the caller chooses may have together: a record is read, copied and sent whole */
const maxTogether = 2_097_152

/** `parts`: as they are stored; looked at until the bound is passed */
export const checkTogether = (parts: Iterable<unknown>, path: Path): ReadonlyArray<Violation> => {
  let characters = 0
  for (const part of parts) {
    characters += part === undefined ? 0 : JSON.stringify(part).length
    if (characters > maxTogether)
      return [
        violation(
          path,
          `the free-form members of the record take more than ${maxTogether} characters together, which is the most: make them smaller`
        )
      ]
  }
  return []
}
