/** All jobs of the tenant, newest first, as they are now. */

import { useAnswer } from "../../data/answer.ts"
import type { StreamEvent } from "../../data/events.ts"
import type { Job } from "../../data/job.ts"
import { type JobPage, jobsOf, useJobStream } from "../../data/job-list.ts"
import { useQuery } from "../../data/query.ts"
import { useSoon } from "../../data/soon.ts"
import { count } from "../../format.ts"
import { ConnectionState } from "../../parts/connection.tsx"
import { ProblemNote } from "../../parts/problem.tsx"
import { useTitle } from "../../parts/title.ts"
import { type Filters, filtersOf, JobFilters } from "./filters.tsx"
import { JobTable } from "./job-table.tsx"

/** what a row needs of a record */
const fields = "resource,name,model,collection,status,results"

const withJob = (page: JobPage, job: Job): JobPage => ({
  ...page,
  items: page.items.map((item) => (item.resource.id === job.resource.id ? job : item))
})

const Empty = ({ filters }: { readonly filters: Filters }) =>
  Object.keys(filters).length > 0 ? (
    <p class="empty">
      No job matches. <a href="/">Show all jobs</a>
    </p>
  ) : (
    <div class="empty">
      <p>
        No jobs yet. <a href="/new">Start the first one here</a>, or in a terminal:
      </p>
      <pre>
        <code>evald run --model http://127.0.0.1:8000/v1 --name my-model --collection quick-smoke</code>
      </pre>
    </div>
  )

const Pages = ({ page, query }: { readonly page: JobPage; readonly query: URLSearchParams }) => {
  const cursor = page.next === undefined ? null : new URL(page.next.href, location.href).searchParams.get("cursor")
  const address = (to: string | undefined) => {
    const next = new URLSearchParams(query)
    next.delete("cursor")
    if (to !== undefined) next.set("cursor", to)
    return `/?${next}`
  }
  return (
    <nav class="pages" aria-label="Pages of the list">
      {query.has("cursor") && <a href={address(undefined)}>Newest</a>}
      {cursor !== null && <a href={address(cursor)}>Older</a>}
    </nav>
  )
}

export const JobsScreen = () => {
  useTitle("Jobs")
  const query = useQuery()
  const filters = filtersOf(query)
  const { value, problem, isLoading, reload, replace } = useAnswer("listJobs", {
    urlParams: { ...filters, fields, cursor: query.get("cursor") ?? "" }
  })
  const reloadSoon = useSoon(reload)
  const onEvent = ({ name, data }: StreamEvent) => {
    if (name === "updated") {
      const job = JSON.parse(data) as Job
      replace((page) => withJob(page, job))
      // with a filter the job may have come or gone
      if (filters.status === undefined) return
    }
    reloadSoon()
  }
  const connection = useJobStream("jobs", onEvent, reload)
  return (
    <>
      <div class="title">
        <h1>Jobs</h1>
        <ConnectionState of={connection} />
        {value !== undefined && <span class="muted">{count(value.total_count)} in all, newest first</span>}
      </div>
      <JobFilters query={query} />
      {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
      {value === undefined ? (
        isLoading && <p class="empty">Loading …</p>
      ) : jobsOf(value).length === 0 ? (
        <Empty filters={filters} />
      ) : (
        <JobTable jobs={jobsOf(value)} isLoading={isLoading} />
      )}
      {value !== undefined && <Pages page={value} query={query} />}
    </>
  )
}
