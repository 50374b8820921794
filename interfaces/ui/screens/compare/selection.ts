/** Which jobs are compared and how, as the address says it: `?jobs=baseline,candidate,…&tolerance=0.02&differing=1`. */
import type { RequestOf } from "../../../client/client.ts"

export interface Selection {
  /** identifiers of jobs; the first is the baseline */
  readonly jobs: ReadonlyArray<string>
  /** a loss that is accepted, in the units of the metric */
  readonly tolerance?: number
  /** the address names one that is no number of at least 0 */
  readonly hasWrongTolerance: boolean
  readonly onlyDiffering: boolean
}

/** the baseline among them */
export const mostJobs = 8

export const selectionOf = (query: URLSearchParams): Selection => {
  const jobs = [...new Set((query.get("jobs") ?? "").split(",").filter((id) => id !== ""))].slice(0, mostJobs)
  const text = query.get("tolerance")?.trim() ?? ""
  const tolerance = text === "" ? undefined : Number(text)
  const isWrong = tolerance !== undefined && !(tolerance >= 0 && Number.isFinite(tolerance))
  return {
    jobs,
    onlyDiffering: query.has("differing"),
    hasWrongTolerance: isWrong,
    ...(tolerance === undefined || isWrong ? {} : { tolerance })
  }
}

export const addressOf = ({ jobs, tolerance, onlyDiffering }: Omit<Selection, "hasWrongTolerance">): string => {
  const query = new URLSearchParams()
  if (jobs.length > 0) query.set("jobs", jobs.join(","))
  if (tolerance !== undefined) query.set("tolerance", String(tolerance))
  if (onlyDiffering) query.set("differing", "1")
  const search = query.toString()
  return search === "" ? "/compare" : `/compare?${search}`
}

/** undefined: one job is compared with nothing */
export const requestOf = ({ jobs, tolerance }: Selection): RequestOf<"createComparison"> | undefined => {
  const [baseline, ...candidates] = jobs
  if (baseline === undefined || candidates.length === 0) return undefined
  return {
    payload: {
      baseline: { job: baseline },
      candidates: candidates.map((job) => ({ job })),
      ...(tolerance === undefined ? {} : { tolerance })
    }
  }
}
