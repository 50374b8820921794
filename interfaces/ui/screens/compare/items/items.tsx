/** The items of one benchmark that two jobs answered differently, and one of them. */
import { useEffect, useRef } from "preact/hooks"
import { visible } from "../../../format.ts"
import { Badge } from "../../../parts/badge.tsx"
import { useFirst } from "../../../parts/first.tsx"
import { ProblemNote } from "../../../parts/problem.tsx"
import type { Comparison, Row } from "../differences.ts"
import { addressOf, type Item, type Selection } from "../selection.ts"
import { ItemShown } from "./item.tsx"
import { type Held, usePairs } from "./load.ts"
import { foundSaid, type Pair, scoresSaid } from "./pairs.ts"

const keyOf = ({ id, task, repeat }: Item): string => JSON.stringify([id, task, repeat])

const Line = ({
  pair,
  address,
  isShown
}: {
  readonly pair: Pair
  readonly address: string
  readonly isShown: boolean
}) => {
  const [before, after] = pair.verdicts
  const scores = scoresSaid(pair)
  return (
    <li>
      <a href={address} {...(isShown ? { "aria-current": "true" as const } : {})}>
        <bdi>{visible(pair.id)}</bdi>
        {pair.repeat > 0 && ` repeat ${pair.repeat}`}
      </a>{" "}
      <span class="changed">
        <Badge word={before} /> → <Badge word={after} />
        {scores !== undefined && <span class="muted number"> {scores}</span>}
      </span>
    </li>
  )
}

const Differing = ({ held, selection }: { readonly held: Held; readonly selection: Selection }) => {
  const { pairs, looked, hasMore, isLoading, problem, more, reload } = usePairs(held)
  const { shown, more: rest } = useFirst(pairs, "items")
  const item = selection.item ?? pairs[0]
  return (
    <>
      <p class="muted" role="status">
        {isLoading ? "Loading …" : `${foundSaid(pairs.length, looked, hasMore)}.`}
      </p>
      {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
      <div class="sample-panes">
        <div>
          <ul class="found items" aria-label="Items answered differently">
            {shown.map((pair) => (
              <Line
                key={keyOf(pair)}
                pair={pair}
                address={addressOf({ ...selection, item: { id: pair.id, task: pair.task, repeat: pair.repeat } })}
                isShown={item !== undefined && keyOf(pair) === keyOf(item)}
              />
            ))}
          </ul>
          {rest}
          {hasMore && !isLoading && (
            <button type="button" onClick={more}>
              Look at more items
            </button>
          )}
        </div>
        {item !== undefined && (
          // of two items at once nothing is shown
          <ItemShown key={keyOf(item)} held={held} item={item} />
        )}
      </div>
    </>
  )
}

/** undefined: the address names none, or one that this comparison does not have */
const rowOf = ({ candidates }: Comparison, { items }: Selection): Row | undefined =>
  candidates
    .filter(({ job }) => job === items?.job)
    .flatMap((candidate) => candidate.benchmarks.map((benchmark) => ({ candidate, benchmark })))
    .find(({ benchmark }) => benchmark.candidate_index === items?.index)

export const Items = ({
  comparison,
  selection
}: {
  readonly comparison: Comparison
  readonly selection: Selection
}) => {
  const heading = useRef<HTMLHeadingElement>(null)
  const row = rowOf(comparison, selection)
  const key = row === undefined ? undefined : `${row.candidate.job} ${row.benchmark.candidate_index}`
  // it stands below what led to it
  useEffect(() => {
    heading.current?.focus()
  }, [key])
  if (row === undefined) return null
  const { candidate, benchmark } = row
  if (benchmark.baseline_index === undefined || benchmark.candidate_index === undefined) return null
  const held = {
    baseline: { job: comparison.baseline.job, index: benchmark.baseline_index },
    candidate: { job: candidate.job, index: benchmark.candidate_index },
    lowerIsBetter: benchmark.lower_is_better === true
  }
  const { items: _items, item: _item, ...without } = selection
  return (
    <section aria-labelledby="items">
      <div class="title">
        <h2 id="items" tabIndex={-1} ref={heading}>
          Answered differently: <bdi>{visible(benchmark.id)}</bdi> by <bdi>{visible(candidate.name)}</bdi>
        </h2>
        <a href={addressOf(without)}>Close</a>
      </div>
      <Differing key={key} held={held} selection={selection} />
    </section>
  )
}
