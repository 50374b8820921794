/** One collection: what it is for, and each of its benchmarks with what it counts. */
import { useRoute } from "preact-iso/router"
import { type RecordOf, useAnswer } from "../../data/answer.ts"
import { number, visible } from "../../format.ts"
import { Fact } from "../../parts/fact.tsx"
import { useFirst } from "../../parts/first.tsx"
import { Nothing } from "../../parts/nothing.tsx"
import { Rows } from "../../parts/rows.tsx"
import { thresholdText } from "./about.tsx"
import { Definition } from "./definition.tsx"

const titles = ["Benchmark", "Weight", "Metric", "Threshold", "Parameters"]

const Benchmarks = ({ benchmarks }: { readonly benchmarks: RecordOf<"getCollection">["benchmarks"] }) => {
  const { shown, more } = useFirst(benchmarks, "benchmarks")
  return (
    <section aria-labelledby="its-benchmarks">
      <h2 id="its-benchmarks">Benchmarks</h2>
      <Rows titles={titles}>
        {shown.map((benchmark, at) => {
          const threshold = thresholdText(benchmark.pass_criteria?.threshold, benchmark.primary_score?.lower_is_better)
          return (
            // one benchmark may stand there twice, with other parameters
            <tr key={at}>
              <th scope="row">
                <bdi>{visible(benchmark.id)}</bdi> <span class="muted">{visible(benchmark.provider_id)}</span>
              </th>
              <td data-label="Weight">
                <span class="number">{number(benchmark.weight ?? 1)}</span>
              </td>
              <td data-label="Metric">
                {benchmark.primary_score === undefined ? <Nothing /> : visible(benchmark.primary_score.metric)}
              </td>
              <td data-label="Threshold">
                {threshold === undefined ? <Nothing /> : <span class="number">{threshold}</span>}
              </td>
              <td data-label="Parameters">
                {benchmark.parameters === undefined ? (
                  <Nothing />
                ) : (
                  <code>{visible(JSON.stringify(benchmark.parameters))}</code>
                )}
              </td>
            </tr>
          )
        })}
      </Rows>
      {more}
    </section>
  )
}

export const CollectionScreen = () => {
  const id = useRoute().params["id"] ?? ""
  const answer = useAnswer("getCollection", { path: { id } })
  return (
    <Definition
      kind="Collection"
      answer={answer}
      facts={({ category, pass_criteria }) => (
        <>
          <Fact name="Category">{visible(category)}</Fact>
          {pass_criteria?.threshold !== undefined && (
            <Fact name="Threshold of the job's score">{thresholdText(pass_criteria.threshold, false)}</Fact>
          )}
        </>
      )}
    >
      {({ resource, benchmarks }) => (
        <>
          <p class="actions">
            <a class="button" href={`/new?${new URLSearchParams({ collection: resource.id })}`}>
              Run it
            </a>
          </p>
          <Benchmarks benchmarks={benchmarks} />
        </>
      )}
    </Definition>
  )
}
