/** What a list of the catalogue can be narrowed by, each choice with the number of items that it leaves. */
import { count } from "../../format.ts"
import { ChoiceFilter } from "../../parts/filter-form.tsx"

type Counts = ReadonlyArray<{ readonly value: string; readonly count: number }>

export const FacetFilters = <Name extends string>({
  facets,
  counts,
  query
}: {
  readonly facets: ReadonlyArray<readonly [name: Name, label: string]>
  /** undefined until they are known */
  readonly counts: { readonly [N in Name]: Counts } | undefined
  readonly query: URLSearchParams
}) => (
  <>
    {facets.map(([name, label]) => (
      <ChoiceFilter
        key={name}
        name={name}
        label={label}
        query={query}
        choices={(counts?.[name] ?? []).map((one) => [one.value, `${one.value} (${count(one.count)})`])}
      />
    ))}
  </>
)
