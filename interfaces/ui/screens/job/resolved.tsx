/** What was really run: each value as it was resolved when the job was made, with where it comes from, as far as the record says. */
import { type Job, resultOf } from "../../data/job.ts"
import { number, visible } from "../../format.ts"
import { useFirst } from "../../parts/first.tsx"
import { From, NumberFrom } from "../../parts/from.tsx"
import { Nothing } from "../../parts/nothing.tsx"
import { Part } from "../../parts/part.tsx"
import { Rows } from "../../parts/rows.tsx"

type Entry = NonNullable<Job["benchmarks"]>[number]

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

const Line = ({ job, entry, index }: { readonly job: Job; readonly entry: Entry; readonly index: number }) => {
  const { id, provider_id, parameters = {}, weight, primary_score: asked, pass_criteria: criteria, budget } = entry
  const test = resultOf(job, index)?.test
  const carried = job.status.benchmarks.find(({ benchmark_index }) => benchmark_index === index)?.carried_from
  const entryFrom = writerOf(job)
  const metric = asked?.metric ?? test?.primary_score_metric
  const threshold = criteria?.threshold ?? test?.threshold
  const hardware = entry.hardware_config ?? job.hardware_config
  const names = Object.keys(parameters)
  return (
    <tr>
      <th scope="row">
        <bdi>{visible(id)}</bdi> <span class="muted">{visible(provider_id)}</span>
        {carried !== undefined && <p class="remark">not run here: taken over from job {visible(carried.job)}</p>}
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
        <NumberFrom value={weight ?? 1} source={weight === undefined ? "default" : entryFrom} />
      </td>
      <td data-label="Metric">
        {metric === undefined ? (
          <Nothing />
        ) : (
          <span>
            {visible(metric)}
            <From source={asked === undefined ? "provider" : entryFrom} />
          </span>
        )}
      </td>
      <td data-label="Threshold">
        {threshold === undefined ? (
          <Nothing />
        ) : (
          <NumberFrom value={threshold} source={criteria?.threshold === undefined ? "provider" : entryFrom} />
        )}
      </td>
      <td data-label="Besides">
        {hardware === undefined && budget === undefined && entry.test_data_ref === undefined ? (
          <Nothing />
        ) : (
          <div>
            {hardware !== undefined && (
              <Named
                name="hardware"
                value={hardware}
                source={entry.hardware_config === undefined ? ownOf(job) : entryFrom}
              />
            )}
            {budget !== undefined && <Named name="budget" value={budget} source={entryFrom} />}
            {entry.test_data_ref !== undefined && (
              <Named name="test data" value={entry.test_data_ref} source={entryFrom} />
            )}
          </div>
        )}
      </td>
    </tr>
  )
}

const titles = ["Benchmark", "Parameters", "Weight", "Metric", "Threshold", "Besides"]

const Plan = ({ job }: { readonly job: Job }) => {
  const { shown, more } = useFirst(job.benchmarks ?? [], "benchmarks")
  const own = job.pass_criteria?.threshold
  const threshold = own ?? job.results.test?.threshold
  const written = ownOf(job)
  const ofAll = [
    ["model parameters", job.model.parameters, written],
    ["budget", job.budget, `${written} or tenant`],
    ["limits of validity", job.validity_limits, written]
  ] as const
  return (
    <>
      {threshold !== undefined && (
        <p>
          Threshold of the job's score <span class="number">{number(threshold)}</span>
          <From
            source={own !== undefined ? written : job.collection === undefined ? "default" : "collection or default"}
          />
        </p>
      )}
      {ofAll.map(
        ([name, value, source]) => value !== undefined && <Named key={name} name={name} value={value} source={source} />
      )}
      <Rows titles={titles}>
        {shown.map((entry, index) => (
          // the place in the job is what a benchmark is known by
          <Line key={index} job={job} entry={entry} index={index} />
        ))}
      </Rows>
      {more}
    </>
  )
}

export const Resolved = ({ job }: { readonly job: Job }) => (
  <Part title="What was run">{(isOpen) => isOpen && <Plan job={job} />}</Part>
)
