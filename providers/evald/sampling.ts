/** `num_examples`: a seeded sample that keeps the shares of the strata (level × type). Reference: providers-and-collections.md, "Honesty rules". */
import { seededRandom } from "./random.ts"

interface Stratum<Item> {
  /** in the seeded order in which they are drawn */
  readonly items: ReadonlyArray<Item>
  taken: number
}

/** the stratum that is furthest behind its share (Webster's divisors); of equals the first in the seeded order */
const next = <Item>(strata: ReadonlyArray<Stratum<Item>>): Stratum<Item> | undefined => {
  const priority = ({ items, taken }: Stratum<Item>) => (taken < items.length ? items.length / (2 * taken + 1) : -1)
  return strata.reduce<Stratum<Item> | undefined>(
    (best, one) => (best === undefined || priority(one) > priority(best) ? one : best),
    undefined
  )
}

/**
 * `count` items spread over the strata in proportion to their sizes, in the order of the whole set; all items when there are not more.
 * Samples of one seed are nested: each item of a smaller one is in every larger one, so that a run can be enlarged later.
 */
export const stratifiedSample = <Item extends { readonly stratum: string }>(
  items: ReadonlyArray<Item>,
  count: number,
  seed: number
): ReadonlyArray<Item> => {
  if (count >= items.length) return items
  const random = seededRandom("sample", seed)
  const names = random.shuffle([...new Set(items.map((item) => item.stratum))].sort())
  const strata = names.map((name) => ({
    items: random.shuffle(items.filter((item) => item.stratum === name)),
    taken: 0
  }))
  const drawn = new Set<Item>()
  while (drawn.size < count) {
    const stratum = next(strata)
    const item = stratum?.items[stratum.taken]
    if (stratum === undefined || item === undefined) break
    stratum.taken += 1
    drawn.add(item)
  }
  return items.filter((item) => drawn.has(item))
}
