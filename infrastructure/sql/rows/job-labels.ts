/** What lists filter by equality, as entries of one inverted index. Reference: api.md, "Lists". */
import { createHash } from "node:crypto"
import type { Job } from "../../../domain/job/job.ts"

export type LabelKind = "tag" | "model" | "provider" | "collection" | "experiment" | "owner" | "rerun_of"

export interface Label {
  readonly kind: LabelKind
  readonly value: string
}

/** index entries are bounded (2.7 KB on PostgreSQL), values are not: a long one is stood for by its digest */
export const labelValue = (value: string): string =>
  value.length <= 128 ? value : `sha256:${createHash("sha256").update(value).digest("hex")}`

const given = (kind: LabelKind, values: ReadonlyArray<string | undefined>): ReadonlyArray<Label> =>
  [...new Set(values)].flatMap((value) =>
    value === undefined || value === "" ? [] : [{ kind, value: labelValue(value) }]
  )

/** each pair once */
export const labelsOf = (job: Job): ReadonlyArray<Label> => [
  ...given("tag", job.request.tags ?? []),
  ...given("model", [job.model.name]),
  ...given(
    "provider",
    job.benchmarks.map((benchmark) => benchmark.entry.providerId)
  ),
  ...given("collection", [job.request.collection?.id]),
  ...given("experiment", [job.trackerExperimentId]),
  ...given("owner", [job.owner]),
  ...given("rerun_of", [job.request.rerunOf?.job])
]
