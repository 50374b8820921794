/** Each benchmark with its score, its limits and its threshold on one scale, whether it can be believed, and when it waited and ran. */
import { type Benchmark, type Job, type Result, resultOf, scoreOfResult, verdictOfResult } from "../../data/job.ts"
import { count, visible } from "../../format.ts"
import { Badge } from "../../parts/badge.tsx"
import { useFirst } from "../../parts/first.tsx"
import { Nothing } from "../../parts/nothing.tsx"
import { Rows } from "../../parts/rows.tsx"
import { ScoreCell } from "../../parts/score.tsx"
import { addressOf } from "../samples/address.ts"
import { Span } from "./span.tsx"

const Remarks = ({ benchmark, result }: { readonly benchmark: Benchmark; readonly result: Result | undefined }) => {
  const { error_message: error, warning_message: warning } = benchmark
  const flags = result?.validity?.status === "valid" ? [] : (result?.validity?.flags ?? [])
  return (
    <>
      {[error, warning].map(
        (told) =>
          told !== undefined && (
            <p key={told.message_code} class="remark">
              <code>{visible(told.message_code)}</code> {visible(told.message)}
            </p>
          )
      )}
      {flags.map(({ code, message }) => (
        <p key={code} class="remark">
          <code>{visible(code)}</code> {visible(message)}
        </p>
      ))}
    </>
  )
}

/** how many items the score is made of; where their records are kept, the way to them */
const Items = ({
  job,
  benchmark,
  result
}: {
  readonly job: Job
  readonly benchmark: Benchmark
  readonly result: Result | undefined
}) => {
  const kept = result?.samples?.count
  const n = result?.test?.interval?.n ?? kept
  if (n === undefined) return <Nothing />
  if (kept === undefined) return <span class="number">{count(n)}</span>
  return (
    <a
      class="number"
      href={addressOf(job.resource.id, { benchmark: String(benchmark.benchmark_index) })}
      aria-label={`${count(n)}, samples of ${visible(benchmark.id)}`}
    >
      {count(n)}
    </a>
  )
}

const Row = ({ job, benchmark }: { readonly job: Job; readonly benchmark: Benchmark }) => {
  const result = resultOf(job, benchmark.benchmark_index)
  const verdict = verdictOfResult(result)
  return (
    <tr>
      <th scope="row">
        <bdi>{visible(benchmark.id)}</bdi> <span class="muted">{visible(benchmark.provider_id)}</span>
        <Remarks benchmark={benchmark} result={result} />
      </th>
      <td data-label="State">
        <Badge word={benchmark.status} />
      </td>
      <td data-label="Score">
        <ScoreCell score={scoreOfResult(result)} />
      </td>
      <td data-label="Metric">
        {result?.test === undefined ? <Nothing /> : visible(result.test.primary_score_metric)}
      </td>
      <td data-label="Items">
        <Items job={job} benchmark={benchmark} result={result} />
      </td>
      <td data-label="Verdict">{verdict === undefined ? <Nothing /> : <Badge word={verdict} />}</td>
      <td data-label="When">
        <Span job={job} benchmark={benchmark} />
      </td>
    </tr>
  )
}

const titles = ["Benchmark", "State", "Score", "Metric", "Items", "Verdict", "When"]

export const Benchmarks = ({ job }: { readonly job: Job }) => {
  const { shown, more } = useFirst(job.status.benchmarks, "benchmarks")
  return (
    <section aria-labelledby="benchmarks">
      <h2 id="benchmarks">Benchmarks</h2>
      <Rows titles={titles}>
        {shown.map((benchmark) => (
          <Row key={benchmark.benchmark_index} job={job} benchmark={benchmark} />
        ))}
      </Rows>
      {more}
    </section>
  )
}
