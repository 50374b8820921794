/** Every benchmark of every candidate against the baseline: how far apart, how sure, or why it cannot be told. */
import { chance, count, number, visible } from "../../format.ts"
import { Badge } from "../../parts/badge.tsx"
import { useFirst } from "../../parts/first.tsx"
import { Nothing } from "../../parts/nothing.tsx"
import { Rows } from "../../parts/rows.tsx"
import { type Compared, type Comparison, hasPairs, type Row, rowsOf, scalesOf } from "./differences.ts"
import { Forest, signed } from "./forest.tsx"
import { addressOf, type Selection } from "./selection.ts"

/** what the answer says of a benchmark beside its difference */
const saidOf = ({
  message,
  reason,
  notes = [],
  b,
  c,
  p_holm,
  minimal_detectable_effect: detectable,
  items_needed: needed,
  exceeds_dataset: tooFew,
  worst_case: worst
}: Compared): ReadonlyArray<string> => [
  ...(message === undefined ? (reason === undefined ? [] : [reason]) : [message]),
  ...(worst === undefined
    ? []
    : [`whatever the dropped items are worth: ${signed(worst.low)} to ${signed(worst.high)}`]),
  ...(b === undefined || c === undefined ? [] : [`${count(b)} items fell, ${count(c)} rose`]),
  ...(p_holm === undefined ? [] : [`p of a loss ${chance(p_holm)}, corrected for the number of benchmarks`]),
  ...(detectable === undefined ? [] : [`a loss of ${number(detectable)} would have been seen four times in five`]),
  ...(needed === undefined
    ? []
    : [`${count(needed)} items would show that nothing was lost${tooFew === true ? ", more than there are" : ""}`]),
  ...notes
]

const Percentiles = ({ benchmark: { percentiles = [] } }: { readonly benchmark: Compared }) => (
  <>
    {percentiles.map(({ metric, outcome, baseline, candidate, interval }) => (
      <p key={metric} class="remark">
        {visible(metric)} {number(baseline)} → {number(candidate)} <Badge word={outcome} />
        {interval !== undefined && ` ${signed(interval.low)} to ${signed(interval.high)}`}
      </p>
    ))}
  </>
)

const Score = ({ of }: { readonly of: Compared["baseline"] }) =>
  of === undefined ? (
    <Nothing />
  ) : (
    <span class="number">
      {number(of.score)}
      {of.interval !== undefined && (
        <span class="muted">
          {" "}
          {number(of.interval.low)}–{number(of.interval.high)}
        </span>
      )}
    </span>
  )

const Difference = ({
  benchmark: { difference, interval },
  reach,
  tolerance
}: {
  readonly benchmark: Compared
  readonly reach: number
  readonly tolerance: number | undefined
}) =>
  difference === undefined ? (
    <Nothing />
  ) : (
    <span class="score">
      <span class="number">
        <strong>{signed(difference)}</strong>
        {interval !== undefined && (
          <span class="muted">
            {" "}
            {signed(interval.low)} to {signed(interval.high)}
          </span>
        )}
      </span>
      <Forest difference={difference} interval={interval} reach={reach} tolerance={tolerance} />
    </span>
  )

/** the way to the items that were answered differently */
const ItemsLink = ({
  row: { candidate, benchmark },
  selection
}: {
  readonly row: Row
  readonly selection: Selection
}) => {
  const { item: _, ...rest } = selection
  const { candidate_index: index } = benchmark
  if (index === undefined || !hasPairs(benchmark)) return null
  return (
    <p class="remark">
      <a
        href={addressOf({ ...rest, items: { job: candidate.job, index } })}
        aria-label={`Answers that differ: ${visible(benchmark.id)}, ${visible(candidate.name)}`}
      >
        Answers that differ
      </a>
    </p>
  )
}

const Line = ({
  row,
  selection,
  isOne,
  reach,
  tolerance
}: {
  readonly row: Row
  readonly selection: Selection
  /** there is one candidate alone, which needs no name in each row */
  readonly isOne: boolean
  readonly reach: number
  readonly tolerance: number | undefined
}) => {
  const { candidate, benchmark } = row
  return (
    <tr>
      <th scope="row">
        <bdi>{visible(benchmark.id)}</bdi> <span class="muted">{visible(benchmark.provider_id)}</span>
        {saidOf(benchmark).map((text) => (
          <p key={text} class="remark">
            {visible(text)}
          </p>
        ))}
        <Percentiles benchmark={benchmark} />
        <ItemsLink row={row} selection={selection} />
      </th>
      {!isOne && (
        <td data-label="Candidate">
          <bdi>{visible(candidate.name)}</bdi>
        </td>
      )}
      <td data-label="Outcome">
        <Badge word={benchmark.outcome} />
      </td>
      <td data-label="Difference">
        <Difference benchmark={benchmark} reach={reach} tolerance={tolerance} />
      </td>
      <td data-label="Baseline">
        <Score of={benchmark.baseline} />
      </td>
      <td data-label="Now">
        <Score of={benchmark.candidate} />
      </td>
      <td data-label="Metric">{benchmark.metric === undefined ? <Nothing /> : visible(benchmark.metric)}</td>
      <td data-label="Pairs">
        {benchmark.n === undefined ? <Nothing /> : <span class="number">{count(benchmark.n)}</span>}
      </td>
    </tr>
  )
}

export const Differences = ({
  comparison,
  selection,
  isLoading
}: {
  readonly comparison: Comparison
  readonly selection: Selection
  readonly isLoading: boolean
}) => {
  const { candidates, tolerance } = comparison
  const rows = rowsOf(comparison, selection.onlyDiffering)
  const { shown, more } = useFirst(rows, "benchmarks")
  const all = candidates.reduce((sum, { benchmarks }) => sum + benchmarks.length, 0)
  const isOne = candidates.length === 1
  const reach = scalesOf(rows, tolerance)
  const titles = ["Benchmark", "Candidate", "Outcome", "Difference", "Baseline", "Now", "Metric", "Pairs"]
  return (
    <section aria-labelledby="differences">
      <h2 id="differences">Benchmarks, losses first</h2>
      <p class="muted" role="status">
        {count(rows.length)} of {count(all)} comparisons. A difference above nought is better, whichever way the metric
        goes.
      </p>
      {rows.length === 0 ? (
        <p class="empty">No benchmark is shown to differ.</p>
      ) : (
        <Rows titles={titles.filter((title) => !isOne || title !== "Candidate")} isBusy={isLoading}>
          {shown.map((row) => (
            <Line
              key={`${row.candidate.job} ${row.benchmark.provider_id}/${row.benchmark.id} ${row.benchmark.candidate_index ?? row.benchmark.baseline_index}`}
              row={row}
              selection={selection}
              isOne={isOne}
              reach={reach(row.benchmark)}
              tolerance={tolerance}
            />
          ))}
        </Rows>
      )}
      {more}
    </section>
  )
}
