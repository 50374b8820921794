/** One item as two jobs answered it: how each was judged, and what the answers say differently. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { type RecordOf, useAnswer } from "../../../data/answer.ts"
import type { Unit } from "../../../data/sample-pages.ts"
import { count, visible } from "../../../format.ts"
import { Badge } from "../../../parts/badge.tsx"
import { ProblemNote } from "../../../parts/problem.tsx"
import { addressOf } from "../../samples/address.ts"
import { textOf } from "../../samples/texts.ts"
import type { Item } from "../selection.ts"
import type { Difference, Piece } from "./difference.ts"
import type { Held } from "./load.ts"

type SampleRecord = RecordOf<"getSample">

/** lines that come or go are seen as such */
const Changed = ({ piece: { kind, text } }: { readonly piece: Piece }) => {
  const shown = visible(text)
  if (kind === "same") return shown
  const marked = shown.replaceAll("\n", "↵\n")
  return kind === "before" ? <del>{marked}</del> : <ins>{marked}</ins>
}

const Told = ({ difference: { pieces, left, isWhole } }: { readonly difference: Difference }) => (
  <>
    <p class="remark">
      <del>Struck through</del> stands in the baseline's answer alone, <ins>underlined</ins> in the candidate's alone.
      {isWhole && " They have too little in common to be held against each other word by word."}
      {left > 0 && ` The last ${count(left)} characters are not looked at.`}
    </p>
    <pre dir="auto" class="difference">
      {pieces.map((piece, at) => (
        // pieces are a list that never changes
        <Changed key={at} piece={piece} />
      ))}
    </pre>
  </>
)

const Answers = ({ before, after }: { readonly before: string; readonly after: string }) => {
  const found = useSignal<Difference | "missing" | undefined>(undefined)
  useEffect(() => {
    let isGone = false
    found.value = undefined
    import("./difference.ts").then(
      ({ differenceOf }) => {
        if (!isGone) found.value = differenceOf(before, after)
      },
      () => {
        if (!isGone) found.value = "missing"
      }
    )
    return () => {
      isGone = true
    }
  }, [before, after])
  if (before === after) return <p class="muted">Both answered with the same text.</p>
  if (found.value === undefined) return <p class="empty">Loading …</p>
  if (found.value === "missing") return <p class="note warn">The difference cannot be shown; reload the page.</p>
  return <Told difference={found.value} />
}

const Judged = ({ name, record }: { readonly name: string; readonly record: SampleRecord }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <Badge word={record.verdict} />
      {record.reason !== undefined && <span class="muted"> {record.reason.replaceAll("_", " ")}</span>}
      {record.extracted !== undefined && <p class="remark">read: {visible(record.extracted)}</p>}
    </dd>
  </div>
)

/** of one that has no response, such as a choice by likelihood, what was read from it */
const answersIn = (before: SampleRecord, after: SampleRecord): readonly [string, string] | undefined => {
  const [one, other] = [before.response, after.response]
  if (one !== undefined && other !== undefined) return [one, other]
  return before.extracted === undefined || after.extracted === undefined
    ? undefined
    : [before.extracted, after.extracted]
}

const useSample = ({ job, index }: Unit, { id, task, repeat }: Item) =>
  useAnswer("getSample", {
    path: { id: job, index: String(index), sample_id: id },
    urlParams: { repeat, ...(task === "" ? {} : { task }) }
  })

export const ItemShown = ({ held: { baseline, candidate }, item }: { readonly held: Held; readonly item: Item }) => {
  const [before, after] = [useSample(baseline, item), useSample(candidate, item)]
  const problem = before.problem ?? after.problem
  if (problem !== undefined)
    return (
      <ProblemNote
        problem={problem}
        onRetry={() => {
          before.reload()
          after.reload()
        }}
      />
    )
  if (before.value === undefined || after.value === undefined) return <p class="empty">Loading …</p>
  const answers = answersIn(before.value, after.value)
  const { reference } = before.value
  const address = ({ job, index }: Unit) => addressOf(job, {}, { ...item, benchmark: index })
  return (
    <article aria-labelledby="item-shown" aria-busy={before.isLoading || after.isLoading}>
      <div class="title">
        <h3 id="item-shown">
          <bdi>{visible(item.id)}</bdi>
        </h3>
        <a href={address(baseline)}>In the baseline</a>
        <a href={address(candidate)}>In the candidate</a>
      </div>
      <dl class="facts">
        <Judged name="Baseline" record={before.value} />
        <Judged name="Candidate" record={after.value} />
        {reference !== undefined && (
          <div>
            <dt>Expected</dt>
            <dd>{visible(textOf(reference))}</dd>
          </div>
        )}
      </dl>
      {answers === undefined ? (
        <p class="muted">The texts of these answers are not kept: by a setting of the server, or by their adapter.</p>
      ) : (
        <Answers before={answers[0]} after={answers[1]} />
      )}
    </article>
  )
}
