/** `num_examples`: a seeded sample that keeps the shares of the strata (level × type). Reference: providers-and-collections.md, "Honesty rules". */
import { seededRandom } from "./random.ts"

/** how many each stratum gets: proportional, largest remainder first, ties by the seeded order given */
const allot = (sizes: ReadonlyArray<number>, count: number, tieOrder: ReadonlyArray<number>): ReadonlyArray<number> => {
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const exact = sizes.map((size) => (size * count) / total)
  const quota = exact.map(Math.floor)
  const missing = count - quota.reduce((sum, size) => sum + size, 0)
  const byRemainder = [...tieOrder].sort(
    (a, b) => (exact[b] as number) - (quota[b] as number) - ((exact[a] as number) - (quota[a] as number))
  )
  for (const stratum of byRemainder.slice(0, missing)) quota[stratum] = (quota[stratum] as number) + 1
  return quota
}

/** `count` items spread over the strata in proportion to their sizes, in the order of the whole set; all items when there are not more */
export const stratifiedSample = <Item extends { readonly stratum: string }>(
  items: ReadonlyArray<Item>,
  count: number,
  seed: number
): ReadonlyArray<Item> => {
  if (count >= items.length) return items
  const strata = [...new Set(items.map((item) => item.stratum))].sort()
  const random = seededRandom("sample", seed)
  const groups = strata.map((stratum) => items.filter((item) => item.stratum === stratum))
  const quota = allot(
    groups.map((group) => group.length),
    count,
    random.shuffle(strata.map((_, index) => index))
  )
  const drawn = new Set(groups.flatMap((group, index) => random.sample(group, quota[index] as number)))
  return items.filter((item) => drawn.has(item))
}
