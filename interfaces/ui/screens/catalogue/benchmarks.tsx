/** Every benchmark of every provider, searched and narrowed by the server. */
import { type RecordOf, useAnswer } from "../../data/answer.ts"
import { givenIn, useQuery } from "../../data/query.ts"
import { count, visible } from "../../format.ts"
import { ChoiceFilter, FilterForm, TextFilter } from "../../parts/filter-form.tsx"
import { Nothing } from "../../parts/nothing.tsx"
import { ProblemNote } from "../../parts/problem.tsx"
import { Rows } from "../../parts/rows.tsx"
import { useTitle } from "../../parts/title.ts"
import { Tags, thresholdText } from "./about.tsx"
import { offsetOf, Paging } from "./paging.tsx"
import { scopes } from "./scopes.ts"
import { Tabs } from "./tabs.tsx"

type Page = RecordOf<"listBenchmarks">
type Benchmark = Page["items"][number]

const facets = [
  ["provider_id", "Provider"],
  ["category", "Category"],
  ["tags", "Tag"],
  ["evaluates", "Evaluates"]
] as const

const filterNames = ["q", ...facets.map(([name]) => name), "scope"] as const

const choicesOf = (facet: NonNullable<Page["facets"]>["tags"] = []) =>
  facet.map(({ value, count: many }) => [value, `${value} (${count(many)})`] as const)

/** the rest of what is known, behind a click */
const More = ({ benchmark }: { readonly benchmark: Benchmark }) => {
  const { url, agent, requirements, num_few_shot: shots, metrics = [] } = benchmark
  const ranges = agent?.score_ranges ?? []
  const flags = requirements?.flags ?? []
  return (
    <details>
      <summary>More</summary>
      {agent?.result_interpretation !== undefined && <p class="remark">{visible(agent.result_interpretation)}</p>}
      {ranges.length > 0 && (
        <ul>
          {ranges.map(({ range, meaning }) => (
            <li key={range}>
              {visible(range)}: {visible(meaning)}
            </li>
          ))}
        </ul>
      )}
      {metrics.length > 0 && <p class="remark">Metrics: {visible(metrics.join(", "))}</p>}
      {shots !== undefined && <p class="remark">Examples before each item: {shots}</p>}
      {flags.length > 0 && <p class="remark">Needs: {flags.join(", ").replaceAll("_", " ")}</p>}
      {url !== undefined && <p class="remark">Described at {visible(url)}</p>}
    </details>
  )
}

const Row = ({ benchmark }: { readonly benchmark: Benchmark }) => {
  const {
    provider_id,
    id,
    name,
    description,
    category,
    tags,
    dataset_size: size,
    primary_score,
    pass_criteria
  } = benchmark
  const threshold = thresholdText(pass_criteria?.threshold, primary_score?.lower_is_better)
  return (
    <tr>
      <th scope="row">
        <bdi>{visible(name ?? id)}</bdi>{" "}
        <span class="muted">
          {visible(provider_id)}/{visible(id)}
        </span>
        {description !== undefined && <p class="remark">{visible(description)}</p>}
        <More benchmark={benchmark} />
      </th>
      <td data-label="Category">{category === undefined ? <Nothing /> : visible(category)}</td>
      <td data-label="Tags">
        <Tags tags={tags} />
      </td>
      <td data-label="Metric">{primary_score === undefined ? <Nothing /> : visible(primary_score.metric)}</td>
      <td data-label="Threshold">{threshold === undefined ? <Nothing /> : <span class="number">{threshold}</span>}</td>
      <td data-label="Items">{size === undefined ? <Nothing /> : <span class="number">{count(size)}</span>}</td>
      <td data-label="Run">
        <a
          class="number"
          href={`/new?${new URLSearchParams({ benchmark: `${provider_id}/${id}` })}`}
          aria-label={`Run ${visible(id)}`}
        >
          Run
        </a>
      </td>
    </tr>
  )
}

const titles = ["Benchmark", "Category", "Tags", "Metric", "Threshold", "Items", "Run"]

export const BenchmarksScreen = () => {
  useTitle("Benchmarks")
  const query = useQuery()
  const filters = givenIn(query, filterNames)
  const { value, problem, isLoading, reload } = useAnswer("listBenchmarks", {
    urlParams: { ...filters, facets: true, limit: 50, offset: offsetOf(query) }
  })
  return (
    <>
      <div class="title">
        <h1>Catalogue</h1>
        {value !== undefined && <span class="muted">{count(value.total_count)} benchmarks</span>}
      </div>
      <Tabs />
      <FilterForm label="Benchmarks" query={query}>
        <TextFilter name="q" label="Search" query={query} />
        {facets.map(([name, label]) => (
          <ChoiceFilter key={name} name={name} label={label} query={query} choices={choicesOf(value?.facets?.[name])} />
        ))}
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
          No benchmark matches. <a href="/catalogue">Show all benchmarks</a>
        </p>
      ) : (
        <Rows titles={titles} isBusy={isLoading}>
          {value.items.map((benchmark) => (
            <Row key={`${benchmark.provider_id}/${benchmark.id}`} benchmark={benchmark} />
          ))}
        </Rows>
      )}
      {value !== undefined && <Paging page={value} query={query} />}
    </>
  )
}
