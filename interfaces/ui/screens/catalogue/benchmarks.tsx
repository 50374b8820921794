/** Every benchmark of every provider, searched and narrowed by the server. */
import { type RecordOf, useAnswer } from "../../data/answer.ts"
import { givenIn, useQuery } from "../../data/query.ts"
import { count, visible } from "../../format.ts"
import { ChoiceFilter, TextFilter } from "../../parts/filter-form.tsx"
import { Nothing } from "../../parts/nothing.tsx"
import { Tags, thresholdText } from "./about.tsx"
import { FacetFilters } from "./facets.tsx"
import { Listing } from "./listing.tsx"
import { offsetOf } from "./paging.tsx"
import { scopes } from "./scopes.ts"

type Benchmark = RecordOf<"listBenchmarks">["items"][number]

const facets = [
  ["provider_id", "Provider"],
  ["category", "Category"],
  ["tags", "Tag"],
  ["evaluates", "Evaluates"]
] as const

const filterNames = ["q", ...facets.map(([name]) => name), "scope"] as const

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
  const query = useQuery()
  const answer = useAnswer("listBenchmarks", {
    urlParams: { ...givenIn(query, filterNames), facets: true, limit: 50, offset: offsetOf(query) }
  })
  return (
    <Listing
      kind={["benchmark", "benchmarks"]}
      address="/catalogue"
      answer={answer}
      query={query}
      filters={
        <>
          <TextFilter name="q" label="Search" query={query} />
          <FacetFilters facets={facets} counts={answer.value?.facets} query={query} />
          <ChoiceFilter name="scope" label="Made" query={query} choices={scopes} />
        </>
      }
      titles={titles}
      row={(benchmark) => <Row key={`${benchmark.provider_id}/${benchmark.id}`} benchmark={benchmark} />}
    />
  )
}
