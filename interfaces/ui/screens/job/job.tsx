/** One job: its verdict and why, its benchmarks and when they ran, its logs, what it ran with, and what can be done with it. */
import { useEffect } from "preact/hooks"
import { useRoute } from "preact-iso/router"
import { useAnswer } from "../../data/answer.ts"
import type { StreamEvent } from "../../data/events.ts"
import { isOver, type Job } from "../../data/job.ts"
import { useStream } from "../../data/live.ts"
import { visible } from "../../format.ts"
import { ConnectionState } from "../../parts/connection.tsx"
import { ProblemNote } from "../../parts/problem.tsx"
import { useTitle } from "../../parts/title.ts"
import { Actions } from "./actions.tsx"
import { Benchmarks } from "./benchmarks.tsx"
import { Facts } from "./facts.tsx"
import { Findings } from "./findings.tsx"
import { JobHeading } from "./heading.tsx"
import { Logs } from "./logs.tsx"
import { RequestsOverTime } from "./requests/requests.tsx"
import { Resolved } from "./resolved.tsx"
import { Terminal } from "./terminal.tsx"

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
  return (
    <>
      <JobHeading job={job}>{!isOver(job) && <ConnectionState of={connection} />}</JobHeading>
      {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
      <Facts job={job} />
      <Actions job={job} />
      <Findings id={id} state={job.status.state} />
      <Benchmarks job={job} />
      <RequestsOverTime job={job} />
      <Logs job={job} />
      <Resolved job={job} />
      <Terminal job={job} />
    </>
  )
}
