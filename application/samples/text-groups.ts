/**
 * Samples whose records are read together. A record may have a megabyte: whoever reads many of them reads a group, uses it, and then the
 * next, so that not all of them are in memory at once.
 */
import { itemsOfPage } from "../../domain/paging.ts"
import type { StoredSample } from "../ports/stores/sample-store.ts"

/** bytes of a group's records, unless it holds a single one */
const groupBytes = 1024 * 1024

export const bytesOf = ({ place }: StoredSample): number => place.length

/** all of them, in their order */
export const textGroups = (samples: ReadonlyArray<StoredSample>): ReadonlyArray<ReadonlyArray<StoredSample>> => {
  const groups: Array<ReadonlyArray<StoredSample>> = []
  for (let rest = samples; rest.length > 0; ) {
    const count = itemsOfPage(rest.map(bytesOf), groupBytes)
    groups.push(rest.slice(0, count))
    rest = rest.slice(count)
  }
  return groups
}
