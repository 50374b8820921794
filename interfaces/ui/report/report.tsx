/** Jobs as one page that needs no server: the screens of a job, of its samples and of a comparison, over the answers that the file holds. */
import { useLocation, useRoute } from "preact-iso/router"
import type { ReportData, ReportedJob } from "../../client/report.ts"
import { useAnswer } from "../data/answer.ts"
import { count, visible } from "../format.ts"
import { Screens } from "../parts/screens.tsx"
import { Time } from "../parts/time.tsx"
import { useTitle } from "../parts/title.ts"
import { addressOf } from "../screens/compare/selection.ts"
import { Benchmarks } from "../screens/job/benchmarks.tsx"
import { Facts } from "../screens/job/facts.tsx"
import { Findings } from "../screens/job/findings.tsx"
import { JobHeading } from "../screens/job/heading.tsx"
import { RequestsOverTime } from "../screens/job/requests/requests.tsx"
import { Resolved } from "../screens/job/resolved.tsx"
import { samplesPath } from "../screens/samples/address.ts"
import { SamplesScreen } from "../screens/samples/samples.tsx"
import { CompareReport } from "./compare.tsx"
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
      <RequestsOverTime job={job} />
      <Resolved job={job} />
    </>
  )
}

const screens = [
  { path: "/jobs/:id", screen: JobReport },
  { path: "/jobs/:id/samples", screen: SamplesScreen },
  { path: "/compare", screen: CompareReport }
]

type Link = readonly [to: string, name: string]

const jobPath = ({ job }: ReportedJob): string => `/jobs/${encodeURIComponent(job.resource.id)}`

const comparePath = (jobs: ReportData["jobs"]): string =>
  addressOf({ jobs: jobs.map(({ job }) => job.resource.id), onlyDiffering: false })

const linksOf = ({ jobs, comparison }: ReportData): readonly [Link, ...ReadonlyArray<Link>] => {
  const [first, ...others] = jobs
  if (comparison !== undefined)
    return [
      [comparePath(jobs), "Compare"],
      [jobPath(first), "Baseline"],
      ...others.map((one, at) => [jobPath(one), others.length === 1 ? "Candidate" : `Candidate ${at + 1}`] as const)
    ]
  const samples: Link = [samplesPath(first.job.resource.id), "Samples"]
  return [[jobPath(first), "Job"], ...(first.samples.length === 0 ? [] : [samples])]
}

const Bar = ({ data }: { readonly data: ReportData }) => {
  const { path } = useLocation()
  return (
    <header class="bar">
      <span class="brand">evald report</span>
      <nav aria-label="Screens">
        {linksOf(data).map(([to, name]) => (
          <a key={to} href={to} {...(path === to.split("?")[0] ? { "aria-current": "page" as const } : {})}>
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
const LeftOut = ({ jobs }: ReportData) => (
  <>
    {jobs.map(
      ({ job, samples, samplesInAll }) =>
        samples.length < samplesInAll && (
          <p key={job.resource.id} class="note warn left-out">
            {samples.length === 0
              ? `None of the ${count(samplesInAll)} samples`
              : `The first ${count(samples.length)} of ${count(samplesInAll)} samples`}
            {jobs.length > 1 && (
              <>
                {" "}
                of <bdi>{visible(job.name)}</bdi>
              </>
            )}{" "}
            {samples.length === 0 ? "is" : "are"} in this report.
          </p>
        )
    )}
  </>
)

export const Report = ({ data }: { readonly data: ReportData }) => (
  <HashLocation start={linksOf(data)[0][0]}>
    <Bar data={data} />
    <Screens of={screens} before={<LeftOut {...data} />} />
  </HashLocation>
)
