/** The comparison that a report holds, narrowed but not changed. */
import { useAnswer } from "../data/answer.ts"
import { useQuery } from "../data/query.ts"
import { FilterForm } from "../parts/filter-form.tsx"
import { ProblemNote } from "../parts/problem.tsx"
import { useTitle } from "../parts/title.ts"
import { Chosen } from "../screens/compare/choose.tsx"
import { keptNames, requestOf, selectionOf } from "../screens/compare/selection.ts"
import { ComparisonShown, namesOf, OnlyDiffering } from "../screens/compare/shown.tsx"

export const CompareReport = () => {
  useTitle("Compare")
  const query = useQuery()
  const selection = selectionOf(query)
  const { value, problem, isLoading } = useAnswer("createComparison", requestOf(selection))
  return (
    <>
      <h1>Compare</h1>
      <Chosen jobs={selection.jobs} names={namesOf(value)} />
      {problem !== undefined && <ProblemNote problem={problem} />}
      {value !== undefined && (
        <>
          <FilterForm label="Comparison" query={query} kept={keptNames}>
            <OnlyDiffering isChosen={selection.onlyDiffering} />
          </FilterForm>
          <ComparisonShown comparison={value} selection={selection} isLoading={isLoading} />
        </>
      )}
    </>
  )
}
