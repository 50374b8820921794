/** The frameworks whose benchmarks can be run. */
import { useAnswer } from "../../data/answer.ts"
import { givenIn, useQuery } from "../../data/query.ts"
import { count, visible } from "../../format.ts"
import { ChoiceFilter, FilterForm, TextFilter } from "../../parts/filter-form.tsx"
import { ProblemNote } from "../../parts/problem.tsx"
import { Rows } from "../../parts/rows.tsx"
import { useTitle } from "../../parts/title.ts"
import { Tags } from "./about.tsx"
import { offsetOf, Paging } from "./paging.tsx"
import { scopes } from "./scopes.ts"
import { Tabs } from "./tabs.tsx"

const filterNames = ["name", "tags", "scope"] as const

export const ProvidersScreen = () => {
  useTitle("Providers")
  const query = useQuery()
  const filters = givenIn(query, filterNames)
  const { value, problem, isLoading, reload } = useAnswer("listProviders", {
    urlParams: { ...filters, benchmarks: false, limit: 50, offset: offsetOf(query) }
  })
  return (
    <>
      <div class="title">
        <h1>Catalogue</h1>
        {value !== undefined && <span class="muted">{count(value.total_count)} providers</span>}
      </div>
      <Tabs />
      <FilterForm label="Providers" query={query}>
        <TextFilter name="name" label="Name" query={query} />
        <TextFilter name="tags" label="Tags" query={query} />
        <ChoiceFilter name="scope" label="Made" query={query} choices={scopes} />
      </FilterForm>
      {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
      {value?.errors.map((line) => (
        <p key={line} class="note warn">
          {visible(line)}
        </p>
      ))}
      {value === undefined ? (
        isLoading && <p class="empty">Loading …</p>
      ) : value.items.length === 0 ? (
        <p class="empty">
          No provider matches. <a href="/catalogue/providers">Show all providers</a>
        </p>
      ) : (
        <Rows titles={["Provider", "Evaluates", "Tags", "Benchmarks"]} isBusy={isLoading}>
          {value.items.map((provider) => {
            // without `fields` every record is whole but for its benchmarks
            if (!("runtime" in provider)) return undefined
            const { resource, name, title, description, tags, agent } = provider
            return (
              <tr key={resource.id}>
                <th scope="row">
                  <a href={`/catalogue/providers/${encodeURIComponent(resource.id)}`}>
                    <bdi>{visible(title ?? name)}</bdi>
                  </a>{" "}
                  <span class="muted">{visible(resource.id)}</span>
                  {(agent?.summary ?? description) !== undefined && (
                    <p class="remark">{visible(agent?.summary ?? description ?? "")}</p>
                  )}
                </th>
                <td data-label="Evaluates">
                  <Tags tags={agent?.evaluates} />
                </td>
                <td data-label="Tags">
                  <Tags tags={tags} />
                </td>
                <td data-label="Benchmarks">
                  <a
                    class="number"
                    href={`/catalogue?${new URLSearchParams({ provider_id: resource.id })}`}
                    aria-label={`Show benchmarks of ${visible(name)}`}
                  >
                    Show
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
