/** What one benchmark becomes in the tracker: metrics, parameters and tags in the forms that it accepts. Pure. Reference: adapter-contract.md, "Tracking". */

import { isObject, type JsonObject, numberMember } from "../../../values/json.ts"
import type { JobSpec } from "../../contract/job-spec.ts"

export interface RunMetric {
  readonly key: string
  readonly value: number
  readonly timestamp: number
  readonly step: number
}

export interface RunEntry {
  readonly key: string
  readonly value: string
}

const maxKey = 250
const maxParamValue = 500
const maxTagValue = 5000
/** of metrics and parameters together */
const maxEntries = 1000
const maxParams = 100
/** below 1 MB with room for the envelope */
const maxBatchBytes = 900_000
const secretName = /key|token|secret|password/i

/** other characters are refused by the tracker */
const trackerKey = (name: string): string => name.replaceAll(/[^A-Za-z0-9_\-. :/]/g, "_").slice(0, maxKey)

/** the first of two entries with one key: a changed value would be refused */
const once = <A extends { readonly key: string }>(entries: ReadonlyArray<A>): ReadonlyArray<A> => {
  const seen = new Set<string>()
  return entries.filter(({ key }) => key !== "" && !seen.has(key) && seen.add(key))
}

/** the numbers of a terminal event */
export const runMetrics = (event: JsonObject, atMillis: number): ReadonlyArray<RunMetric> => {
  const metrics = event["metrics"]
  if (!isObject(metrics)) return []
  const numbers = Object.entries(metrics).flatMap(([name, value]) =>
    typeof value === "number" && Number.isFinite(value)
      ? [{ key: trackerKey(name), value, timestamp: atMillis, step: 0 }]
      : []
  )
  return once(numbers)
}

const text = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

export const runParams = (job: JobSpec, event: JsonObject): ReadonlyArray<RunEntry> => {
  const info = event["additional_info"]
  const counts = isObject(info) ? info["counts"] : undefined
  const own = {
    benchmark_id: job.benchmark_id,
    provider_id: job.provider_id,
    model_name: job.model.name,
    num_examples_evaluated: numberMember(counts, "scored") ?? numberMember(counts, "total") ?? job.num_examples,
    duration_seconds: numberMember(info, "duration_seconds"),
    seed: job.seed
  }
  const given = Object.entries(job.parameters).filter(([name]) => !secretName.test(name))
  const entries = [...Object.entries(own), ...given].filter(([, value]) => value !== undefined && value !== null)
  return once(entries.map(([name, value]) => ({ key: trackerKey(name), value: text(value).slice(0, maxParamValue) })))
}

export const runTags = (job: JobSpec): ReadonlyArray<RunEntry> =>
  once([
    ...(job.tags ?? []).map(({ key, value }) => ({ key: trackerKey(key), value: value.slice(0, maxTagValue) })),
    { key: "evald.job_id", value: job.id },
    { key: "evald.benchmark_index", value: String(job.benchmark_index) },
    { key: "evald.provider_id", value: job.provider_id },
    { key: "evald.benchmark_id", value: job.benchmark_id }
  ])

export interface Batch {
  readonly metrics: ReadonlyArray<RunMetric>
  readonly params: ReadonlyArray<RunEntry>
}

/** as few calls as the tracker's limits allow: 1,000 entries, 100 of them parameters, 1 MB */
export const batches = (metrics: ReadonlyArray<RunMetric>, params: ReadonlyArray<RunEntry>): ReadonlyArray<Batch> => {
  const made: Array<Batch> = []
  let current: { metrics: Array<RunMetric>; params: Array<RunEntry> } = { metrics: [], params: [] }
  let bytes = 0
  const flush = () => {
    if (current.metrics.length + current.params.length > 0) made.push(current)
    current = { metrics: [], params: [] }
    bytes = 0
  }
  const room = (entry: RunMetric | RunEntry, used: number, most: number) => {
    const size = Buffer.byteLength(JSON.stringify(entry)) + 1
    if (used >= most || bytes + size > maxBatchBytes) flush()
    bytes += size
  }
  for (const param of params) {
    room(param, current.params.length, maxParams)
    current.params.push(param)
  }
  for (const metric of metrics) {
    room(metric, current.metrics.length + current.params.length, maxEntries)
    current.metrics.push(metric)
  }
  flush()
  return made
}
