/** Bags of n-grams and what two of them share. */

export const ngramCounts = (parts: ReadonlyArray<string>, n: number): Map<string, number> => {
  const bag = new Map<string, number>()
  for (let start = 0; start + n <= parts.length; start++) {
    const gram = parts.slice(start, start + n).join("\u0000")
    bag.set(gram, (bag.get(gram) ?? 0) + 1)
  }
  return bag
}

export const bagSize = (bag: ReadonlyMap<string, number>): number =>
  [...bag.values()].reduce((sum, count) => sum + count, 0)

/** Σ over n-grams of the smaller count */
export const shared = (one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number =>
  [...one].reduce((sum, [gram, count]) => sum + Math.min(count, other.get(gram) ?? 0), 0)
