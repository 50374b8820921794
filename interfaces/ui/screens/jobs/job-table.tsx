/** One row for each job; on a narrow screen a card. */
import { type Job, scoreOf, verdictOf } from "../../data/job.ts"
import { visible } from "../../format.ts"
import { Badge } from "../../parts/badge.tsx"
import { JobBegin } from "../../parts/job-begin.tsx"
import { Nothing } from "../../parts/nothing.tsx"
import { Rows } from "../../parts/rows.tsx"
import { ScoreCell } from "../../parts/score.tsx"
import { Time } from "../../parts/time.tsx"

const Row = ({ job }: { readonly job: Job }) => {
  const { resource, model, collection } = job
  const verdict = verdictOf(job)
  return (
    <tr>
      <JobBegin job={job} />
      <td data-label="Score">
        <ScoreCell score={scoreOf(job)} />
      </td>
      <td data-label="Verdict">{verdict === undefined ? <Nothing /> : <Badge word={verdict} />}</td>
      <td data-label="Model">
        <bdi>{visible(model.name)}</bdi>
      </td>
      <td data-label="Collection">{collection === undefined ? <Nothing /> : <bdi>{visible(collection.id)}</bdi>}</td>
      <td data-label="Created">
        <Time at={resource.created_at} />
      </td>
    </tr>
  )
}

const titles = ["Job", "State", "Done", "Score", "Verdict", "Model", "Collection", "Created"]

export const JobTable = ({ jobs, isLoading }: { readonly jobs: ReadonlyArray<Job>; readonly isLoading: boolean }) => (
  <Rows titles={titles} isBusy={isLoading}>
    {jobs.map((job) => (
      <Row key={job.resource.id} job={job} />
    ))}
  </Rows>
)
