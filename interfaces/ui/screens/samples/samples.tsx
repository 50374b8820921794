/** The samples of a job: a list that is narrowed, ordered and searched by the service, and beside it the one that is looked at. */
import { useSignal } from "@preact/signals"
import { useEffect, useMemo, useRef } from "preact/hooks"
import { useLocation, useRoute } from "preact-iso/router"
import { useAnswer } from "../../data/answer.ts"
import type { StreamEvent } from "../../data/events.ts"
import { isOver, type Job } from "../../data/job.ts"
import { useStream } from "../../data/live.ts"
import { useQuery } from "../../data/query.ts"
import { type LoadedSamples, type SampleListing, type SampleRow, useSamples } from "../../data/samples.ts"
import { useSoon } from "../../data/soon.ts"
import { count, visible } from "../../format.ts"
import { ConnectionState } from "../../parts/connection.tsx"
import { ProblemNote } from "../../parts/problem.tsx"
import { useTitle } from "../../parts/title.ts"
import { addressOf, filtersOf, nameIn, type SampleFilters, type SampleName, samplesPath } from "./address.ts"
import { SampleFilterForm } from "./filters.tsx"
import { SampleView } from "./record.tsx"
import { SampleRows } from "./sample-rows.tsx"
import { mostRows } from "./window.ts"

/** a key that is held passes many samples; those in between are not asked for */
const pauseMillis = 120

const isRowOf = (name: SampleName | undefined, row: SampleRow): boolean =>
  name !== undefined &&
  row.id === name.id &&
  row.benchmark === name.benchmark &&
  row.repeat === name.repeat &&
  (name.task === "" || row.task === name.task)

const nameOf = ({ benchmark, id, task, repeat }: SampleRow): SampleName => ({ benchmark, id, task, repeat })

/** the row that is looked at, and how another one is taken, which the address then names; the first until somebody chose */
const useChoice = (job: string, filters: SampleFilters, { rows, loaded }: SampleListing) => {
  const { url, route } = useLocation()
  const named = nameIn(useQuery())
  const moving = useSignal<number | undefined>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const place = useMemo(() => rows.findIndex((row) => isRowOf(named, row)), [url, rows, loaded])
  const first = rows[0]
  const active = moving.value ?? (named === undefined ? first && 0 : place < 0 ? undefined : place)
  // a choice in a list that is no longer shown
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      moving.value = undefined
    },
    [job, JSON.stringify(filters)]
  )
  const choose = (at: number) => {
    const row = rows[at]
    if (row === undefined) return
    moving.value = at
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      route(addressOf(job, filters, nameOf(row)), true)
      moving.value = undefined
    }, pauseMillis)
  }
  return { active, choose, shown: named ?? (first && nameOf(first)) }
}

const said = ({ total, loaded, scanned, hasMore }: SampleListing): string => {
  if (scanned !== undefined) return `${count(loaded)} found in ${count(scanned)}${hasMore ? " so far" : ""}`
  if (total === undefined) return "Loading …"
  return total > mostRows
    ? `${count(total)} samples, of which the first ${count(mostRows)} are listed`
    : `${count(total)} ${total === 1 ? "sample" : "samples"}`
}

const Steps = ({
  active,
  loaded,
  onChoose
}: {
  readonly active: number | undefined
  readonly loaded: number
  readonly onChoose: (at: number) => void
}) => (
  <p class="actions">
    <button type="button" disabled={active === undefined || active === 0} onClick={() => onChoose((active ?? 0) - 1)}>
      Previous
    </button>
    <button
      type="button"
      disabled={active !== undefined && active >= loaded - 1}
      onClick={() => onChoose((active ?? -1) + 1)}
    >
      Next
    </button>
  </p>
)

const Found = ({
  id,
  filters,
  listing
}: {
  readonly id: string
  readonly filters: SampleFilters
  readonly listing: LoadedSamples
}) => {
  const { active, choose, shown } = useChoice(id, filters, listing)
  const { loaded, hasMore } = listing
  if (loaded === 0 && !hasMore)
    return (
      <p class="empty">
        {Object.keys(filters).length > 0 ? (
          <>
            No sample matches. <a href={samplesPath(id)}>Show all samples</a>
          </>
        ) : (
          "There are no samples of this job: none came yet, its adapter writes none, or they are kept no longer."
        )}
      </p>
    )
  return (
    <div class="sample-panes">
      <SampleRows key={JSON.stringify(filters)} listing={listing} active={active} onChoose={choose} />
      <div>
        <Steps active={active} loaded={loaded} onChoose={choose} />
        {shown !== undefined && <SampleView job={id} name={shown} filters={filters} />}
      </div>
    </div>
  )
}

/** the job as it is now; `onChange`: something of it has changed */
const useJob = (id: string, onChange: () => void) => {
  const { value: job, replace } = useAnswer("getJob", { path: { id } })
  const isRunning = job !== undefined && !isOver(job)
  const onEvent = ({ name, data }: StreamEvent) => {
    if (name !== "deleted") replace(() => JSON.parse(data) as Job)
    onChange()
  }
  const connection = useStream(
    id,
    isRunning ? (by, headers, signal) => by.open("watchJob", { path: { id }, headers, signal }) : undefined,
    onEvent
  )
  return { job, isRunning, connection }
}

export const SamplesScreen = () => {
  const id = useRoute().params["id"] ?? ""
  const query = useQuery()
  const filters = filtersOf(query)
  const listing = useSamples(id, filters)
  const { problem, come, retry, reload, recount } = listing
  // new ones do not move what somebody reads
  const { job, isRunning, connection } = useJob(id, useSoon(recount))
  useTitle(job === undefined ? "Samples" : `Samples of ${visible(job.name)}`)
  return (
    <>
      <div class="title">
        <h1>
          Samples of{" "}
          <a href={`/jobs/${encodeURIComponent(id)}`}>
            <bdi>{job === undefined ? "the job" : visible(job.name)}</bdi>
          </a>
        </h1>
        <span class="muted" role="status">
          {said(listing)}
        </span>
        {isRunning && <ConnectionState of={connection} />}
        {(isRunning || come > 0) && (
          <button type="button" class="plain" onClick={reload}>
            {come > 0 ? `Show ${count(come)} more` : "Read again"}
          </button>
        )}
      </div>
      <SampleFilterForm job={job} query={query} />
      {problem !== undefined && <ProblemNote problem={problem} onRetry={retry} />}
      {(problem === undefined || listing.loaded > 0) && <Found id={id} filters={filters} listing={listing} />}
    </>
  )
}
