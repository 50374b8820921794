/** What was really run: each value as it was resolved when the job was made, with where it comes from. */
import { useAnswer } from "../../data/answer.ts"
import type { Job } from "../../data/job.ts"
import { number, visible } from "../../format.ts"
import { useFirst } from "../../parts/first.tsx"
import { From, NumberFrom } from "../../parts/from.tsx"
import { Nothing } from "../../parts/nothing.tsx"
import { Part } from "../../parts/part.tsx"
import { JudgedBy, type Plan, type Planned, placeOf, ResourcesOf, Started } from "../../parts/planned.tsx"
import { ProblemNote } from "../../parts/problem.tsx"
import { Rows } from "../../parts/rows.tsx"

const text = (value: unknown): string => visible(JSON.stringify(value))

/** who wrote what stands at the job itself; of a rerun the record does not say which values are its own */
const ownOf = ({ rerun_of: before }: Job): string => (before === undefined ? "job" : "the earlier job or this one")

/** who wrote the entries */
const writerOf = (job: Job): string =>
  job.collection === undefined || job.rerun_of !== undefined ? ownOf(job) : "collection"

/** a value of the job for its whole collection goes before what the collection says */
const sourceOf = (job: Job, name: string, value: unknown): string => {
  if (writerOf(job) !== "collection") return writerOf(job)
  const given = job.collection?.parameters ?? {}
  return Object.hasOwn(given, name) && JSON.stringify(given[name]) === JSON.stringify(value) ? "job" : "collection"
}

const Named = ({
  name,
  value,
  source
}: {
  readonly name: string
  readonly value: unknown
  readonly source: string
}) => (
  <p class="remark">
    <code>
      {visible(name)} = {text(value)}
    </code>
    <From source={source} />
  </p>
)

const Line = ({
  job,
  benchmark,
  runtime
}: {
  readonly job: Job
  readonly benchmark: Planned
  readonly runtime: Plan["runtime"]
}) => {
  const { id, provider_id, benchmark_index: index, parameters = {}, weight } = benchmark
  const entry = job.benchmarks?.[index]
  const carried = job.status.benchmarks.find(({ benchmark_index }) => benchmark_index === index)?.carried_from
  const entryFrom = writerOf(job)
  const hardware = entry?.hardware_config ?? job.hardware_config
  const hardwareFrom = entry?.hardware_config === undefined ? ownOf(job) : entryFrom
  const besides = [
    ["hardware", hardware, hardwareFrom],
    ["budget", entry?.budget, entryFrom],
    ["test data", entry?.test_data_ref, entryFrom]
  ] as const
  const names = Object.keys(parameters)
  return (
    <tr>
      <th scope="row">
        <bdi>{visible(id)}</bdi> <span class="muted">{visible(provider_id)}</span>
        {carried !== undefined && <p class="remark">not run here: taken over from job {visible(carried.job)}</p>}
        <Started benchmark={benchmark} />
      </th>
      <td data-label="Parameters">
        {names.length === 0 ? (
          <Nothing />
        ) : (
          <div>
            {names.map((name) => (
              <Named key={name} name={name} value={parameters[name]} source={sourceOf(job, name, parameters[name])} />
            ))}
          </div>
        )}
      </td>
      <td data-label="Weight">
        <NumberFrom value={weight} source={entry?.weight === undefined ? "default" : entryFrom} />
      </td>
      <JudgedBy benchmark={benchmark} />
      <td data-label="Resources">{runtime === "local" ? <Nothing /> : <ResourcesOf benchmark={benchmark} />}</td>
      <td data-label="Besides">
        {besides.every(([, value]) => value === undefined) ? (
          <Nothing />
        ) : (
          <div>
            {besides.map(
              ([name, value, source]) =>
                value !== undefined && <Named key={name} name={name} value={value} source={source} />
            )}
          </div>
        )}
      </td>
    </tr>
  )
}

const titles = ["Benchmark", "Parameters", "Weight", "Metric", "Threshold", "Resources", "Besides"]

const PlanOf = ({ job, plan: { runtime, threshold, benchmarks } }: { readonly job: Job; readonly plan: Plan }) => {
  const { shown, more } = useFirst(benchmarks, "benchmarks")
  const isOwn = job.pass_criteria?.threshold !== undefined
  const written = ownOf(job)
  const ofAll = [
    ["model parameters", job.model.parameters, written],
    ["budget", job.budget, `${written} or tenant`],
    ["limits of validity", job.validity_limits, written]
  ] as const
  return (
    <>
      <p class="muted">
        Run {placeOf(runtime)}
        {runtime === "local" && ", where resources and queues have no effect"}.
      </p>
      <p>
        Threshold of the job's score <span class="number">{number(threshold)}</span>
        <From source={isOwn ? written : job.collection === undefined ? "default" : "collection or default"} />
      </p>
      {ofAll.map(
        ([name, value, source]) => value !== undefined && <Named key={name} name={name} value={value} source={source} />
      )}
      <Rows titles={titles}>
        {shown.map((benchmark) => (
          <Line key={benchmark.benchmark_index} job={job} benchmark={benchmark} runtime={runtime} />
        ))}
      </Rows>
      {more}
    </>
  )
}

const Asked = ({ job }: { readonly job: Job }) => {
  const { value: plan, problem, reload } = useAnswer("getJobPlan", { path: { id: job.resource.id } })
  if (plan !== undefined) return <PlanOf job={job} plan={plan} />
  return problem === undefined ? <p class="empty">Loading …</p> : <ProblemNote problem={problem} onRetry={reload} />
}

export const Resolved = ({ job }: { readonly job: Job }) => (
  <Part title="What was run">{(isOpen) => isOpen && <Asked job={job} />}</Part>
)
