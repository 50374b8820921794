/**
 * Which jobs are compared and how, as the address says it: `?jobs=baseline,candidate,…&tolerance=0.02&differing=1`, and which items are looked at:
 * `&items=candidate:index&sample=…&task=…&repeat=0`.
 */
import { defined } from "../../../../values/defined.ts"
import type { RequestOf } from "../../../client/client.ts"

/** what tells one item of a benchmark from all others */
export interface Item {
  readonly id: string
  readonly task: string
  readonly repeat: number
}

export interface Selection {
  /** identifiers of jobs; the first is the baseline */
  readonly jobs: ReadonlyArray<string>
  /** a loss that is accepted, in the units of the metric */
  readonly tolerance?: number
  /** the address names one that is no number of at least 0 */
  readonly hasWrongTolerance: boolean
  readonly onlyDiffering: boolean
  /** a candidate's benchmark, by its position there, whose items are shown */
  readonly items?: { readonly job: string; readonly index: number }
  /** the one of them that is looked at */
  readonly item?: Item
}

/** members of the address that no field of the comparison has */
export const keptNames = ["jobs", "items", "sample", "task", "repeat"] as const

/** the baseline among them */
export const mostJobs = 8

const itemsIn = (query: URLSearchParams): Pick<Selection, "items" | "item"> => {
  const [, job, index] = /^([^:]+):(\d{1,6})$/.exec(query.get("items") ?? "") ?? []
  if (job === undefined) return {}
  const [id, repeat] = [query.get("sample"), query.get("repeat") ?? ""]
  return {
    items: { job, index: Number(index) },
    ...(id
      ? { item: { id, task: query.get("task") ?? "", repeat: /^\d{1,9}$/.test(repeat) ? Number(repeat) : 0 } }
      : {})
  }
}

export const selectionOf = (query: URLSearchParams): Selection => {
  const jobs = [...new Set((query.get("jobs") ?? "").split(",").filter((id) => id !== ""))].slice(0, mostJobs)
  const text = query.get("tolerance")?.trim() ?? ""
  const tolerance = text === "" ? undefined : Number(text)
  const isWrong = tolerance !== undefined && !(tolerance >= 0 && Number.isFinite(tolerance))
  return {
    jobs,
    onlyDiffering: query.has("differing"),
    hasWrongTolerance: isWrong,
    ...(tolerance === undefined || isWrong ? {} : { tolerance }),
    ...itemsIn(query)
  }
}

export const addressOf = ({
  jobs,
  tolerance,
  onlyDiffering,
  items,
  item
}: Omit<Selection, "hasWrongTolerance">): string => {
  const query = new URLSearchParams()
  if (jobs.length > 0) query.set("jobs", jobs.join(","))
  if (tolerance !== undefined) query.set("tolerance", String(tolerance))
  if (onlyDiffering) query.set("differing", "1")
  if (items !== undefined) query.set("items", `${items.job}:${items.index}`)
  if (item !== undefined) {
    query.set("sample", item.id)
    query.set("task", item.task)
    query.set("repeat", String(item.repeat))
  }
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
      ...defined({ tolerance })
    }
  }
}
