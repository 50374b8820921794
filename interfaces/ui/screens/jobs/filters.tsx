/** What the list of jobs is narrowed by. */
import { givenIn } from "../../data/query.ts"
import { ChoiceFilter, FilterForm, TextFilter } from "../../parts/filter-form.tsx"

const states = ["pending", "running", "completed", "failed", "partially_failed", "cancelled"] as const

const texts = [
  ["name", "Name"],
  ["model", "Model"],
  ["collection_id", "Collection"],
  ["tags", "Tags"],
  ["owner", "Owner"]
] as const

const filterNames = ["status", ...texts.map(([name]) => name)] as const
export type Filters = { readonly [Name in (typeof filterNames)[number]]?: string }

export const filtersOf = (query: URLSearchParams): Filters => givenIn(query, filterNames)

export const JobFilters = ({ query }: { readonly query: URLSearchParams }) => (
  <FilterForm label="Jobs" query={query} set={Object.keys(filtersOf(query)).length}>
    <ChoiceFilter
      name="status"
      label="State"
      query={query}
      choices={states.map((state) => [state, state.replace("_", " ")])}
    />
    {texts.map(([name, label]) => (
      <TextFilter key={name} name={name} label={label} query={query} />
    ))}
  </FilterForm>
)
