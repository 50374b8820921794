/** A job as one page that needs no server: the screens of a job and of its samples, over the answers that the file holds. */
import { useLocation, useRoute } from "preact-iso/router"
import type { ReportData } from "../../client/report.ts"
import { useAnswer } from "../data/answer.ts"
import { count, visible } from "../format.ts"
import { Screens } from "../parts/screens.tsx"
import { Time } from "../parts/time.tsx"
import { useTitle } from "../parts/title.ts"
import { Benchmarks } from "../screens/job/benchmarks.tsx"
import { Facts } from "../screens/job/facts.tsx"
import { Findings } from "../screens/job/findings.tsx"
import { JobHeading } from "../screens/job/heading.tsx"
import { samplesPath } from "../screens/samples/address.ts"
import { SamplesScreen } from "../screens/samples/samples.tsx"
import { HashLocation } from "./location.tsx"

const JobReport = () => {
  const id = useRoute().params["id"] ?? ""
  const { value: job } = useAnswer("getJob", { path: { id } })
  useTitle(job === undefined ? "Report" : visible(job.name))
  if (job === undefined) return null
  return (
    <>
      <JobHeading job={job} />
      <Facts job={job} />
      <Findings id={id} state={job.status.state} />
      <Benchmarks job={job} />
    </>
  )
}

const screens = [
  { path: "/jobs/:id", screen: JobReport },
  { path: "/jobs/:id/samples", screen: SamplesScreen }
]

const jobPath = ({ job }: ReportData): string => `/jobs/${encodeURIComponent(job.resource.id)}`

const Bar = ({ data }: { readonly data: ReportData }) => {
  const { path } = useLocation()
  const links: ReadonlyArray<readonly [to: string, name: string]> = [
    [jobPath(data), "Job"],
    ...(data.samples.length === 0 ? [] : [[samplesPath(data.job.resource.id), "Samples"] as const])
  ]
  return (
    <header class="bar">
      <span class="brand">evald report</span>
      <nav aria-label="Screens">
        {links.map(([to, name]) => (
          <a key={to} href={to} {...(path === to ? { "aria-current": "page" as const } : {})}>
            {name}
          </a>
        ))}
      </nav>
      <span class="muted">
        made <Time at={data.madeAt} /> by evald {visible(data.version)}
      </span>
    </header>
  )
}

/** what the service has and this file has not */
const LeftOut = ({ data: { samples, samplesInAll } }: { readonly data: ReportData }) =>
  samples.length < samplesInAll ? (
    <p class="note warn left-out">
      {samples.length === 0
        ? `None of the ${count(samplesInAll)} samples is in this report.`
        : `The first ${count(samples.length)} of ${count(samplesInAll)} samples are in this report.`}
    </p>
  ) : null

export const Report = ({ data }: { readonly data: ReportData }) => (
  <HashLocation start={jobPath(data)}>
    <Bar data={data} />
    <Screens of={screens} before={<LeftOut data={data} />} />
  </HashLocation>
)
