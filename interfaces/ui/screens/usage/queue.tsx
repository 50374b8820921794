/** What runs and what waits, as it is now, and how much the tenant may have of both. */
import { useAnswer } from "../../data/answer.ts"
import type { StreamEvent } from "../../data/events.ts"
import { isOver, type Job } from "../../data/job.ts"
import { jobsOf, useJobStream } from "../../data/job-list.ts"
import { useSoon } from "../../data/soon.ts"
import { count, visible } from "../../format.ts"
import { ConnectionState } from "../../parts/connection.tsx"
import { JobBegin } from "../../parts/job-begin.tsx"
import { Nothing } from "../../parts/nothing.tsx"
import { ProblemNote } from "../../parts/problem.tsx"
import { Rows } from "../../parts/rows.tsx"
import { Time } from "../../parts/time.tsx"

const queueOf = ({ hardware_config, queue }: Job): string | undefined => hardware_config?.queue?.name ?? queue?.name

const Row = ({ job }: { readonly job: Job }) => {
  const { resource, model } = job
  const queue = queueOf(job)
  return (
    <tr>
      <JobBegin job={job} />
      <td data-label="Model">
        <bdi>{visible(model.name)}</bdi>
      </td>
      <td data-label="Queue">{queue === undefined ? <Nothing /> : visible(queue)}</td>
      <td data-label="Since">
        <Time at={resource.created_at} />
      </td>
    </tr>
  )
}

const Limits = () => {
  const { value } = useAnswer("getInfo", {})
  if (value === undefined) return null
  const { max_running: running, max_queued: queued } = value.limits
  return (
    <p class="muted">
      {running === undefined
        ? "Any number of benchmarks may run at once"
        : `${count(running)} benchmarks may run at once`}
      , {queued === undefined ? "and any number may wait" : `and ${count(queued)} may wait`}. Why a job waits is said on
      its page.
    </p>
  )
}

/** `onEnd`: a job has ended, so that more was used */
export const Queue = ({ onEnd }: { readonly onEnd: () => void }) => {
  const { value, problem, isLoading, reload } = useAnswer("listJobs", {
    urlParams: {
      status: "pending|running",
      fields: "resource,name,model,status,hardware_config,queue",
      limit: 100
    }
  })
  const reloadSoon = useSoon(reload)
  const endSoon = useSoon(onEnd)
  const onEvent = ({ name, data }: StreamEvent) => {
    reloadSoon()
    if (name === "updated" && isOver(JSON.parse(data) as Job)) endSoon()
  }
  const connection = useJobStream("queue", onEvent, reload)
  return (
    <section aria-labelledby="queue">
      <div class="title">
        <h2 id="queue">Running and waiting</h2>
        <ConnectionState of={connection} />
        {value !== undefined && (
          <span class="muted">
            {count(value.total_count)} {value.total_count === 1 ? "job" : "jobs"}, newest first
          </span>
        )}
      </div>
      <Limits />
      {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
      {value === undefined ? (
        isLoading && <p class="empty">Loading …</p>
      ) : value.items.length === 0 ? (
        <p class="empty">Nothing runs and nothing waits.</p>
      ) : (
        <Rows titles={["Job", "State", "Done", "Model", "Queue", "Since"]} isBusy={isLoading}>
          {jobsOf(value).map((job) => (
            <Row key={job.resource.id} job={job} />
          ))}
        </Rows>
      )}
      {value?.next !== undefined && (
        <p>
          <a href="/?status=pending">All that wait</a> · <a href="/?status=running">All that run</a>
        </p>
      )}
    </section>
  )
}
