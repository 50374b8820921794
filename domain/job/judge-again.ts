/** The verdict of a finished benchmark once more, when stored items come after its result. Reference: states-and-scores.md, "Verdicts". */

import { defined } from "../../values/defined.ts"
import type { ValueSums } from "../../values/mean-limits.ts"
import type { SampleSeal } from "../sample/summary.ts"
import type { Validity } from "../score/validity.ts"
import type { Benchmark, Job, JobHead } from "./job.ts"
import { jobTest } from "./job-score.ts"
import { changed, headOf, isTerminalJob } from "./job-state.ts"
import { benchmarkTest } from "./scoring.ts"

export interface JudgedAgain {
  readonly head: JobHead
  /** the one benchmark; empty when its verdict is what it was */
  readonly benchmarks: ReadonlyArray<Benchmark>
}

export interface Found {
  readonly samples?: ValueSums
  readonly validity?: Validity
  readonly seal?: SampleSeal
}

/** values stay as reported; what the items show of them, and with it the verdict of the job, may become another */
export const judgeAgain = (job: Job, index: number, { samples, validity, seal }: Found, now: string): JudgedAgain => {
  const same = { head: headOf(job), benchmarks: [] }
  const benchmark = job.benchmarks.find((one) => one.index === index)
  if (benchmark?.state !== "completed" || benchmark.result === undefined) return same
  const { metrics, metricsSchema, validity: doubt, test: before, samples: sealed, earlyStopped } = benchmark.result
  const known = {
    ...defined({ samples, schema: metricsSchema, validity, earlyStopped })
  }
  const { test } = benchmarkTest(benchmark.snapshot, metrics, known)
  if (JSON.stringify([test, validity, seal]) === JSON.stringify([before, doubt, sealed])) return same
  const judgements = defined({ test, validity, samples: seal })
  const judged: Benchmark = { ...benchmark, result: { ...benchmark.result, ...judgements } }
  const change = changed(same.head, benchmark, judged, now)
  if (change._tag !== "Changed") return same
  const all = job.benchmarks.map((one) => (one === benchmark ? judged : one))
  const { test: _, ...unscored } = change.head
  const score = isTerminalJob(job.state) ? jobTest(job, all) : undefined
  // an earlier score does not outlive the last result it was made of
  return { head: score === undefined ? unscored : { ...unscored, test: score }, benchmarks: [judged] }
}
