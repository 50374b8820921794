/** What is kept of a record: the digest of its canonical text, the text itself, and what stands for its prompt. */
import { hash } from "node:crypto"
import { comparedDocument, keptDocument, needsNoCut, type SampleContent } from "../../domain/sample/kept-document.ts"
import { type Sample, type SampleDocument, volatileMembers } from "../../domain/sample/sample.ts"
import { canonicalJson } from "../../values/canonical-json.ts"

export interface RecordText {
  /** canonical JSON without the volatile members */
  readonly text: string
  /** SHA-256 of it, in hexadecimal digits */
  readonly digest: string
}

/** JavaScript puts members that are whole numbers before all others: their order is not ours to choose */
const isNumeral = (name: string): boolean => {
  const first = name.charCodeAt(0)
  return first >= 0x30 && first <= 0x39
}

const unordered = Symbol("unordered")

/** the same value with the members of every object in order, itself where they are; `unordered` where that cannot be had */
const inOrder = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map(inOrder)
    return items.includes(unordered) ? unordered : items
  }
  const names = Object.keys(value).sort()
  const ordered: { [name: string]: unknown } = {}
  for (const name of names) {
    const member = inOrder((value as SampleDocument)[name])
    if (member === unordered || isNumeral(name) || name === "__proto__") return unordered
    ordered[name] = member
  }
  return ordered
}

/** the runtime's own writer is several times faster than ours */
const canonicalText = (document: SampleDocument): string => {
  const ordered = inOrder(document)
  return ordered === unordered ? canonicalJson(document) : JSON.stringify(ordered)
}

export const recordText = (sample: Sample): RecordText => {
  const text = canonicalText(comparedDocument(sample))
  return { text, digest: hash("sha256", text, "hex") }
}

/** stands for what was asked in a narrow row: 144 bits of its digest */
export const promptOf = ({ document }: Sample): string | undefined => {
  const digest = document["prompt_sha256"]
  return typeof digest === "string" ? Buffer.from(digest.slice(0, 36), "hex").toString("base64url") : undefined
}

/** the record as it is kept */
export const keptText = (sample: Sample, { text }: RecordText, content: SampleContent): string => {
  const { document } = sample
  let volatile = ""
  for (const name of volatileMembers)
    if (document[name] !== undefined) volatile += `,"${name}":${JSON.stringify(document[name])}`
  const whole = `${text.slice(0, -1)}${volatile}}`
  return content === "full" && needsNoCut(whole) ? whole : JSON.stringify(keptDocument(sample, content))
}
