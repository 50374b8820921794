/** What a job is about, and how far it is. */
import { doneOf, type Job, scoreOf } from "../../data/job.ts"
import { visible } from "../../format.ts"
import { Progress } from "../../parts/progress.tsx"
import { ScoreCell } from "../../parts/score.tsx"
import { Time } from "../../parts/time.tsx"

export const Facts = ({ job }: { readonly job: Job }) => {
  const { resource, model, collection, status, description } = job
  const score = scoreOf(job)
  return (
    <dl class="facts">
      <div>
        <dt>Done</dt>
        <dd>
          <Progress done={doneOf(job)} of={status.benchmarks.length} />
        </dd>
      </div>
      {score !== undefined && (
        <div>
          <dt>Score</dt>
          <dd>
            <ScoreCell score={score} />
          </dd>
        </div>
      )}
      <div>
        <dt>Model</dt>
        <dd>
          <bdi>{visible(model.name)}</bdi> <span class="muted">at {visible(model.url)}</span>
        </dd>
      </div>
      {collection !== undefined && (
        <div>
          <dt>Collection</dt>
          <dd>{visible(collection.id)}</dd>
        </div>
      )}
      <div>
        <dt>Created</dt>
        <dd>
          <Time at={resource.created_at} />
          {resource.owner !== undefined && <span class="muted"> by {visible(resource.owner)}</span>}
        </dd>
      </div>
      {description !== undefined && (
        <div>
          <dt>Description</dt>
          <dd>{visible(description)}</dd>
        </div>
      )}
    </dl>
  )
}
