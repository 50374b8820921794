/** JSON out of a reply: alone, in a fence, in a tag, or within prose. Broken JSON is not mended: the form is what was asked for. */
import { jsonEqual } from "./json-equal.ts"
import { replyText } from "./plain-text.ts"
import { type Reading, read, unread } from "./reading.ts"

type Parsed = { readonly value: unknown } | undefined

const parsed = (text: string): Parsed => {
  try {
    return { value: JSON.parse(text.replace(/^\uFEFF/, "")) as unknown }
  } catch {
    return undefined
  }
}

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null

/** JSON that was encoded twice is the text of the inner one */
const opened = (found: Parsed): Parsed => {
  if (typeof found?.value !== "string") return found
  const inner = parsed(found.value)
  return inner !== undefined && isContainer(inner.value) ? inner : found
}

const FENCED = /^(?:```|~~~)[a-zA-Z0-9_-]*[^\S\n]*\n([\s\S]*?)\n?(?:```|~~~)$/u

/** the whole text, or the one fenced block it consists of: the form that is asked for */
export const strictJson = (reply: string): Parsed => {
  const text = replyText(reply).replace(/\r\n/g, "\n")
  const body = FENCED.exec(text)?.[1] ?? text
  return body.includes("```") ? undefined : parsed(body)
}

/** where the object or list that begins at `from` ends, texts within it skipped; undefined when it is never closed */
const endOf = (text: string, from: number): number | undefined => {
  let depth = 0
  let quoted = false
  for (let at = from; at < text.length; at++) {
    const sign = text[at]
    if (quoted) {
      if (sign === "\\") at++
      else if (sign === '"') quoted = false
    } else if (sign === '"') quoted = true
    else if (sign === "{" || sign === "[") depth++
    else if ((sign === "}" || sign === "]") && --depth === 0) return at + 1
  }
  return undefined
}

interface Found {
  readonly value: object
  /** what stands before it, back to the one before */
  readonly before: string
}

/** objects and lists of a text that parse, outermost ones, in their order */
const within = (text: string): { readonly found: ReadonlyArray<Found>; readonly broken: boolean } => {
  const found: Array<Found> = []
  let broken = false
  let seen = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== "{" && text[at] !== "[") continue
    const end = endOf(text, at)
    const value = end === undefined ? undefined : parsed(text.slice(at, end))?.value
    if (!isContainer(value)) {
      // a word in braces is no attempt at JSON; within a broken attempt nothing is whole
      if (!/^[{[](?:\s*["'{[]|\s*\n|\s*\w+\s*:)/.test(text.slice(at, at + 80))) continue
      broken = true
      if (end === undefined) break
      at = end - 1
      continue
    }
    found.push({ value, before: text.slice(seen, at) })
    at = (end ?? at + 1) - 1
    seen = at + 1
  }
  return { found, broken }
}

const CONCLUDES =
  /(?<![\p{L}])(?:final|finally|corrected|correction|result|answer|instead|actually|therefore|so the|fixed|revised|updated)(?![\p{L}])/iu

const isEmpty = (value: object) => Object.keys(value).length === 0

/** the one object or list that a reply gives: several different ones count only when the last is said to be the answer */
export const readJson = (reply: string): Reading<unknown> => {
  const text = replyText(reply)
  if (text === "") return unread("no_answer")
  const strict = opened(strictJson(reply) ?? parsed(text.replace(/^json\s+/i, "").replace(/;\s*$/, "")))
  if (strict !== undefined) return read(strict.value)
  const { found, broken } = within(text)
  const objects = found.filter(({ value }) => !Array.isArray(value))
  const candidates = (objects.length > 0 ? objects : found).filter(({ value }) => found.length === 1 || !isEmpty(value))
  const last = candidates.at(-1)
  if (last === undefined) return unread(broken ? "answer_malformed" : "answer_not_found")
  const same = candidates.every(({ value }) => jsonEqual(value, last.value))
  return same || CONCLUDES.test(last.before) ? read(last.value) : unread("answer_ambiguous")
}
