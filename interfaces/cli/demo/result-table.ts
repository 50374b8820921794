/** The result of a job as a table a person reads: value ± interval, n, threshold, verdict, and the overall score. Pure. */
import { plain } from "../client/screen.ts"
import { aligned, cut, widthsWithin } from "../table-text.ts"
import type { BenchmarkResult, JobView } from "./job-view.ts"

const number = (value: number): string => {
  if (Number.isInteger(value) && Math.abs(value) >= 100) return String(value)
  return Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(3)
}

interface Cells {
  readonly benchmark: string
  readonly metric: string
  readonly value: string
  readonly n: string
  readonly threshold: string
  readonly verdict: string
}

const head: Cells = {
  benchmark: "benchmark",
  metric: "metric",
  value: "value",
  n: "n",
  threshold: "threshold",
  verdict: "verdict"
}

/** what the items show, else whether the value meets the threshold */
const verdictOf = ({
  decided,
  pass
}: {
  readonly decided?: string | undefined
  readonly pass?: boolean | undefined
}): string | undefined => decided ?? (pass === undefined ? undefined : pass ? "pass" : "fail")

const cellsOf = (job: JobView, index: number): Cells => {
  const status = job.status.benchmarks.find(({ benchmark_index }) => benchmark_index === index)
  const result: BenchmarkResult | undefined = job.results?.benchmarks?.find(
    ({ benchmark_index }) => benchmark_index === index
  )
  const benchmark = status === undefined ? String(index) : status.id
  const test = result?.test
  if (test === undefined) {
    const why = status?.error_message?.message_code ?? result?.notes?.[0] ?? ""
    return {
      benchmark,
      metric: why === "" ? "-" : why,
      value: "-",
      n: "-",
      threshold: "-",
      verdict: status?.status ?? "-"
    }
  }
  const metric = test.primary_score_metric ?? "-"
  const described = result?.metrics_schema?.find(({ name }) => name === metric || name.endsWith(`/${metric}`))
  const [low, high] = test.interval === undefined ? (described?.ci ?? []) : [test.interval.low, test.interval.high]
  const interval = low === undefined || high === undefined ? "" : ` [${number(low)}, ${number(high)}]`
  return {
    benchmark,
    metric,
    value: `${number(test.primary_score)}${interval}`,
    n: described?.n === undefined ? "-" : String(described.n),
    threshold:
      test.threshold === undefined ? "-" : `${test.lower_is_better === true ? "≤" : "≥"} ${number(test.threshold)}`,
    // of what can not be believed, that is all there is to say
    verdict: result?.validity?.status === "invalid" ? "invalid" : (verdictOf(test) ?? "-")
  }
}

const columns = ["benchmark", "metric", "value", "n", "threshold", "verdict"] as const
const indent = "  "

/** one benchmark where a table has no room: all that it would have, nothing of the value cut */
const record = ({ benchmark, metric, value, n, threshold, verdict }: Cells): ReadonlyArray<string> => [
  `${benchmark}  ${metric}`,
  `${indent}${value}  ${verdict}`,
  `${indent}n ${n}, threshold ${threshold}`
]

/** table lines without colour, none longer than `width` */
export const resultTable = (job: JobView, width = Number.POSITIVE_INFINITY): ReadonlyArray<string> => {
  const cells = job.status.benchmarks.map(({ benchmark_index }) => cellsOf(job, benchmark_index))
  const room = width - indent.length
  const rows = [head, ...cells].map((row) => columns.map((column) => plain(row[column])))
  const widths = widthsWithin(rows, room)
  const [first = "", ...others] = widths === undefined ? [] : rows.map((row) => aligned(row, widths))
  const lines =
    widths === undefined
      ? cells.flatMap(record).map((line) => cut(plain(line), room))
      : [first, widths.map((one) => "─".repeat(one)).join("  "), ...others]
  return lines.map((line) => `${indent}${line}`)
}

const MOST_NOTES = 3

/** what the server and the benchmark itself say about a score, so that a number is not read for more than it is */
export const remarks = (job: JobView): ReadonlyArray<string> =>
  job.status.benchmarks.flatMap(({ id, benchmark_index }) => {
    const result = job.results?.benchmarks?.find((one) => one.benchmark_index === benchmark_index)
    const { status = "valid", flags = [] } = result?.validity ?? {}
    // of a valid result no flag stands in the way
    const doubts = status === "valid" ? [] : flags.filter(({ level }) => status === "suspect" || level === "blocking")
    // the adapter's notes say its flags too: once is enough, and of what can not be believed nothing else matters
    const said = (status === "invalid" ? flags : doubts).map(({ code }) => `${code}: `)
    const told = result?.additional_info?.["notes"]
    const own = Array.isArray(told)
      ? told.filter((note) => typeof note === "string" && !said.some((start) => note.startsWith(start)))
      : []
    // without a score the first note stands in the table
    const notes = [
      ...doubts.map(({ code, message }) => `${code}: ${message}`),
      ...(result?.test === undefined ? [] : (result.notes ?? [])),
      ...own
    ]
    return notes.slice(0, MOST_NOTES).map((note) => `  ${id}: ${note}`)
  })

/** there is a result that can not be believed */
export const isHollow = (job: JobView): boolean =>
  (job.results?.benchmarks ?? []).some(({ validity }) => validity?.status === "invalid")

/** one line: overall score, threshold, coverage, verdict */
export const overall = (job: JobView): string => {
  const test = job.results?.test
  if (test === undefined) {
    const results = job.results?.benchmarks ?? []
    const why =
      results.length > 0 && results.every(({ validity }) => validity?.status === "invalid")
        ? ": none of the results can be believed"
        : ""
    return `  overall: ${job.status.state}, no score${why}`
  }
  const coverage =
    test.coverage === undefined || test.coverage === 1 ? "" : `, coverage ${(test.coverage * 100).toFixed(0)} %`
  const verdict = verdictOf(test)?.toUpperCase()
  return `  overall: score ${number(test.score)} (threshold ${number(test.threshold)}${coverage}): ${verdict}${test.decided === "inconclusive" ? whyOpen(test) : ""}`
}

type JobTest = NonNullable<NonNullable<JobView["results"]>["test"]>

/** the score alone is no verdict: what is missing for one */
const whyOpen = ({ pass, bounds, coverage = 1 }: JobTest): string => {
  if (coverage < 1) return ", because not everything counts"
  const value = `the score itself ${pass ? "meets" : "misses"} the threshold`
  return bounds === undefined
    ? `, nothing is known about single items (${value})`
    : `, too few items: it may lie anywhere from ${number(bounds.low)} to ${number(bounds.high)} (${value})`
}

/** failed benchmarks with their message, so that the fix is on the screen */
export const failures = (job: JobView): ReadonlyArray<string> =>
  job.status.benchmarks.flatMap(({ id, status, error_message }) =>
    status === "failed"
      ? [
          `  ${id} failed (${error_message?.message_code ?? "benchmark_failed"}): ${(error_message?.message ?? "").split("\n", 1)[0]}`
        ]
      : []
  )
