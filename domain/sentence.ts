/** Sentences that name members of a caller's document: they are put into words where it is known how callers call them. */
import type { Path } from "./path.ts"

/** a member in a sentence, between quotes where its name could be taken for a word */
export interface Mention {
  readonly path: Path
  readonly quoted: boolean
}

export type Sentence = string | ReadonlyArray<string | Mention>

/** as `'benchmarks.0.id'`; the empty path is "the document" */
export const member = (path: Path): Mention => ({ path, quoted: true })

/** as `benchmarks.0.id` */
export const unquoted = (path: Path): Mention => ({ path, quoted: false })

const isParts = (value: Sentence | Mention | number): value is ReadonlyArray<string | Mention> => Array.isArray(value)

/** a template text whose values may be members and sentences */
export const say = (texts: TemplateStringsArray, ...values: ReadonlyArray<Sentence | Mention | number>): Sentence => {
  const parts: Array<string | Mention> = []
  const add = (part: string | Mention) => {
    const last = parts.at(-1)
    if (typeof part === "string" && typeof last === "string") parts[parts.length - 1] = last + part
    else if (part !== "") parts.push(part)
  }
  for (const [index, text] of texts.entries()) {
    add(text)
    const value = values[index] ?? ""
    if (isParts(value)) value.forEach(add)
    else add(typeof value === "number" ? String(value) : value)
  }
  return parts.every((part) => typeof part === "string") ? parts.join("") : parts
}
