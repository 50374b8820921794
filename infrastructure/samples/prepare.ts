/** Records made ready to be stored: their digest, and their text when it is wanted. In steps, so that nobody waits for a thousand of them. */
import { hash } from "node:crypto"
import type { Effect } from "effect"
import { comparedDocument, keptDocument, needsNoCut, type SampleContent } from "../../domain/sample/kept-document.ts"
import type { Known } from "../../domain/sample/meet.ts"
import { type Sample, type SampleDocument, type SampleKey, volatileMembers, whole } from "../../domain/sample/sample.ts"
import { canonicalJson } from "../../values/canonical-json.ts"
import { inSteps, usualStep } from "../in-process/in-steps.ts"

export interface Prepared extends Known {
  readonly key: SampleKey
  readonly sample: Sample
  /** canonical JSON without the volatile members */
  readonly text: string
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

const prepareOne = (sample: Sample): Prepared => {
  const text = canonicalText(comparedDocument(sample))
  return {
    key: { sampleId: sample.sampleId, task: sample.task, repeat: sample.repeat },
    sample,
    verdict: sample.verdict,
    text,
    digest: hash("sha256", text, "hex")
  }
}

export const prepare = (samples: ReadonlyArray<Sample>): Effect.Effect<ReadonlyArray<Prepared>> =>
  inSteps(samples, prepareOne)

/** stands for what was asked in a narrow row: 144 bits of its digest */
export const promptOf = ({ document }: Sample): string | undefined => {
  const digest = document["prompt_sha256"]
  return typeof digest === "string" ? Buffer.from(digest.slice(0, 36), "hex").toString("base64url") : undefined
}

/** the record as it is kept */
export const textOf = ({ sample, text }: Prepared, content: SampleContent): string => {
  const { document } = sample
  let volatile = ""
  for (const name of volatileMembers)
    if (document[name] !== undefined) volatile += `,"${name}":${JSON.stringify(document[name])}`
  const whole = `${text.slice(0, -1)}${volatile}}`
  return content === "full" && needsNoCut(whole) ? whole : JSON.stringify(keptDocument(sample, content))
}

/** what is left of a record whose text is written: neither text nor document lives as long as the call */
export interface Taken extends Known {
  readonly key: SampleKey
  readonly sample: Sample
  readonly prompt: string | undefined
  /** its place among the records of the call */
  readonly number: number
}

/** `write` gets the text of each as it is kept, in their order */
export const takeAll = (
  samples: ReadonlyArray<Sample>,
  content: SampleContent,
  write: (text: string) => void,
  pause: Effect.Effect<void>
): Effect.Effect<ReadonlyArray<Taken>> => {
  let taken = 0
  const take = (sample: Sample): Taken => {
    const withDocument = whole(sample)
    const prepared = prepareOne(withDocument)
    write(textOf(prepared, content))
    const { key, verdict, digest } = prepared
    return { key, verdict, digest, sample, prompt: promptOf(withDocument), number: taken++ }
  }
  return inSteps(samples, take, usualStep, pause)
}
