/** The requests of a benchmark, read when somebody wants to see them. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Problem } from "../../../data/problem.ts"
import { samplePages, type Unit } from "../../../data/sample-pages.ts"
import { client } from "../../../session/session.ts"
import { type TimedRequest, timedRequest } from "./timed.ts"

/** more are not drawn: the page keeps all of them, and a screen has no room for them */
export const mostRequests = 20_000

export interface LoadedRequests {
  /** by the time of their begin; all of them at once, when they are there */
  readonly requests: ReadonlyArray<TimedRequest>
  /** how many records were read by now */
  readonly read: number
  readonly isLoading: boolean
  /** there are more than were read */
  readonly isCut: boolean
  readonly problem: Problem | undefined
}

const nothing: LoadedRequests = { requests: [], read: 0, isLoading: true, isCut: false, problem: undefined }

export const useRequests = (unit: Unit): LoadedRequests & { readonly reload: () => void } => {
  const state = useSignal(nothing)
  const round = useSignal(0)
  const by = client.value
  useEffect(() => {
    const stop = new AbortController()
    const requests: Array<TimedRequest> = []
    let read = 0
    const readAll = async () => {
      state.value = nothing
      for await (const asked of samplePages(unit, by, stop.signal)) {
        if (stop.signal.aborted) return
        if (!asked.ok) {
          state.value = { ...nothing, isLoading: false, problem: asked.problem }
          return
        }
        for (const sample of asked.value.items) {
          const request = timedRequest(sample)
          if (request !== undefined) requests.push(request)
        }
        read += asked.value.items.length
        const isCut = read >= mostRequests && asked.value.next !== undefined
        state.value = { ...nothing, read, isCut }
        if (isCut) break
      }
      requests.sort((a, b) => a.started - b.started)
      state.value = { ...state.peek(), requests, isLoading: false }
    }
    readAll().catch((error) => {
      // another benchmark is wanted by now
      if (!stop.signal.aborted) throw error
    })
    return () => stop.abort()
  }, [unit.job, unit.index, by, round.value])
  return {
    ...state.value,
    reload: () => {
      round.value = round.peek() + 1
    }
  }
}
