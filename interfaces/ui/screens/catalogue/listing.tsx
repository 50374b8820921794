/** What the three lists of the catalogue have in common: how many there are, what narrows them, what went wrong, and the way to the next page. */
import type { ComponentChildren } from "preact"
import type { Loaded } from "../../data/answer.ts"
import { count, visible } from "../../format.ts"
import { FilterForm } from "../../parts/filter-form.tsx"
import { ProblemNote } from "../../parts/problem.tsx"
import { Rows } from "../../parts/rows.tsx"
import { useTitle } from "../../parts/title.ts"
import { type Counted, Paging } from "./paging.tsx"
import { Tabs } from "./tabs.tsx"

interface List<Item> extends Counted {
  readonly items: ReadonlyArray<Item>
  /** definitions that could not be read */
  readonly errors?: ReadonlyArray<string>
}

export const Listing = <Item,>({
  kind: [one, many],
  address,
  answer: { value, problem, isLoading, reload },
  query,
  filters,
  titles,
  row
}: {
  /** of the items: one, and several of them */
  readonly kind: readonly [one: string, many: string]
  /** that of the whole list */
  readonly address: string
  readonly answer: Omit<Loaded<List<Item>>, "replace">
  readonly query: URLSearchParams
  /** fields of the form */
  readonly filters: ComponentChildren
  readonly titles: ReadonlyArray<string>
  readonly row: (item: Item) => ComponentChildren
}) => {
  const label = `${many[0]?.toUpperCase()}${many.slice(1)}`
  useTitle(label)
  return (
    <>
      <div class="title">
        <h1>Catalogue</h1>
        {value !== undefined && (
          <span class="muted">
            {count(value.total_count)} {value.total_count === 1 ? one : many}
          </span>
        )}
      </div>
      <Tabs />
      <FilterForm label={label} query={query}>
        {filters}
      </FilterForm>
      {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
      {value?.errors?.map((line) => (
        <p key={line} class="note warn">
          {visible(line)}
        </p>
      ))}
      {value === undefined ? (
        isLoading && <p class="empty">Loading …</p>
      ) : value.items.length === 0 ? (
        <p class="empty">
          No {one} matches. <a href={address}>Show all {many}</a>
        </p>
      ) : (
        <Rows titles={titles} isBusy={isLoading}>
          {value.items.map(row)}
        </Rows>
      )}
      {value !== undefined && <Paging page={value} query={query} />}
    </>
  )
}
