/** The name of a job with its state and its verdict. */
import type { ComponentChildren } from "preact"
import { type Job, verdictOf } from "../../data/job.ts"
import { visible } from "../../format.ts"
import { Badge } from "../../parts/badge.tsx"
import { samplesPath } from "../samples/address.ts"

export const JobHeading = ({ job, children }: { readonly job: Job; readonly children?: ComponentChildren }) => {
  const verdict = verdictOf(job)
  return (
    <div class="title">
      <h1>
        <bdi>{visible(job.name)}</bdi>
      </h1>
      <Badge word={job.status.state} />
      {verdict !== undefined && <Badge word={verdict} />}
      {children}
      <a href={samplesPath(job.resource.id)}>Samples</a>
    </div>
  )
}
