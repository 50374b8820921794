/** Performance benchmarks of a job: how latency, first token and throughput went over the time of the run, drawn and as a table. */
import { useSignal } from "@preact/signals"
import { useMemo } from "preact/hooks"
import { type Benchmark, type Job, resultOf } from "../../../data/job.ts"
import { count, number } from "../../../format.ts"
import { type Choices, Options } from "../../../parts/filter-form.tsx"
import { Nothing } from "../../../parts/nothing.tsx"
import { Part } from "../../../parts/part.tsx"
import { ProblemNote } from "../../../parts/problem.tsx"
import { Rows } from "../../../parts/rows.tsx"
import { addressOf } from "../../samples/address.ts"
import { Chart } from "./chart.tsx"
import { curvesOf } from "./curves.ts"
import { mostRequests, useRequests } from "./load.ts"
import { type Ends, measurementsOf, type Slice, slicesOf, type TimedRequest } from "./timed.ts"

/** metrics of single requests, as performance benchmarks name them */
const percentile = /^p\d+_(?:latency|ttft)_ms$/

/** those whose requests were timed, and are kept */
const timedOf = (job: Job): ReadonlyArray<Benchmark> =>
  job.status.benchmarks.filter(({ benchmark_index }) => {
    const result = resultOf(job, benchmark_index)
    return (result?.samples?.count ?? 0) > 0 && Object.keys(result?.metrics ?? {}).some((name) => percentile.test(name))
  })

const Choice = ({
  label,
  choices,
  chosen,
  onChoose
}: {
  readonly label: string
  readonly choices: Choices
  readonly chosen: string
  readonly onChoose: (value: string) => void
}) =>
  choices.length < 2 ? null : (
    <div class="filters">
      <label>
        {label}
        <select value={chosen} onInput={({ currentTarget }) => onChoose(currentTarget.value)}>
          <Options of={choices} />
        </select>
      </label>
    </div>
  )

const Reach = ({ of }: { readonly of: Ends | undefined }) =>
  of === undefined ? (
    <Nothing />
  ) : (
    <span class="number">
      {number(of.low)}–{number(of.high)} ms
    </span>
  )

const Parts = ({ slices }: { readonly slices: ReadonlyArray<Slice> }) => (
  <Rows titles={["Since the start", "Answered", "Failed", "Latency", "First token", "Tokens a second"]}>
    {slices.map(({ from, to, answered, failed, latency, firstToken, tokensPerSecond }) => (
      <tr key={from}>
        <th scope="row">
          <span class="number">
            {number(from / 1000)}–{number(to / 1000)} s
          </span>
        </th>
        <td data-label="Answered">
          <span class="number">{count(answered)}</span>
        </td>
        <td data-label="Failed">
          <span class="number">{count(failed)}</span>
        </td>
        <td data-label="Latency">
          <Reach of={latency} />
        </td>
        <td data-label="First token">
          <Reach of={firstToken} />
        </td>
        <td data-label="Tokens a second">
          <span class="number">{number(tokensPerSecond)}</span>
        </td>
      </tr>
    ))}
  </Rows>
)

const Measurement = ({ requests }: { readonly requests: ReadonlyArray<TimedRequest> }) => {
  const slices = useMemo(() => slicesOf(requests), [requests])
  const curves = useMemo(() => curvesOf(requests, slices), [requests, slices])
  const having = (outcome: TimedRequest["outcome"]) => count(requests.filter((one) => one.outcome === outcome).length)
  return (
    <>
      <p class="muted">
        {count(requests.length)} requests: {having("answered")} answered, {having("failed")} failed,{" "}
        {having("unfinished")} under way at the end. Tokens of an answer count evenly from its first to its end.
      </p>
      <div class="charts">
        {curves.map((curve) => (
          <Chart key={curve.title} curve={curve} />
        ))}
      </div>
      <Parts slices={slices} />
    </>
  )
}

/** several measurements of one benchmark, such as those of a sweep, each with a begin of its own */
const Measurements = ({ requests }: { readonly requests: ReadonlyArray<TimedRequest> }) => {
  const chosen = useSignal<string | undefined>(undefined)
  const named = useMemo(() => measurementsOf(requests), [requests])
  const [name = "", own = []] = named.find(([one]) => one === chosen.value) ?? named[0] ?? []
  return (
    <>
      <Choice
        label="Measurement"
        choices={named.map(([one, [first]]) => [one, first?.profile === undefined ? one : `${one}: ${first.profile}`])}
        chosen={name}
        onChoose={(one) => {
          chosen.value = one
        }}
      />
      <Measurement requests={own} />
    </>
  )
}

const Requests = ({ job, benchmark }: { readonly job: string; readonly benchmark: number }) => {
  const { requests, read, isLoading, isCut, problem, reload } = useRequests({ job, index: benchmark })
  if (problem !== undefined) return <ProblemNote problem={problem} onRetry={reload} />
  if (isLoading)
    return (
      <p class="empty" role="status">
        Loading … {count(read)} requests
      </p>
    )
  if (requests.length === 0) return <p class="empty">Its records do not say when the requests were sent.</p>
  return (
    <>
      {(isCut || requests.length < read) && (
        <p class="note warn">
          {isCut && `The first ${count(mostRequests)} requests are shown. `}
          {requests.length < read &&
            `${count(read - requests.length)} are left out: their records do not say when they were sent.`}
        </p>
      )}
      <Measurements requests={requests} />
      <p>
        <a href={addressOf(job, { benchmark: String(benchmark), sort: "-latency_ms" })}>Each request, slowest first</a>
      </p>
    </>
  )
}

const OfBenchmark = ({ job, timed }: { readonly job: string; readonly timed: ReadonlyArray<Benchmark> }) => {
  const chosen = useSignal(String(timed[0]?.benchmark_index))
  return (
    <>
      <Choice
        label="Benchmark"
        choices={timed.map(({ id, benchmark_index: at }) => [String(at), `${at}: ${id}`])}
        chosen={chosen.value}
        onChoose={(at) => {
          chosen.value = at
        }}
      />
      <Requests key={chosen.value} job={job} benchmark={Number(chosen.value)} />
    </>
  )
}

export const RequestsOverTime = ({ job }: { readonly job: Job }) => {
  const timed = timedOf(job)
  if (timed.length === 0) return null
  return (
    <Part title="Requests over time">{(isOpen) => isOpen && <OfBenchmark job={job.resource.id} timed={timed} />}</Part>
  )
}
