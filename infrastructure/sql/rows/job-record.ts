/**
 * A job's record as it goes out, joined from stored texts: nothing that grows with the job is parsed or encoded again. Member order
 * is the spec's. Reference: api.md, "Answers"; states-and-scores.md, "Job states", "Job score".
 */
import type { Rendered } from "../../../application/ports/stores/job-store.ts"
import type { Usage } from "../../../domain/budget/usage.ts"
import type { Job } from "../../../domain/job/job.ts"
import { messageWire, resultWire, statusWire, type WireOptions } from "./benchmark-wire.ts"
import type { JobRow } from "./job-row.ts"
import { inside } from "./present.ts"
import { requestWire } from "./request-wire.ts"
import { usageWire } from "./usage-wire.ts"

export type RecordRow = Pick<
  JobRow,
  | "id"
  | "tenant"
  | "owner"
  | "created_at"
  | "updated_at"
  | "name"
  | "state"
  | "version"
  | "message"
  | "test"
  | "tracker_experiment_id"
  | "tracker_experiment_url"
  | "usage"
> & {
  /** inside of the record's text between `resource` and `status` */
  readonly request: string | null
  /** comma-separated entries in index order */
  readonly statuses: string | null
  readonly results: string | null
}

export const recordColumns = (alias: string): string =>
  "id tenant owner created_at updated_at name state version message test tracker_experiment_id tracker_experiment_url usage"
    .split(" ")
    .map((name) => `${alias}.${name}`)
    .join(", ")

const resource = (row: RecordRow, options: WireOptions): string =>
  inside({
    id: row.id,
    tenant: row.tenant,
    created_at: row.created_at,
    updated_at: row.updated_at,
    owner: row.owner,
    tracker_experiment_id: row.tracker_experiment_id,
    mlflow_experiment_id: options.vendorAliases ? row.tracker_experiment_id : undefined
  })

const closing = (row: RecordRow, options: WireOptions): string => {
  const usage = row.usage === null ? "" : `,"usage":${JSON.stringify(usageWire(JSON.parse(row.usage) as Usage))}`
  const test = `${row.test === null ? "" : `,"test":${row.test}`}${usage}`
  const url = inside({
    tracker_experiment_url: row.tracker_experiment_url,
    mlflow_experiment_url: options.vendorAliases ? row.tracker_experiment_url : undefined
  })
  return url === "" ? test : `${test},${url}`
}

/** why the stored texts that were read cannot be a record; undefined when they can */
export const unreadable = (
  row: RecordRow,
  { request, statuses } = { request: true, statuses: true }
): string | undefined => {
  if (request && !row.request?.startsWith('"name":')) return "its request is missing or damaged"
  if (statuses && !(row.statuses?.startsWith("{") === true && row.statuses.endsWith("}")))
    return "its benchmarks are missing or damaged"
  return undefined
}

/** changes with every write of the job, and with the options that shape the text */
export const etagOf = (row: Pick<JobRow, "version">, options: WireOptions): string =>
  `"${row.version}${options.vendorAliases ? "" : "-plain"}"`

/** a record from the texts of its members */
export const recordRoot = (members: ReadonlyArray<string>): string => `{${members.join(",")}}`

export const resourceText = (row: RecordRow, options: WireOptions): string => `"resource":{${resource(row, options)}}`

export const statusText = (row: RecordRow): string =>
  `"status":{"state":"${row.state}","message":${row.message},"benchmarks":[${row.statuses}]}`

export const resultsText = (row: RecordRow, options: WireOptions): string =>
  `"results":{"benchmarks":[${row.results ?? ""}]${closing(row, options)}}`

const recordJson = (row: RecordRow, options: WireOptions): string =>
  recordRoot([resourceText(row, options), row.request ?? "", statusText(row), resultsText(row, options)])

/** the texts of a job's record that are stored as they go out */
export interface RecordTexts {
  readonly request: string
  /** in the order of the benchmarks */
  readonly statuses: ReadonlyArray<string>
  readonly results: ReadonlyArray<string | null>
}

export const recordTexts = ({ request, benchmarks }: Job, options: WireOptions): RecordTexts => ({
  request: requestWire(request),
  statuses: benchmarks.map(statusWire),
  results: benchmarks.map((benchmark) => resultWire(benchmark, options))
})

/** the row of a job that is at hand as a whole; `texts`: of the same job, where they were made already */
export const recordRowOf = (
  job: Job,
  version: number,
  options: WireOptions,
  { request, statuses, results } = recordTexts(job, options)
): RecordRow => ({
  id: job.id,
  tenant: job.tenant,
  owner: job.owner ?? null,
  created_at: job.createdAt,
  updated_at: job.updatedAt,
  name: job.name,
  state: job.state,
  version,
  message: JSON.stringify(messageWire(job.message)),
  test: job.test === undefined ? null : JSON.stringify(job.test),
  tracker_experiment_id: job.trackerExperimentId ?? null,
  tracker_experiment_url: job.trackerExperimentUrl ?? null,
  usage: job.usage === undefined ? null : JSON.stringify(job.usage),
  request,
  statuses: statuses.join(","),
  results: results.filter((text) => text !== null).join(",")
})

export const rendered = (row: RecordRow, options: WireOptions): Rendered => ({
  json: recordJson(row, options),
  etag: etagOf(row, options)
})
