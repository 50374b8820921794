/** The verdict of a finished benchmark once more, when stored items come after its result. Reference: states-and-scores.md, "Verdicts". */
import type { ValueSums } from "../../values/mean-limits.ts"
import type { Benchmark, Job, JobHead } from "./job.ts"
import { jobTest } from "./job-score.ts"
import { changed, headOf, isTerminalJob } from "./job-state.ts"
import { benchmarkTest } from "./scoring.ts"

export interface JudgedAgain {
  readonly head: JobHead
  /** the one benchmark; empty when its verdict is what it was */
  readonly benchmarks: ReadonlyArray<Benchmark>
}

/** values stay as reported; what the items show of them, and with it the verdict of the job, may become another */
export const judgeAgain = (job: Job, index: number, samples: ValueSums, now: string): JudgedAgain => {
  const same = { head: headOf(job), benchmarks: [] }
  const benchmark = job.benchmarks.find((one) => one.index === index)
  if (benchmark?.state !== "completed" || benchmark.result?.test === undefined) return same
  const { metrics, metricsSchema, validity, test: before } = benchmark.result
  const known = {
    samples,
    ...(metricsSchema === undefined ? {} : { schema: metricsSchema }),
    ...(validity === undefined ? {} : { validity })
  }
  const { test } = benchmarkTest(benchmark.snapshot, metrics, known)
  if (test === undefined || JSON.stringify(test) === JSON.stringify(before)) return same
  const judged: Benchmark = { ...benchmark, result: { ...benchmark.result, test } }
  const change = changed(same.head, benchmark, judged, now)
  if (change._tag !== "Changed") return same
  const all = job.benchmarks.map((one) => (one === benchmark ? judged : one))
  const score = isTerminalJob(job.state) ? jobTest(job, all) : undefined
  return { head: score === undefined ? change.head : { ...change.head, test: score }, benchmarks: [judged] }
}
