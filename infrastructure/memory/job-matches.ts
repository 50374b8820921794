/** Which jobs a list shows, job by job: the rules that the database answers from its indexes. Reference: api.md, "Lists". */
import type { Job } from "../../domain/job/job.ts"
import type { JobQuery } from "../../domain/job/job-query.ts"
import { labelsOf, labelValue } from "../sql/rows/job-labels.ts"
import { nameKey } from "../sql/rows/job-row.ts"

/** position in the list, newest first: greater is earlier */
export const isBefore = (job: Pick<Job, "createdAt" | "id">, other: Pick<Job, "createdAt" | "id">): boolean =>
  job.createdAt === other.createdAt ? job.id > other.id : job.createdAt > other.createdAt

const labelled = (job: Job, query: JobQuery): boolean => {
  const labels = new Set(labelsOf(job).map(({ kind, value }) => `${kind}/${value}`))
  const has = (kind: string, value: string | undefined) =>
    value === undefined || labels.has(`${kind}/${labelValue(value)}`)
  return (
    (query.tags ?? []).every((alternatives) => alternatives.some((tag) => has("tag", tag))) &&
    has("collection", query.collectionId) &&
    has("experiment", query.experimentId) &&
    has("model", query.model) &&
    has("provider", query.providerId) &&
    has("owner", query.owner) &&
    has("rerun_of", query.rerunOf)
  )
}

/** everything but the position of the page */
export const matches = (job: Job, query: JobQuery): boolean =>
  (query.states === undefined || query.states.values.includes(job.state) !== query.states.negated) &&
  nameKey(job.name).includes(nameKey(query.name ?? "")) &&
  (query.createdAfter === undefined || job.createdAt >= query.createdAfter) &&
  (query.createdBefore === undefined || job.createdAt < query.createdBefore) &&
  labelled(job, query)
