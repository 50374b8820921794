/** One job: its verdict and why, its benchmarks and when they ran, its logs, and what can be done with it. */
import { useEffect } from "preact/hooks"
import { useRoute } from "preact-iso/router"
import { useAnswer } from "../../data/answer.ts"
import type { StreamEvent } from "../../data/events.ts"
import { doneOf, isOver, type Job, scoreOf, verdictOf } from "../../data/job.ts"
import { useStream } from "../../data/live.ts"
import { visible } from "../../format.ts"
import { Badge } from "../../parts/badge.tsx"
import { ConnectionState } from "../../parts/connection.tsx"
import { ProblemNote } from "../../parts/problem.tsx"
import { Progress } from "../../parts/progress.tsx"
import { ScoreCell } from "../../parts/score.tsx"
import { Time } from "../../parts/time.tsx"
import { useTitle } from "../../parts/title.ts"
import { Actions } from "./actions.tsx"
import { Benchmarks } from "./benchmarks.tsx"
import { Findings } from "./findings.tsx"
import { Logs } from "./logs.tsx"
import { Terminal } from "./terminal.tsx"

const Facts = ({ job }: { readonly job: Job }) => {
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

export const JobScreen = () => {
  const id = useRoute().params["id"] ?? ""
  const { value: job, problem, reload, replace } = useAnswer("getJob", { path: { id } })
  useTitle(job === undefined ? "Job" : visible(job.name))
  const onEvent = ({ name, data }: StreamEvent) => {
    if (name === "deleted") reload()
    else replace(() => JSON.parse(data) as Job)
  }
  const connection = useStream(
    id,
    (by, headers, signal) => by.open("watchJob", { path: { id }, headers, signal }),
    onEvent
  )
  const isLive = connection.value.is === "live"
  // what happened while there was no connection is in the record alone
  useEffect(() => {
    if (isLive) reload()
  }, [isLive])
  if (job === undefined)
    return (
      <>
        <h1>Job</h1>
        {problem === undefined ? <p class="empty">Loading …</p> : <ProblemNote problem={problem} onRetry={reload} />}
      </>
    )
  const verdict = verdictOf(job)
  return (
    <>
      <div class="title">
        <h1>
          <bdi>{visible(job.name)}</bdi>
        </h1>
        <Badge word={job.status.state} />
        {verdict !== undefined && <Badge word={verdict} />}
        {!isOver(job) && <ConnectionState of={connection} />}
      </div>
      {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
      <Facts job={job} />
      <Actions job={job} />
      <Findings id={id} state={job.status.state} />
      <Benchmarks job={job} />
      <Logs job={job} />
      <Terminal job={job} />
    </>
  )
}
