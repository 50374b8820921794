/** What of a record has to be read to show the members that were asked for, and those members. */

import type { WireOptions } from "./benchmark-wire.ts"
import { type RecordRow, recordRoot, resourceText, resultsText, statusText } from "./job-record.ts"

/** the stored texts that grow with the request, with the benchmarks and with what they reported */
export interface RecordParts {
  readonly request: boolean
  readonly statuses: boolean
  readonly results: boolean
}

export const wholeRecord: RecordParts = { request: true, statuses: true, results: true }

/** members that are shown without reading the request */
const apart: ReadonlySet<string> = new Set(["resource", "name", "status", "results"])

export const partsOf = (fields: ReadonlySet<string>): RecordParts => ({
  request: [...fields].some((field) => !apart.has(field)),
  statuses: fields.has("status"),
  results: fields.has("results")
})

/** about how much was read for the record */
export const sizeOf = (row: RecordRow, parts: RecordParts): number =>
  (parts.request ? (row.request?.length ?? 0) : 0) +
  (parts.statuses ? (row.statuses?.length ?? 0) : 0) +
  (parts.results ? (row.results?.length ?? 0) : 0)

const membersOf = (row: RecordRow, fields: ReadonlySet<string>): ReadonlyArray<string> => {
  if (!partsOf(fields).request) return fields.has("name") ? [`"name":${JSON.stringify(row.name)}`] : []
  const members = JSON.parse(`{${row.request ?? ""}}`) as { readonly [member: string]: unknown }
  return Object.entries(members).flatMap(([name, value]) =>
    fields.has(name) ? [`${JSON.stringify(name)}:${JSON.stringify(value)}`] : []
  )
}

/** the record with nothing but these members, in its order; `resource.id` is always among them */
export const renderedPart = (row: RecordRow, fields: ReadonlySet<string>, options: WireOptions): string =>
  recordRoot([
    fields.has("resource") ? resourceText(row, options) : `"resource":${JSON.stringify({ id: row.id })}`,
    ...membersOf(row, fields),
    ...(fields.has("status") ? [statusText(row)] : []),
    ...(fields.has("results") ? [resultsText(row, options)] : [])
  ])
