/**
 * What is kept of a record: texts that are too long are cut and named in `cut`; with `samples.content: hash` no prompt and no answer is
 * kept at all. Equality and digest are those of the record as it was sent. Reference: samples.md, "Limits".
 */
import { utf8Length } from "../text.ts"
import { contentMembers, limits, type Sample, type SampleDocument, textMembers, volatileMembers } from "./sample.ts"

export const contents = ["full", "hash"] as const
export type SampleContent = (typeof contents)[number]

/** the text cut to so many bytes of UTF-8, never through a character */
const cutText = (text: string, bytes: number): string => {
  let end = Math.min(text.length, bytes)
  while (utf8Length(text.slice(0, end)) > bytes) end = Math.floor(end * 0.9)
  return text.slice(0, end).replace(/[\ud800-\udbff]$/, "")
}

/** cut when it is a text, left out when it is more than that */
const cutMember = (value: unknown): unknown => {
  if (typeof value === "string")
    return value.length * 3 > limits.textBytes && utf8Length(value) > limits.textBytes
      ? cutText(value, limits.textBytes)
      : value
  if (typeof value !== "object") return value
  return utf8Length(JSON.stringify(value)) > limits.textBytes ? undefined : value
}

const cutDocument = (document: SampleDocument): SampleDocument => {
  const cut: { [member: string]: unknown } = {}
  for (const name of textMembers) {
    const value = document[name]
    if (value === undefined) continue
    const kept = cutMember(value)
    if (kept !== value) cut[name] = kept
  }
  const names = Object.keys(cut)
  if (names.length === 0) return document
  const before = (document["cut"] ?? []) as ReadonlyArray<string>
  const all = { ...document, ...cut, cut: [...new Set([...before, ...names])].sort() }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/** an error's message may repeat the answer that it is about */
const errorCode = (error: unknown): SampleDocument => {
  const { message: _, ...rest } = error as SampleDocument
  return { ...rest, message: "" }
}

const withoutContent = (document: SampleDocument): SampleDocument =>
  Object.fromEntries(
    Object.entries(document).flatMap(([name, value]) => {
      if (name === "error") return [[name, errorCode(value)]]
      return contentMembers.has(name) ? [] : [[name, value]]
    })
  )

/** whether a record of this text is surely short enough as it is: a character has at most three bytes in UTF-8, or four for two */
export const needsNoCut = (text: string): boolean => text.length * 3 <= limits.textBytes

export const keptDocument = ({ document }: Sample, content: SampleContent): SampleDocument =>
  content === "hash" ? withoutContent(document) : cutDocument(document)

/** what two uploads of the same sample must agree on, and what its digest is made of */
export const comparedMembers = (document: SampleDocument): SampleDocument => {
  const compared: { [member: string]: unknown } = {}
  for (const name in document) if (!volatileMembers.has(name)) compared[name] = document[name]
  return compared
}

export const comparedDocument = ({ document }: Sample): SampleDocument => comparedMembers(document)
