/** Whether a benchmark can go on with the answers of an earlier run. Reference: reruns.md, "Resuming". */
import { shown, type Violation, violation } from "../../violation.ts"
import type { BenchmarkEntry, JobRequest } from "../job.ts"

/** times that come out of a log would be none; `resumable`: answers can be kept here */
export const checkResume = (
  request: JobRequest,
  category: string,
  entry: BenchmarkEntry,
  resumable: boolean
): ReadonlyArray<Violation> => {
  if (request.resume !== true) return []
  if (!resumable)
    return [
      violation(
        ["resume"],
        "'resume' needs a place for the model's answers and none is configured; leave it out, or set request_log.volume_claim",
        "benchmark_not_supported"
      )
    ]
  return category === "performance"
    ? [
        violation(
          ["resume"],
          `benchmark ${shown(entry.id)} measures times, which an answer that was kept does not have; leave out 'resume' or the benchmark`,
          "benchmark_not_supported"
        )
      ]
    : []
}
