/** A job as a person reads it, and what its end is worth as an exit code. */

import { states, verdicts } from "../commands.ts"
import { failures, isHollow, overall, remarks, resultTable } from "../demo/result-table.ts"
import { exits, Stop } from "./exit.ts"
import { isOver, type Job } from "./follow.ts"
import { type Asked, type Column, localTime, show } from "./output.ts"
import { plain, type Screen } from "./screen.ts"

const progressOf = ({ status: { benchmarks } }: Job): string =>
  `${benchmarks.filter(({ status }) => status !== "pending" && status !== "running").length}/${benchmarks.length}`

/** what the items show, else whether the value meets the threshold */
export const verdictOf = (job: Job): string | undefined => {
  if (isHollow(job)) return "invalid"
  const { decided, pass } = job.results.test ?? {}
  return decided ?? (pass === undefined ? undefined : pass ? "pass" : "fail")
}

export const jobColumns: ReadonlyArray<Column<Job>> = [
  { name: "id", whole: true, cell: ({ resource }) => resource.id },
  { name: "name", cell: ({ name }) => name },
  { name: "state", cell: ({ status }) => status.state },
  { name: "done", cell: progressOf },
  { name: "score", cell: ({ results }) => results.test?.score.toFixed(3) },
  { name: "verdict", cell: (job) => (isOver(job) ? verdictOf(job) : undefined) },
  { name: "model", cell: ({ model }) => model.name },
  { name: "collection", wide: true, cell: ({ collection }) => collection?.id },
  { name: "owner", wide: true, cell: ({ resource }) => resource.owner },
  { name: "message", wide: true, cell: ({ status }) => status.message.message },
  { name: "created", time: true, cell: ({ resource }) => resource.created_at }
]

export const jobName = ({ resource }: Job): string => `job/${resource.id}`

/** lines of the result, without the record's head */
const resultLines = (job: Job, width: number | undefined): ReadonlyArray<string> => [
  ...resultTable(job, width),
  "",
  overall(job),
  ...failures(job),
  ...remarks(job)
]

const describedJob = (job: Job, width: number | undefined): ReadonlyArray<string> => {
  const time = (instant: string) => (width === undefined ? instant : localTime(instant))
  const members: ReadonlyArray<readonly [string, string | undefined]> = [
    ["job", job.resource.id],
    ["name", job.name],
    ["state", `${job.status.state} (${job.status.message.message_code}: ${job.status.message.message})`],
    ["verdict", isOver(job) ? verdictOf(job) : undefined],
    ["model", `${job.model.name} at ${job.model.url}`],
    ["collection", job.collection?.id],
    ["owner", job.resource.owner],
    ["created", time(job.resource.created_at)],
    ["changed", time(job.resource.updated_at)]
  ]
  return [
    ...members.flatMap(([name, value]) => (value === undefined ? [] : [`${`${name}:`.padEnd(12)}${value}`])),
    "",
    ...resultLines(job, width)
  ]
}

/** the result as a person reads it, the record in every other format */
export const showResult = async (screen: Screen, asked: Asked, job: Job): Promise<void> => {
  if (asked.format === "table" && asked.columns === undefined)
    screen.out(`${describedJob(job, screen.width).map(plain).join("\n")}\n`)
  else await show(screen, asked, { rows: [job], columns: jobColumns, name: jobName, single: true })
}

const ofVerdict = (verdict: string | undefined): number =>
  verdict === "pass" ? exits.done : verdict === "fail" ? exits.belowThreshold : exits.inconclusive

/** 3 unless the job is completed; of a completed one the verdict counts only when it is asked for */
export const endOf = (job: Job, failOnVerdict: boolean): number => {
  if (job.status.state !== "completed") return exits.jobFailed
  return failOnVerdict ? ofVerdict(verdictOf(job)) : exits.done
}

/** what to type after a command that ended so; nothing after a success */
const nextAfter = ({ resource: { id } }: Job, exitCode: number): string | undefined =>
  exitCode === exits.done
    ? undefined
    : exitCode === exits.belowThreshold
      ? `evald samples ${id} --verdict incorrect`
      : `evald describe job ${id}`

/** shows the end of a job that was awaited, and what to type next */
export const ending = ({ note }: Screen, job: Job, exitCode: number): number => {
  const next = nextAfter(job, exitCode)
  if (next !== undefined) note(`next: ${next}`)
  return exitCode
}

export interface Condition {
  readonly until: (job: Job) => boolean
  readonly exit: (job: Job) => number
}

/** of `state=completed` or `verdict=pass` */
export const conditionOf = (text: string | undefined): Condition => {
  if (text === undefined) return { until: isOver, exit: (job) => endOf(job, false) }
  const [, kind = "", wanted = ""] = /^(state|verdict)=(.*)$/.exec(text) ?? []
  if (!(kind === "state" ? states : verdicts).includes(wanted) || kind === "")
    throw new Stop(
      exits.usage,
      `--for must be state= with ${states.join(", ")}, or verdict= with ${verdicts.join(", ")}`
    )
  if (kind === "state")
    return {
      until: (job) => isOver(job) || job.status.state === wanted,
      exit: (job) =>
        job.status.state === wanted ? exits.done : job.status.state === "completed" ? exits.other : exits.jobFailed
    }
  return {
    until: isOver,
    exit: (job) => {
      if (job.status.state !== "completed") return exits.jobFailed
      const verdict = verdictOf(job)
      return verdict === wanted ? exits.done : ofVerdict(verdict) || exits.other
    }
  }
}
