/** The items of one benchmark in two jobs, read side by side, as far as somebody wants to look. */
import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import type { Problem } from "../../../data/problem.ts"
import { samplePages, type Unit } from "../../../data/sample-pages.ts"
import { client } from "../../../session/session.ts"
import { makePairing, type Pair } from "./pairs.ts"

/** pages of each job that are read at once: a thousand items, or fewer long ones */
const pagesAtOnce = 10

interface Found {
  readonly pairs: ReadonlyArray<Pair>
  readonly looked: number
  readonly hasMore: boolean
  readonly isLoading: boolean
  readonly problem: Problem | undefined
}

const nothing: Found = { pairs: [], looked: 0, hasMore: true, isLoading: true, problem: undefined }

export interface Held {
  readonly baseline: Unit
  readonly candidate: Unit
  readonly lowerIsBetter: boolean
}

export const usePairs = ({
  baseline,
  candidate,
  lowerIsBetter
}: Held): Found & { readonly more: () => void; readonly reload: () => void } => {
  const state = useSignal(nothing)
  const round = useSignal(0)
  const look = useRef<() => Promise<void>>(async () => {})
  const by = client.value
  useEffect(() => {
    const stop = new AbortController()
    const pairing = makePairing(lowerIsBetter)
    const sides = ([0, 1] as const).map((side) => ({
      side,
      pages: samplePages(side === 0 ? baseline : candidate, by, stop.signal),
      hasMore: true
    }))
    let isBusy = false
    state.value = nothing
    /** the next page of each; undefined: all went well */
    const step = async (): Promise<Problem | undefined> => {
      const problems = await Promise.all(
        sides
          .filter(({ hasMore }) => hasMore)
          .map(async (one) => {
            const { value: asked } = await one.pages.next()
            one.hasMore = asked?.ok === true && asked.value.next !== undefined
            if (asked?.ok === true) pairing.take(one.side, asked.value.items)
            return asked?.ok === false ? asked.problem : undefined
          })
      )
      return problems.find((problem) => problem !== undefined)
    }
    look.current = async () => {
      if (isBusy) return
      isBusy = true
      state.value = { ...state.peek(), isLoading: true }
      let problem: Problem | undefined
      try {
        for (let pages = 0; pages < pagesAtOnce && problem === undefined; pages++) {
          if (!sides.some(({ hasMore }) => hasMore)) break
          problem = await step()
        }
      } catch (error) {
        if (!stop.signal.aborted) throw error
      }
      isBusy = false
      if (stop.signal.aborted) return
      state.value = {
        ...{ pairs: pairing.differing(), looked: pairing.looked(), isLoading: false, problem },
        hasMore: problem === undefined && sides.some(({ hasMore }) => hasMore)
      }
    }
    void look.current()
    return () => stop.abort()
  }, [baseline.job, baseline.index, candidate.job, candidate.index, lowerIsBetter, by, round.value])
  return {
    ...state.value,
    more: () => {
      void look.current()
    },
    reload: () => {
      round.value = round.peek() + 1
    }
  }
}
