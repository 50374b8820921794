/**
 * What becomes of the records of one call beside those that are stored: a record that is there already, one that takes the place of an
 * error, or two that contradict each other. Reference: samples.md, "Upload".
 */
import { isReplaceable, keyText, type SampleKey, type SampleVerdict } from "./sample.ts"

/** of a stored record, or of one earlier in the same call */
export interface Known {
  readonly verdict: SampleVerdict
  /** equal for records that agree */
  readonly digest: string
}

export type Meeting = "duplicate" | "replaces" | "conflict"

export const meet = (known: Known, next: Known): Meeting => {
  if (known.digest === next.digest) return "duplicate"
  return isReplaceable(known.verdict) ? "replaces" : "conflict"
}

export interface Plan<A> {
  readonly fresh: ReadonlyArray<A>
  /** they take the place of stored records */
  readonly replacing: ReadonlyArray<A>
  readonly duplicate: number
  readonly conflicts: ReadonlyArray<SampleKey>
}

/** `stored`: by `keyText`. The records of a call meet each other in their order. */
export const planCall = <A extends Known & { readonly key: SampleKey }>(stored: ReadonlyMap<string, Known>, records: ReadonlyArray<A>): Plan<A> => {
  const fresh = new Map<string, A>()
  const replacing = new Map<string, A>()
  const conflicts: Array<SampleKey> = []
  let duplicate = 0
  for (const record of records) {
    const name = keyText(record.key)
    const before = fresh.get(name) ?? replacing.get(name)
    const known = before ?? stored.get(name)
    if (known === undefined) {
      fresh.set(name, record)
      continue
    }
    const meeting = meet(known, record)
    if (meeting === "duplicate") duplicate += 1
    else if (meeting === "conflict") conflicts.push(record.key)
    else if (fresh.has(name)) fresh.set(name, record)
    else replacing.set(name, record)
  }
  return { fresh: [...fresh.values()], replacing: [...replacing.values()], duplicate, conflicts }
}
