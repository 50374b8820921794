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

const meet = (known: Known, next: Known): Meeting => {
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

/** `stored`: by `keyText`. The records of a call meet each other in their order, and what is left of them meets what is stored. */
export const planCall = <A extends Known & { readonly key: SampleKey }>(
  stored: ReadonlyMap<string, Known>,
  records: ReadonlyArray<A>
): Plan<A> => {
  const last = new Map<string, A>()
  const conflicts: Array<SampleKey> = []
  let duplicate = 0
  for (const record of records) {
    const name = keyText(record.key)
    const before = last.get(name)
    const meeting = before === undefined ? "replaces" : meet(before, record)
    if (meeting === "replaces") last.set(name, record)
    else if (meeting === "duplicate") duplicate += 1
    else conflicts.push(record.key)
  }
  const fresh: Array<A> = []
  const replacing: Array<A> = []
  for (const [name, record] of last) {
    const known = stored.get(name)
    const meeting = known === undefined ? "fresh" : meet(known, record)
    if (meeting === "fresh") fresh.push(record)
    else if (meeting === "replaces") replacing.push(record)
    else if (meeting === "duplicate") duplicate += 1
    else conflicts.push(record.key)
  }
  return { fresh, replacing, duplicate, conflicts }
}
