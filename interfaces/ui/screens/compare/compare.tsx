/** Two to eight jobs against each other: what is worse, how sure that is, and whether a policy lets it through. */
import { useSignal } from "@preact/signals"
import { useLocation } from "preact-iso/router"
import { useAnswer } from "../../data/answer.ts"
import { useQuery } from "../../data/query.ts"
import { FilterForm, TextFilter } from "../../parts/filter-form.tsx"
import { ProblemNote } from "../../parts/problem.tsx"
import { useTitle } from "../../parts/title.ts"
import { Choose, Chosen } from "./choose.tsx"
import type { Comparison } from "./differences.ts"
import { Gate } from "./gate.tsx"
import { addressOf, keptNames, mostJobs, requestOf, type Selection, selectionOf } from "./selection.ts"
import { ComparisonShown, namesOf, OnlyDiffering } from "./shown.tsx"

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
  const { items: _items, item: _item, ...whole } = selection
  const choose = (jobs: ReadonlyArray<string>) => route(addressOf({ ...whole, jobs }), true)
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
      <FilterForm label="Comparison" query={query} kept={keptNames}>
        <TextFilter name="tolerance" label="Loss that is accepted, in units of the metric" query={query} />
        <OnlyDiffering isChosen={selection.onlyDiffering} />
      </FilterForm>
      {selection.hasWrongTolerance && (
        <p class="note warn" role="alert">
          A loss that is accepted must be a number of at least 0; it is left out.
        </p>
      )}
      {request !== undefined && problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
      {comparison !== undefined && (
        <>
          <ComparisonShown comparison={comparison} selection={selection} isLoading={isLoading} />
          <Gate comparison={comparison} />
        </>
      )}
      {request !== undefined && comparison === undefined && isLoading && <p class="empty">Loading …</p>}
    </>
  )
}
