/** How a row of each list of jobs begins: what it is called, its state, and how much is done. */
import { doneOf, type Job } from "../data/job.ts"
import { visible } from "../format.ts"
import { Badge } from "./badge.tsx"
import { Progress } from "./progress.tsx"

export const JobBegin = ({ job: { resource, name, status }, job }: { readonly job: Job }) => (
  <>
    <th scope="row">
      <a href={`/jobs/${encodeURIComponent(resource.id)}`}>
        <bdi>{visible(name)}</bdi>
      </a>
    </th>
    <td data-label="State">
      <Badge word={status.state} />
    </td>
    <td data-label="Done">
      <Progress done={doneOf(job)} of={status.benchmarks.length} />
    </td>
  </>
)
