/** Two to eight jobs against each other: what is worse, how sure that is, and whether a policy lets it through. */
import { useSignal } from "@preact/signals"
import { useLocation } from "preact-iso/router"
import { useAnswer } from "../../data/answer.ts"
import { useQuery } from "../../data/query.ts"
import { visible } from "../../format.ts"
import { Badge } from "../../parts/badge.tsx"
import { FilterForm, TextFilter } from "../../parts/filter-form.tsx"
import { ProblemNote } from "../../parts/problem.tsx"
import { useTitle } from "../../parts/title.ts"
import { Choose, Chosen } from "./choose.tsx"
import type { Candidate, Comparison } from "./differences.ts"
import { Forest, signed } from "./forest.tsx"
import { Gate } from "./gate.tsx"
import { addressOf, mostJobs, requestOf, type Selection, selectionOf } from "./selection.ts"
import { Differences } from "./table.tsx"

const Overall = ({ candidate: { name, model, overall, overall_missing } }: { readonly candidate: Candidate }) => (
  <div>
    <dt>
      <bdi>{visible(name)}</bdi>, model <bdi>{visible(model.name)}</bdi>
    </dt>
    <dd>
      {overall === undefined ? (
        <span class="muted">No difference over all benchmarks: {visible(overall_missing ?? "not told")}</span>
      ) : (
        <span class="score">
          <Badge word={overall.outcome} />
          <span class="number">
            <strong>{signed(overall.difference)}</strong>{" "}
            <span class="muted">
              {signed(overall.interval.low)} to {signed(overall.interval.high)}
            </span>
          </span>
          <Forest
            difference={overall.difference}
            interval={overall.interval}
            reach={Math.max(Math.abs(overall.interval.low), Math.abs(overall.interval.high), 0.01) * 1.1}
          />
        </span>
      )}
    </dd>
  </div>
)

const namesOf = (comparison: Comparison | undefined): { readonly [id: string]: string } =>
  comparison === undefined
    ? {}
    : Object.fromEntries([comparison.baseline, ...comparison.candidates].map(({ job, name }) => [job, name]))

const isOf = ({ baseline, candidates }: Comparison, { jobs }: Selection): boolean =>
  [baseline, ...candidates].map(({ job }) => job).join() === jobs.join()

export const CompareScreen = () => {
  useTitle("Compare")
  const { route } = useLocation()
  const query = useQuery()
  const selection = selectionOf(query)
  const request = requestOf(selection)
  // the same question over the same results is answered with the same record: it may be asked as often as the page is opened
  const { value, problem, isLoading, reload } = useAnswer("createComparison", request)
  const isChoosing = useSignal(request === undefined)
  // while another answer is waited for, or after a refusal, the one of other jobs is not shown
  const comparison = value !== undefined && isOf(value, selection) ? value : undefined
  const choose = (jobs: ReadonlyArray<string>) => route(addressOf({ ...selection, jobs }), true)
  return (
    <>
      <div class="title">
        <h1>Compare</h1>
        {comparison !== undefined && (
          <button type="button" onClick={reload}>
            Compare again
          </button>
        )}
      </div>
      <Chosen jobs={selection.jobs} names={namesOf(value)} onChange={choose} />
      <details
        class="part"
        open={isChoosing.value}
        onToggle={({ currentTarget }) => {
          isChoosing.value = currentTarget.open
        }}
      >
        <summary>
          <h2>Choose 2 to {mostJobs} jobs, the baseline first</h2>
        </summary>
        {isChoosing.value && <Choose jobs={selection.jobs} onChange={choose} />}
      </details>
      <FilterForm label="Comparison" query={query} kept={["jobs"]}>
        <TextFilter name="tolerance" label="Loss that is accepted, in units of the metric" query={query} />
        <label class="check">
          <input name="differing" type="checkbox" value="1" defaultChecked={selection.onlyDiffering} /> Only what
          differs
        </label>
      </FilterForm>
      {selection.hasWrongTolerance && (
        <p class="note warn" role="alert">
          A loss that is accepted must be a number of at least 0; it is left out.
        </p>
      )}
      {request !== undefined && problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
      {comparison !== undefined && (
        <>
          <dl class="facts">
            {comparison.candidates.map((candidate) => (
              <Overall key={candidate.job} candidate={candidate} />
            ))}
          </dl>
          <Differences comparison={comparison} onlyDiffering={selection.onlyDiffering} isLoading={isLoading} />
          <Gate comparison={comparison} />
        </>
      )}
      {request !== undefined && comparison === undefined && isLoading && <p class="empty">Loading …</p>}
    </>
  )
}
