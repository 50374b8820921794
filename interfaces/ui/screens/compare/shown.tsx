/** A comparison as it was answered: the whole of each candidate, then every benchmark, losses first, and the items of one of them. */
import { visible } from "../../format.ts"
import { Badge } from "../../parts/badge.tsx"
import type { Candidate, Comparison } from "./differences.ts"
import { Forest, signed } from "./forest.tsx"
import { Items } from "./items/items.tsx"
import type { Selection } from "./selection.ts"
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

export const ComparisonShown = (shown: {
  readonly comparison: Comparison
  readonly selection: Selection
  readonly isLoading: boolean
}) => (
  <>
    <dl class="facts">
      {shown.comparison.candidates.map((candidate) => (
        <Overall key={candidate.job} candidate={candidate} />
      ))}
    </dl>
    <Differences {...shown} />
    <Items comparison={shown.comparison} selection={shown.selection} />
  </>
)

/** by their identifiers */
export const namesOf = (comparison: Comparison | undefined): { readonly [id: string]: string } =>
  comparison === undefined
    ? {}
    : Object.fromEntries([comparison.baseline, ...comparison.candidates].map(({ job, name }) => [job, name]))

export const OnlyDiffering = ({ isChosen }: { readonly isChosen: boolean }) => (
  <label class="check">
    <input name="differing" type="checkbox" value="1" defaultChecked={isChosen} /> Only what differs
  </label>
)
