/** What a job's record says to people; nothing is computed that the service has not said. */
import type { Score } from "../parts/score.tsx"
import type { RecordOf } from "./answer.ts"

export type Job = RecordOf<"getJob">
export type Benchmark = Job["status"]["benchmarks"][number]
export type Result = Job["results"]["benchmarks"][number]
type Test = NonNullable<Result["test"]>

export const isOver = ({ status: { state } }: Job): boolean => state !== "pending" && state !== "running"

export const doneOf = ({ status }: Job): number =>
  status.benchmarks.filter((one) => one.status !== "pending" && one.status !== "running").length

export const resultOf = ({ results }: Job, index: number): Result | undefined =>
  results.benchmarks.find(({ benchmark_index }) => benchmark_index === index)

/** what the items show, else whether the value meets the threshold */
const decidedBy = ({
  decided,
  pass
}: {
  readonly decided?: string
  readonly pass?: boolean
} = {}): string | undefined => decided ?? (pass === undefined ? undefined : pass ? "pass" : "fail")

/** of what cannot be believed, that is all there is to say */
export const verdictOf = (job: Job): string | undefined => {
  if (!isOver(job)) return undefined
  if (job.results.benchmarks.some(({ validity }) => validity?.status === "invalid")) return "invalid"
  return decidedBy(job.results.test)
}

export const verdictOfResult = (result: Result | undefined): string | undefined =>
  result?.validity?.status === "invalid" ? "invalid" : decidedBy(result?.test)

const scoreOfTest = ({ primary_score, interval, threshold, lower_is_better }: Test): Score => ({
  value: primary_score,
  low: interval?.low,
  high: interval?.high,
  threshold,
  lowerIsBetter: lower_is_better,
  limits: interval === undefined ? undefined : `${Math.round(interval.level * 100)} % interval`
})

export const scoreOfResult = (result: Result | undefined): Score | undefined =>
  result?.test === undefined ? undefined : scoreOfTest(result.test)

/** that of the job; of a job with one benchmark that of the benchmark */
export const scoreOf = ({ results }: Job): Score | undefined => {
  const { test, benchmarks } = results
  if (test !== undefined)
    return {
      value: test.score,
      low: test.bounds?.low,
      high: test.bounds?.high,
      threshold: test.threshold,
      limits: test.bounds === undefined ? undefined : `each side ${Math.round(test.bounds.level * 100)} % sure`
    }
  return benchmarks.length === 1 ? scoreOfResult(benchmarks[0]) : undefined
}
