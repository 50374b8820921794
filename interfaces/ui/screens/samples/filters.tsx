/** What the samples of a job are narrowed and ordered by; the server does the work. */
import { sampleVerdicts } from "../../../../values/benchmark/sample-verdicts.ts"
import type { Job } from "../../data/job.ts"
import { ChoiceFilter, FilterForm, TextFilter } from "../../parts/filter-form.tsx"
import { filtersOf } from "./address.ts"

const orders = [
  ["-index", "last first"],
  ["score", "lowest score first"],
  ["-score", "highest score first"],
  ["tokens", "shortest first"],
  ["-tokens", "longest first"],
  ["latency_ms", "fastest first"],
  ["-latency_ms", "slowest first"]
] as const

export const SampleFilterForm = ({
  job,
  query
}: {
  readonly job: Job | undefined
  readonly query: URLSearchParams
}) => (
  <FilterForm label="Samples" query={query} set={Object.keys(filtersOf(query)).length}>
    <TextFilter name="q" label="Text" query={query} />
    <ChoiceFilter name="verdict" label="Verdict" query={query} choices={sampleVerdicts.map((one) => [one, one])} />
    <ChoiceFilter
      name="benchmark"
      label="Benchmark"
      query={query}
      choices={(job?.status.benchmarks ?? []).map(({ id, benchmark_index: at }) => [String(at), `${at}: ${id}`])}
    />
    <ChoiceFilter name="sort" label="Order" none="of the data" query={query} choices={orders} />
    <TextFilter name="flag" label="Flag" query={query} />
    <TextFilter name="finish_reason" label="Finish reason" query={query} />
  </FilterForm>
)
