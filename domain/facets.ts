/** What a list can be narrowed by: how often each value occurs among the records that match. Reference: api.md, "Facets". */

export interface FacetValue {
  readonly value: string
  readonly count: number
}

/** most values of one facet: nobody chooses among more */
const maxValues = 100

/** most frequent first, then by value. `values`: those of each record, counted once per record */
export const facet = (values: Iterable<ReadonlyArray<string>>): ReadonlyArray<FacetValue> => {
  const counts = new Map<string, number>()
  for (const ofOne of values)
    for (const value of new Set(ofOne)) if (value !== "") counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, maxValues)
}
