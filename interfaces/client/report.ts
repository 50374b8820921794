/** What a report of jobs holds, which the command line writes and a page reads without a server: answers of the API as they came. */
import type { EndpointName, Operation } from "../http/api.ts"

type RecordOf<Name extends EndpointName> = Extract<Operation<Name>["success"], object>

export interface ReportedJob {
  readonly job: RecordOf<"getJob">
  readonly explanation: RecordOf<"explainJob">
  /** absent: the server was of before it told the plan of a job */
  readonly plan?: RecordOf<"getJobPlan">
  /** with their records, in the order of the data, from the first */
  readonly samples: RecordOf<"listJobSamples">["items"]
  /** how many the service has */
  readonly samplesInAll: number
}

export interface ReportData {
  /** RFC 3339 */
  readonly madeAt: string
  /** of the program that made it */
  readonly version: string
  /** at least one; the first is what the others are held against */
  readonly jobs: readonly [ReportedJob, ...ReadonlyArray<ReportedJob>]
  /** of several jobs */
  readonly comparison?: RecordOf<"createComparison">
}
