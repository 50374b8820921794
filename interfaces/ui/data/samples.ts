/** The samples of a job as a list that is loaded as far as it is looked at, page after page: the service's positions are for going on, not for jumping. */

import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { defined } from "../../../values/defined.ts"
import type { Client } from "../../client/client.ts"
import { client } from "../session/session.ts"
import { ask, type RecordOf } from "./answer.ts"
import type { Problem } from "./problem.ts"
import { cursorIn } from "./sample-pages.ts"

type Page = RecordOf<"listJobSamples">
type Item = Page["items"][number]

/** what a row shows; nothing else is kept, because there may be a million of them */
export interface SampleRow {
  readonly benchmark: number
  readonly id: string
  readonly task: string
  readonly repeat: number
  readonly verdict: Item["verdict"]
  readonly reason: string | undefined
  readonly score: number | undefined
  readonly tokens: number | undefined
  readonly latencyMillis: number | undefined
}

const rowOf = ({
  benchmark_index,
  sample_id,
  task,
  repeat,
  verdict,
  reason,
  score,
  tokens,
  latency_ms
}: Item): SampleRow => ({
  benchmark: benchmark_index,
  id: sample_id,
  ...{ task, repeat, verdict, reason, score },
  tokens: tokens?.completion,
  latencyMillis: latency_ms
})

export interface SampleListing {
  /** grows in place; `loaded` says when it did */
  readonly rows: ReadonlyArray<SampleRow>
  readonly loaded: number
  /** undefined: not known yet, or never, as in a search */
  readonly total: number | undefined
  /** how many more there are by now; of a search that is not known */
  readonly come: number
  /** samples that a search looked at */
  readonly scanned: number | undefined
  readonly hasMore: boolean
  readonly isLoading: boolean
  readonly problem: Problem | undefined
}

export interface LoadedSamples extends SampleListing {
  /** how many rows are needed now; loading stops when they are there */
  readonly want: (rows: number) => void
  /** goes on after a problem */
  readonly retry: () => void
  /** from the beginning */
  readonly reload: () => void
  /** asks how many have come since; what is shown stays */
  readonly recount: () => void
}

/** what narrows and orders the list, by the names that the service has for it; `benchmark`: of one position in the job only */
export interface SampleQuery {
  readonly benchmark?: string
  readonly [name: string]: string | undefined
}

const pageSize = 100

const nothing: SampleListing = {
  rows: [],
  loaded: 0,
  total: undefined,
  come: 0,
  scanned: undefined,
  hasMore: true,
  isLoading: true,
  problem: undefined
}

/** `after`: the position behind which a page begins */
const pagesOf =
  (id: string, { benchmark, ...narrowed }: SampleQuery, by: Client, signal: AbortSignal) =>
  (limit: number, after: string | undefined) => {
    const urlParams = { ...narrowed, limit, ...defined({ cursor: after }) } as object
    return benchmark === undefined
      ? ask("listJobSamples", { path: { id }, urlParams, signal }, by)
      : ask("listBenchmarkSamples", { path: { id, index: benchmark }, urlParams, signal }, by)
  }

export const useSamples = (id: string, query: SampleQuery): LoadedSamples => {
  const state = useSignal(nothing)
  const round = useSignal(0)
  const wanted = useRef(pageSize)
  const load = useRef<() => Promise<void>>(async () => {})
  const recount = useRef<() => Promise<void>>(async () => {})
  const by = client.value
  useEffect(() => {
    const stop = new AbortController()
    const rows: Array<SampleRow> = []
    let cursor: string | undefined
    let isBusy = false
    wanted.current = pageSize
    state.value = nothing
    const page = pagesOf(id, query, by, stop.signal)
    load.current = async () => {
      if (isBusy) return
      isBusy = true
      try {
        while (state.peek().hasMore && rows.length < wanted.current) {
          if (!state.peek().isLoading) state.value = { ...state.peek(), isLoading: true, problem: undefined }
          const asked = await page(pageSize, cursor)
          if (stop.signal.aborted) return
          if (!asked.ok) {
            state.value = { ...state.peek(), isLoading: false, problem: asked.problem }
            return
          }
          const { items, next, total_count: total, scanned } = asked.value
          for (const item of items) rows.push(rowOf(item))
          cursor = cursorIn(next)
          state.value = {
            ...{ rows, total, come: 0, problem: undefined },
            loaded: rows.length,
            scanned: scanned === undefined ? undefined : (state.peek().scanned ?? 0) + scanned,
            hasMore: cursor !== undefined,
            isLoading: cursor !== undefined && rows.length < wanted.current
          }
        }
      } catch (error) {
        // another list is wanted by now
        if (!stop.signal.aborted) throw error
      } finally {
        isBusy = false
      }
    }
    recount.current = async () => {
      const { total } = state.peek()
      if (total === undefined) return
      const asked = await page(1, undefined).catch(() => undefined)
      const now = asked?.ok === true ? asked.value.total_count : undefined
      // another page may have told a newer number meanwhile
      if (now !== undefined && !stop.signal.aborted && state.peek().total === total)
        state.value = { ...state.peek(), come: Math.max(0, now - total) }
    }
    void load.current()
    return () => stop.abort()
  }, [id, JSON.stringify(query), by, round.value])
  return {
    ...state.value,
    want: (rows) => {
      wanted.current = rows
      if (state.peek().problem === undefined) void load.current()
    },
    retry: () => {
      void load.current()
    },
    reload: () => {
      round.value = round.peek() + 1
    },
    recount: () => {
      void recount.current()
    }
  }
}
