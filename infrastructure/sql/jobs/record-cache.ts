/**
 * Records rendered before, for as long as they are true: a job's text is a function of its row's version, which every write raises, also
 * one by another server. What is kept is bounded by its size; the least recently read goes first.
 */
import { LRUCache } from "lru-cache"
import type { Rendered } from "../../../application/ports/stores/job-store.ts"

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
  const kept = new LRUCache<string, Kept>({
    maxSize: capacity,
    maxEntrySize: longest,
    sizeCalculation: ({ record }) => Math.max(1, record.json.length)
  })
  return {
    has: (id) => kept.has(id),
    at: (id, version) => {
      const known = kept.get(id)
      return known?.version === version ? known.record : undefined
    },
    keep: (id, version, record) => void kept.set(id, { version, record }),
    forget: (id) => void kept.delete(id)
  }
}
