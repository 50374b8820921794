/** What the tenant's benchmarks used of their models, and what runs and waits now. */
import { type RecordOf, useAnswer } from "../../data/answer.ts"
import { givenIn, useQuery } from "../../data/query.ts"
import { count, number, visible } from "../../format.ts"
import { FilterForm, TextFilter } from "../../parts/filter-form.tsx"
import { Nothing } from "../../parts/nothing.tsx"
import { ProblemNote } from "../../parts/problem.tsx"
import { Rows } from "../../parts/rows.tsx"
import { useTitle } from "../../parts/title.ts"
import { Queue } from "./queue.tsx"

type Sums = RecordOf<"getUsage">
type Used = NonNullable<Sums["total"]>

const Cells = ({
  usage: { requests, retries, replayed, tokens, estimated_share: estimated, cost }
}: {
  readonly usage: Used
}) => (
  <>
    <td data-label="Requests">
      <span class="number">{count(requests)}</span>
    </td>
    <td data-label="Again">
      <span class="number">{count(retries)}</span>
    </td>
    <td data-label="From the log">
      <span class="number">{count(replayed)}</span>
    </td>
    <td data-label="Tokens asked">
      <span class="number">{count(tokens.input)}</span>
    </td>
    <td data-label="Generated">
      <div>
        <span class="number">{count(tokens.output)}</span>
        {tokens.reasoning > 0 && <p class="remark">{count(tokens.reasoning)} of them thinking</p>}
        {estimated > 0 && (
          <p class="remark">
            {estimated < 0.01 ? "less than 1" : Math.round(estimated * 100)} % of the tokens estimated
          </p>
        )}
      </div>
    </td>
    <td data-label="Cost">{cost === undefined ? <Nothing /> : <span class="number">{number(cost)}</span>}</td>
  </>
)

const titles = ["Model", "Benchmarks", "Requests", "Again", "From the log", "Tokens asked", "Generated", "Cost"]

const Sum = ({ sums: { models, total }, isLoading }: { readonly sums: Sums; readonly isLoading: boolean }) =>
  models.length === 0 ? (
    <p class="empty">Nothing was used of any model in this time.</p>
  ) : (
    <Rows titles={titles} isBusy={isLoading}>
      {models.map(({ model, benchmarks, usage }) => (
        <tr key={model}>
          <th scope="row">
            <a href={`/?${new URLSearchParams({ model })}`}>
              <bdi>{visible(model)}</bdi>
            </a>
          </th>
          <td data-label="Benchmarks">
            <span class="number">{count(benchmarks)}</span>
          </td>
          <Cells usage={usage} />
        </tr>
      ))}
      {total !== undefined && models.length > 1 && (
        <tr>
          <th scope="row">All of them</th>
          <td>
            <Nothing />
          </td>
          <Cells usage={total} />
        </tr>
      )}
    </Rows>
  )

const days = [
  ["from", "Ended at or after"],
  ["to", "Ended before"]
] as const

export const UsageScreen = () => {
  useTitle("Usage and queue")
  const query = useQuery()
  const filters = givenIn(query, ["from", "to", "model"])
  const { value, problem, isLoading, reload } = useAnswer("getUsage", { urlParams: filters })
  return (
    <>
      <h1>Usage and queue</h1>
      <Queue onEnd={reload} />
      <section aria-labelledby="usage">
        <h2 id="usage">Used of models</h2>
        <FilterForm label="Usage" query={query}>
          {days.map(([name, label]) => (
            <label key={name}>
              {label} (UTC)
              <input name={name} type="date" defaultValue={query.get(name) ?? ""} />
            </label>
          ))}
          <TextFilter name="model" label="Model" query={query} />
        </FilterForm>
        {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
        {value === undefined ? isLoading && <p class="empty">Loading …</p> : <Sum sums={value} isLoading={isLoading} />}
      </section>
    </>
  )
}
