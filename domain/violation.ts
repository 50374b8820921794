import { visible } from "../values/clean-text.ts"
import type { Path } from "./path.ts"
import type { Sentence } from "./sentence.ts"

/**
 * A rule that a given input breaks, and where. Every validation returns all violations at once
 * (at most 20 are shown to a caller); nothing in the domain throws for bad input.
 */
export interface Violation {
  /** in what the caller sent */
  readonly path: Path
  /** names the member, the value (cut to 80 characters), what is allowed and how to fix it */
  readonly message: Sentence
  /** one of the documented message codes, `invalid_value` unless a more precise one fits */
  readonly code: string
  /** where the caller finds what exists; whoever shows the message says how that is looked up */
  readonly lookUp?: LookUp
}

/** all providers, all collections, or the benchmarks (so many) of a provider */
export type LookUp =
  | { readonly _tag: "Providers" }
  | { readonly _tag: "Collections" }
  | { readonly _tag: "Benchmarks"; readonly provider: string; readonly count: number }

export const violation = (path: Path, message: Sentence, code = "invalid_value"): Violation => ({ path, message, code })

/** enough of a value's JSON text to fill a message; the value may be as large as a request body */
const beginning = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? String(value)
  let text = ""
  const write = (one: unknown): void => {
    if (text.length > maxText) return
    if (typeof one === "string") text += JSON.stringify(one.slice(0, maxText))
    else if (Array.isArray(one)) {
      text += "["
      for (let index = 0; index < one.length && text.length <= maxText; index++) {
        if (index > 0) text += ","
        write(one[index])
      }
      text += "]"
    } else if (typeof one === "object" && one !== null) {
      text += "{"
      let first = true
      // names in their order, and no more of them than are shown
      for (const name in one) {
        if (text.length > maxText) break
        text += `${first ? "" : ","}${JSON.stringify(name.slice(0, maxText))}:`
        first = false
        write((one as { readonly [name: string]: unknown })[name])
      }
      text += "}"
    } else text += JSON.stringify(one) ?? "null"
  }
  write(value)
  return text
}

const maxText = 200

/** the offending value as it is shown in a message: JSON text, at most 80 characters, nothing in it can disguise the message */
export const shown = (value: unknown): string => {
  const text = typeof value === "string" ? `'${value.slice(0, 100)}${value.length > 100 ? "…" : ""}'` : beginning(value)
  const plain = visible(text.slice(0, maxText))
  // never cut through a character
  return plain.length > 80 ? `${plain.slice(0, 79).replace(/[\ud800-\udbff]$/, "")}…` : plain
}
