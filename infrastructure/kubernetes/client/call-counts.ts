/** Counts the calls of one client to the cluster's API. */
import type { ClusterActivity } from "../../../application/ports/cluster-statistics.ts"
import type { KubeErrorClass } from "./kube-error.ts"
import type { Lane } from "./rate-limiter.ts"

export interface CallCounts {
  readonly ended: (lane: Lane, outcome: "ok" | KubeErrorClass) => void
  readonly unreadable: () => void
  readonly calls: () => ClusterActivity["calls"]
  readonly unreadableLines: () => number
}

export const makeCallCounts = (): CallCounts => {
  const counts = new Map<string, { readonly lane: Lane; readonly outcome: string; count: number }>()
  let lines = 0
  return {
    ended: (lane, outcome) => {
      const key = `${lane} ${outcome}`
      const found = counts.get(key)
      if (found === undefined) counts.set(key, { lane, outcome, count: 1 })
      else found.count += 1
    },
    unreadable: () => {
      lines += 1
    },
    calls: () => [...counts.values()],
    unreadableLines: () => lines
  }
}
