/**
 * Records rendered before, for as long as they are true: a job's text is a function of its row's version, which every write raises, also
 * one by another server. What is kept is bounded by its size; the least recently read goes first.
 */
import type { Rendered } from "../../../application/ports/job-store.ts"

/** characters kept at most */
const capacity = 8_000_000
/** a longer record would push out too many others */
const longest = capacity / 8

interface Kept {
  readonly version: number
  readonly record: Rendered
}

export interface RecordCache {
  /** whether asking for the version alone may be worth it */
  readonly has: (id: string) => boolean
  readonly at: (id: string, version: number) => Rendered | undefined
  readonly keep: (id: string, version: number, record: Rendered) => void
  readonly forget: (id: string) => void
}

export const make = (): RecordCache => {
  const kept = new Map<string, Kept>()
  let size = 0
  const forget = (id: string): void => {
    const known = kept.get(id)
    if (known === undefined) return
    kept.delete(id)
    size -= known.record.json.length
  }
  return {
    has: (id) => kept.has(id),
    at: (id, version) => {
      const known = kept.get(id)
      if (known === undefined || known.version !== version) return undefined
      kept.delete(id)
      kept.set(id, known)
      return known.record
    },
    keep: (id, version, record) => {
      forget(id)
      if (record.json.length > longest) return
      kept.set(id, { version, record })
      size += record.json.length
      for (const oldest of kept.keys()) {
        if (size <= capacity) break
        forget(oldest)
      }
    },
    forget
  }
}
