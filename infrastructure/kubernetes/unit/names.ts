/** Names and label values of everything that is made for a benchmark. Pure; the operator uses `label63` as well. Reference: cluster-objects.md, "Names", "Labels and annotations". */
import { createHash } from "node:crypto"
import { isDnsLabel } from "../../../domain/dns-name.ts"

const hex = (text: string, length: number): string => createHash("sha256").update(text).digest("hex").slice(0, length)

const maxLabel = 63
const longestSuffix = "-spec".length

export interface BackingId {
  readonly jobId: string
  readonly index: number
  readonly attempt: number
}

/** name of the backing Job; short enough for its dependants' names, and a hash when the plain form is not */
export const backingName = (prefix: string, { jobId, index, attempt }: BackingId): string => {
  const plain = `${prefix}-${jobId}-${index}-${attempt}`
  return plain.length + longestSuffix <= maxLabel && isDnsLabel(plain)
    ? plain
    : `${prefix}-${hex(`${jobId}/${index}/${attempt}`, 40)}`
}

export const specName = (backing: string): string => `${backing}-spec`
export const refName = (backing: string): string => `${backing}-ref`

/** an RFC 1123 label that says as much of the text as fits, and is different for different long texts */
export const label63 = (text: string): string => {
  if (isDnsLabel(text)) return text
  const clean = text
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, "-")
    .replaceAll(/-+/g, "-")
    .replaceAll(/^-|-$/g, "")
  const legal = clean === "" ? "x" : clean
  return legal.length <= maxLabel ? legal : `${legal.slice(0, 52).replace(/-+$/, "")}-${hex(text, 10)}`
}

/** service account of the instance's jobs, the same in every tenant */
export const jobServiceAccount = (instance: { readonly name: string; readonly namespace: string }): string =>
  label63(`${instance.name}-${instance.namespace}-job`)

const labelValue = /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/

/** a raw id as a label value: itself when it is one, else readable with a hash. Ids are never read back from labels. */
export const sanitise = (raw: string): string => {
  if (labelValue.test(raw)) return raw
  const readable = raw
    .replaceAll(/[^A-Za-z0-9_.-]/gu, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 54)
    .replace(/[^A-Za-z0-9]+$/, "")
  return `${readable === "" ? "x" : readable}-${hex(raw, 8)}`
}
