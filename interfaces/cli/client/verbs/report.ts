/** `evald report`: jobs with their samples, and what sets them apart, as one file, which a browser shows without a server. */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { defined } from "../../../../values/defined.ts"
import type { ReportData, ReportedJob } from "../../../client/report.ts"
import { exits, recordOf, Stop } from "../exit.ts"
import { isOver, jobOf } from "../follow.ts"
import { type Connection, flagOf, type Handler, jobArgument, type Session, wholeNumber } from "../session.ts"
import { comparisonOf, toleranceOf } from "./decide.ts"
import { type Sample, samplesOf } from "./samples.ts"

/** samples of each job in a report, where nobody says how many */
const usualSamples = 1000
/** characters of samples that a browser still opens at once */
const mostText = 64 * 1024 * 1024

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** the first samples that fit into so many characters, with their records */
const firstSamples = async (
  connection: Connection,
  id: string,
  limit: number,
  characters: number
): Promise<ReadonlyArray<Sample>> => {
  const samples: Array<Sample> = []
  let left = characters
  if (limit > 0)
    for await (const page of samplesOf(connection, id, undefined, { content: true }, limit))
      for (const sample of page) {
        left -= JSON.stringify(sample).length
        if (left < 0) return samples
        samples.push(sample)
      }
  return samples
}

const place = '<script type="application/json" id="data">null<'

/** the data in the frame; they end no element, whatever texts of others stand in them */
export const reportText = (frame: string, data: ReportData): string => {
  const at = frame.indexOf(place)
  if (at < 0) throw new Stop(exits.other, "the frame of reports has no place for data; install evald anew")
  const json = JSON.stringify(data).replaceAll("<", "\\u003c")
  return `${frame.slice(0, at)}${place.replace("null<", "")}${json}${frame.slice(at + place.length - 1)}`
}

interface Report {
  readonly text: string
  readonly data: ReportData
}

/** nothing of a server that has no such route yet */
const planOf = async ({ client }: Connection, id: string) => {
  const outcome = await client.getJobPlan({ path: { id } })
  return !outcome.ok && outcome.error?.message_code === "route_not_found" ? undefined : recordOf(outcome)
}

const reportedOf = async (
  connection: Connection,
  id: string,
  limit: number,
  characters: number
): Promise<ReportedJob> => {
  const { client } = connection
  const job = await jobOf(connection, id)
  const explanation = recordOf(await client.explainJob({ path: { id } }))
  const plan = await planOf(connection, id)
  const { total_count: total } = recordOf(await client.listJobSamples({ path: { id }, urlParams: { limit: 1 } }))
  const samples = await firstSamples(connection, id, limit, characters)
  return { job, explanation, ...defined({ plan }), samples, samplesInAll: Math.max(total ?? 0, samples.length) }
}

/** `ids`: of several the first is the baseline of the others. `limit`: largest number of samples of each */
export const reportOf = async (
  session: Session,
  connection: Connection,
  ids: ReadonlyArray<string>,
  limit = usualSamples
): Promise<Report> => {
  const { pages, build } = session
  const file = join(pages, "report.html")
  const frame = await readFile(file, "utf8").catch((error: unknown) => {
    throw new Stop(exits.other, `the frame of reports can not be read; install evald anew: ${messageOf(error)}`)
  })
  const [baseline = "", ...candidates] = ids
  const reported = (id: string) => reportedOf(connection, id, limit, mostText / ids.length)
  // one after the other: each may be large
  const first = await reported(baseline)
  const others: Array<ReportedJob> = []
  for (const id of candidates) others.push(await reported(id))
  const data: ReportData = {
    madeAt: new Date().toISOString(),
    version: build.version,
    jobs: [first, ...others],
    ...(others.length === 0 ? {} : { comparison: await comparisonOf(session, connection, ids) })
  }
  return { text: reportText(frame, data), data }
}

export const report: Handler = async (session) => {
  const file = flagOf(session, "output") ?? "report.html"
  const ids = session.line.positional.map((_, at) => jobArgument(session, at))
  const limit = wholeNumber(session, "limit")
  if (new Set(ids).size < ids.length) throw new Stop(exits.usage, "a job can not be compared with itself")
  if (toleranceOf(session) !== undefined && ids.length === 1)
    throw new Stop(exits.usage, "--tolerance is of a comparison: name the baseline, then what is held against it")
  const { text, data } = await reportOf(session, await session.connect(), ids, limit)
  for (const { job, samples, samplesInAll } of data.jobs) {
    const [name, whose] = ids.length === 1 ? ["", ""] : [` ${job.resource.id}`, ` of job ${job.resource.id}`]
    if (!isOver(job)) session.screen.note(`the job${name} has not ended; the report shows it as it is now`)
    if (samples.length < samplesInAll)
      session.screen.note(`${samples.length} of ${samplesInAll} samples${whose} are in it; more: --limit N`)
  }
  if (file === "-") {
    session.screen.out(text)
    return exits.done
  }
  try {
    await writeFile(file, text)
  } catch (error) {
    throw new Stop(exits.usage, `'${file}' can not be written: ${messageOf(error)}`)
  }
  session.screen.note(`written: ${file}`)
  return exits.done
}
