/** Named sets of benchmarks. */
import { useAnswer } from "../../data/answer.ts"
import { givenIn, useQuery } from "../../data/query.ts"
import { count, visible } from "../../format.ts"
import { ChoiceFilter, FilterForm, TextFilter } from "../../parts/filter-form.tsx"
import { Nothing } from "../../parts/nothing.tsx"
import { ProblemNote } from "../../parts/problem.tsx"
import { Rows } from "../../parts/rows.tsx"
import { useTitle } from "../../parts/title.ts"
import { Tags, thresholdText } from "./about.tsx"
import { offsetOf, Paging } from "./paging.tsx"
import { Tabs } from "./tabs.tsx"

const facets = [
  ["category", "Category"],
  ["tags", "Tag"],
  ["scope", "Made"]
] as const

const filterNames = ["name", ...facets.map(([name]) => name)] as const

const titles = ["Collection", "Category", "Tags", "Benchmarks", "Threshold", "Run"]

export const CollectionsScreen = () => {
  useTitle("Collections")
  const query = useQuery()
  const filters = givenIn(query, filterNames)
  const { value, problem, isLoading, reload } = useAnswer("listCollections", {
    urlParams: { ...filters, limit: 50, offset: offsetOf(query) }
  })
  const { value: counts } = useAnswer("getCollectionFacets", { urlParams: filters })
  return (
    <>
      <div class="title">
        <h1>Catalogue</h1>
        {value !== undefined && <span class="muted">{count(value.total_count)} collections</span>}
      </div>
      <Tabs />
      <FilterForm label="Collections" query={query}>
        <TextFilter name="name" label="Name" query={query} />
        {facets.map(([name, label]) => (
          <ChoiceFilter
            key={name}
            name={name}
            label={label}
            query={query}
            choices={(counts?.[name] ?? []).map((one) => [one.value, `${one.value} (${count(one.count)})`])}
          />
        ))}
      </FilterForm>
      {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
      {value === undefined ? (
        isLoading && <p class="empty">Loading …</p>
      ) : value.items.length === 0 ? (
        <p class="empty">
          No collection matches. <a href="/catalogue/collections">Show all collections</a>
        </p>
      ) : (
        <Rows titles={titles} isBusy={isLoading}>
          {value.items.map((collection) => {
            // without `fields` every record is whole
            if (!("benchmarks" in collection)) return undefined
            const { resource, name, category, tags, description, benchmarks, pass_criteria } = collection
            const threshold = thresholdText(pass_criteria?.threshold, false)
            return (
              <tr key={resource.id}>
                <th scope="row">
                  <a href={`/catalogue/collections/${encodeURIComponent(resource.id)}`}>
                    <bdi>{visible(name)}</bdi>
                  </a>
                  {description !== undefined && <p class="remark">{visible(description)}</p>}
                </th>
                <td data-label="Category">{visible(category)}</td>
                <td data-label="Tags">
                  <Tags tags={tags} />
                </td>
                <td data-label="Benchmarks">
                  <span class="number">{count(benchmarks.length)}</span>
                </td>
                <td data-label="Threshold">
                  {threshold === undefined ? <Nothing /> : <span class="number">{threshold}</span>}
                </td>
                <td data-label="Run">
                  <a
                    class="number"
                    href={`/new?${new URLSearchParams({ collection: resource.id })}`}
                    aria-label={`Run ${visible(name)}`}
                  >
                    Run
                  </a>
                </td>
              </tr>
            )
          })}
        </Rows>
      )}
      {value !== undefined && <Paging page={value} query={query} />}
    </>
  )
}
