/** What a policy said of a job, for exports. */
import { type RecordOf, recordOf } from "../exit.ts"
import type { Connection } from "../session.ts"

export type Gate = RecordOf<"createGate">

/** decisions that are looked through; the newest stand first */
const mostGates = 100

/** the newest decision about the job itself; it may also be the baseline of others */
export const newestGate = async ({ client }: Connection, id: string): Promise<Gate | undefined> => {
  const { items } = recordOf(await client.listJobGates({ path: { id }, urlParams: { limit: mostGates } }))
  return items.find(({ job }) => job.job === id)
}

export interface GateCase {
  readonly benchmark: string
  /** what had to hold */
  readonly wanted: string
  readonly outcome: Gate["criteria"][number]["outcome"]
  readonly isAdvisory: boolean
  readonly value: number | undefined
  readonly loss: number | undefined
  readonly bounds: { readonly low: number; readonly high: number } | undefined
  readonly n: number | undefined
  readonly why: string | undefined
}

const wantedOf = ({ kind, threshold, tolerance, direction }: Gate["criteria"][number]): string =>
  kind === "absolute"
    ? `${direction === "lower" ? "at most" : "at least"} ${threshold ?? "a value"}`
    : `loses at most ${tolerance ?? 0}${kind === "relative_fraction" ? " of the baseline" : ""}`

export const gateCases = ({ criteria }: Gate): ReadonlyArray<GateCase> =>
  criteria.map((one) => ({
    benchmark: one.benchmark,
    wanted: wantedOf(one),
    outcome: one.outcome,
    isAdvisory: one.tier === "advisory",
    value: one.value,
    loss: one.loss,
    bounds: one.bounds,
    n: one.n,
    why: one.message ?? one.reason
  }))
