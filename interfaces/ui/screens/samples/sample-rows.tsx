/** The rows of a list of samples, of which only those are drawn that are seen, and loaded up to them. */
import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import type { LoadedSamples, SampleRow } from "../../data/samples.ts"
import { count, number, visible } from "../../format.ts"
import { Badge } from "../../parts/badge.tsx"
import { mostRows, rowHeight, topToShow, windowOf } from "./window.ts"

/** rows that are loaded beyond those that are drawn */
const ahead = 50

const figures = ({ reason, score, tokens, latencyMillis }: SampleRow): string =>
  [
    reason?.replaceAll("_", " "),
    score === undefined ? undefined : `score ${number(score)}`,
    tokens === undefined ? undefined : `${count(tokens)} tokens`,
    latencyMillis === undefined ? undefined : `${count(Math.round(latencyMillis))} ms`
  ]
    .filter((text) => text !== undefined)
    .join(" · ")

const Row = ({
  row,
  at,
  of,
  isChosen,
  onChoose
}: {
  /** undefined: not loaded yet */
  readonly row: SampleRow | undefined
  readonly at: number
  readonly of: number
  readonly isChosen: boolean
  readonly onChoose: (at: number) => void
}) => (
  // the keyboard is the list's, which has the focus
  // biome-ignore lint/a11y/useFocusableInteractive: one stop of the Tab key for a list of a hundred thousand
  // biome-ignore lint/a11y/useKeyWithClickEvents: see above
  <div
    id={`sample-${at}`}
    role="option"
    class="sample"
    aria-selected={isChosen}
    aria-posinset={at + 1}
    aria-setsize={of}
    aria-disabled={row === undefined}
    onClick={() => {
      if (row !== undefined) onChoose(at)
    }}
  >
    {row === undefined ? (
      <span class="muted">Loading …</span>
    ) : (
      <>
        <Badge word={row.verdict} />
        <span class="sample-name">
          <bdi>{visible(row.id)}</bdi>
          {row.repeat > 0 && <span class="muted"> repeat {row.repeat}</span>}
        </span>
        <span class="sample-figures muted">{figures(row)}</span>
      </>
    )}
  </div>
)

/** rows of a step of the keyboard, from the one that is chosen; undefined: another key */
const stepOf = (key: string, inView: number): number | undefined =>
  ({
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: inView,
    PageUp: -inView,
    Home: Number.NEGATIVE_INFINITY,
    End: Number.POSITIVE_INFINITY
  })[key]

export const SampleRows = ({
  listing,
  active,
  onChoose
}: {
  readonly listing: LoadedSamples
  /** the row of the sample that is shown */
  readonly active: number | undefined
  /** a row that is loaded */
  readonly onChoose: (at: number) => void
}) => {
  const box = useRef<HTMLDivElement>(null)
  const range = useSignal<readonly [from: number, to: number]>([0, ahead])
  const { rows, loaded, total, hasMore } = listing
  const all = Math.min(mostRows, total ?? loaded + (hasMore ? 1 : 0))
  const look = () => {
    if (box.current === null) return
    const [from, to] = windowOf(box.current.scrollTop, box.current.clientHeight, all)
    const [before, until] = range.peek()
    if (from !== before || to !== until) range.value = [from, to]
  }
  const latest = useRef(look)
  latest.current = look
  useEffect(() => {
    const observer = new ResizeObserver(() => latest.current())
    if (box.current !== null) observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  useEffect(look, [all])
  const [from, to] = range.value
  const isInView = active !== undefined && active >= from && active < to
  useEffect(() => listing.want(to + ahead), [to])
  useEffect(() => {
    if (active === undefined || box.current === null) return
    box.current.scrollTop = topToShow(active, box.current.scrollTop, box.current.clientHeight)
  }, [active])
  const onKeyDown = (event: KeyboardEvent) => {
    const inView = Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / rowHeight) - 1)
    const step = stepOf(event.key, inView)
    if (step === undefined || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    if (loaded > 0) onChoose(Math.max(0, Math.min(loaded - 1, (active ?? -1) + step)))
  }
  return (
    <div
      ref={box}
      class="samples"
      role="listbox"
      aria-label="Samples"
      aria-busy={listing.isLoading}
      tabIndex={0}
      {...(isInView ? { "aria-activedescendant": `sample-${active}` } : {})}
      onScroll={look}
      onKeyDown={onKeyDown}
    >
      <div class="samples-room" style={{ height: `${all * rowHeight}px` }}>
        <div style={{ transform: `translateY(${from * rowHeight}px)` }}>
          {Array.from({ length: Math.max(0, Math.min(to, all) - from) }, (_, place) => from + place).map((at) => (
            <Row key={at} row={rows[at]} at={at} of={all} isChosen={at === active} onChoose={onChoose} />
          ))}
        </div>
      </div>
    </div>
  )
}
