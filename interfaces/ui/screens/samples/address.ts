/** The address of a list of samples and of one of them: what narrows the list, and which sample is looked at. */
import { givenIn } from "../../data/query.ts"

const filterNames = ["benchmark", "verdict", "flag", "finish_reason", "q", "sort"] as const
export type SampleFilters = { readonly [Name in (typeof filterNames)[number]]?: string }

/** what tells one sample of a job from all others */
export interface SampleName {
  /** position of the benchmark in the job */
  readonly benchmark: number
  readonly id: string
  readonly task: string
  readonly repeat: number
}

export const samplesPath = (job: string): string => `/jobs/${encodeURIComponent(job)}/samples`

export const filtersOf = (query: URLSearchParams): SampleFilters => givenIn(query, filterNames)

const wholeOf = (text: string | null): number => (text !== null && /^\d{1,9}$/.test(text) ? Number(text) : 0)

/** undefined: the address names none */
export const nameIn = (query: URLSearchParams): SampleName | undefined => {
  const id = query.get("sample")
  return id === null || id === ""
    ? undefined
    : { id, benchmark: wholeOf(query.get("of")), task: query.get("task") ?? "", repeat: wholeOf(query.get("repeat")) }
}

export const addressOf = (job: string, filters: SampleFilters, name?: SampleName): string => {
  const query = new URLSearchParams(Object.entries(filters))
  if (name !== undefined) {
    query.set("sample", name.id)
    query.set("of", String(name.benchmark))
    query.set("task", name.task)
    query.set("repeat", String(name.repeat))
  }
  const search = query.toString()
  return search === "" ? samplesPath(job) : `${samplesPath(job)}?${search}`
}
