/** What would run: each value with where it comes from, and what it is expected to use. */
import type { RecordOf } from "../../data/answer.ts"
import { count, number, visible } from "../../format.ts"
import { useFirst } from "../../parts/first.tsx"
import { Nothing } from "../../parts/nothing.tsx"
import { JudgedBy, type Plan, type Planned, placeOf, ResourcesOf, Started } from "../../parts/planned.tsx"
import { Rows } from "../../parts/rows.tsx"

type Answer = RecordOf<"submitJob">

/** a stored job is no plan */
export const isPlan = (answer: Answer): answer is Plan => "runtime" in answer

const Estimate = ({ of: { requests, tokens, cost, basis } }: { readonly of: NonNullable<Planned["estimate"]> }) => (
  <>
    <span class="number">{count(requests)} requests</span>
    {tokens !== undefined && (
      <p class="remark">
        {count(tokens.input)} tokens asked, {count(tokens.output)} generated
      </p>
    )}
    {cost !== undefined && <p class="remark">cost {number(cost)}</p>}
    <p class="remark">
      {basis.kind === "earlier_runs"
        ? `from ${count(basis.runs)} earlier ${basis.runs === 1 ? "run" : "runs"}`
        : "from the number of items"}
    </p>
  </>
)

const Line = ({ benchmark }: { readonly benchmark: Planned }) => {
  const { id, provider_id, weight, parameters, estimate } = benchmark
  return (
    <tr>
      <th scope="row">
        <bdi>{visible(id)}</bdi> <span class="muted">{visible(provider_id)}</span>
        <Started benchmark={benchmark} />
        {parameters !== undefined && (
          <p class="remark">
            Parameters <code>{visible(JSON.stringify(parameters))}</code>
          </p>
        )}
      </th>
      <td data-label="Weight">
        <span class="number">{number(weight)}</span>
      </td>
      <JudgedBy benchmark={benchmark} />
      <td data-label="Resources">
        <ResourcesOf benchmark={benchmark} />
      </td>
      <td data-label="May use">
        {estimate === undefined ? (
          <Nothing says="not known" />
        ) : (
          <div>
            <Estimate of={estimate} />
          </div>
        )}
      </td>
    </tr>
  )
}

const titles = ["Benchmark", "Weight", "Metric", "Threshold", "Resources", "May use"]

export const PlanShown = ({
  plan: { benchmarks, runtime, threshold, service_account: account, warnings },
  isStale
}: {
  readonly plan: Plan
  readonly isStale: boolean
}) => {
  const { shown, more } = useFirst(benchmarks, "benchmarks")
  return (
    <section aria-labelledby="plan">
      <h2 id="plan">What would run</h2>
      <p class="muted" role="status">
        {count(benchmarks.length)} {benchmarks.length === 1 ? "benchmark" : "benchmarks"} {placeOf(runtime)}, threshold
        of the job's score {number(threshold)}
        {account !== undefined && `, as ${visible(account)}`}.
        {isStale && " The request has changed since: check it again."}
      </p>
      {warnings.map((warning) => (
        <p key={warning} class="note warn">
          {visible(warning)}
        </p>
      ))}
      <Rows titles={titles}>
        {shown.map((benchmark) => (
          <Line key={benchmark.benchmark_index} benchmark={benchmark} />
        ))}
      </Rows>
      {more}
    </section>
  )
}
