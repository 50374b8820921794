/** Will the job file of every benchmark fit? Estimated as it is written: JSON, indented by two, in UTF-8. Reference: adapter-contract.md, "Job file". */
import { utf8Length } from "../text.ts"
import { type Violation, violation } from "../violation.ts"
import type { BenchmarkEntry, JobRequest } from "./job.ts"
import { maxJobSpecBytes } from "./submission-limits.ts"

/** for ids, addresses, paths and everything else whose size is bounded */
const fixedBytes = 8192

const bytesOf = (member: unknown): number => (member === undefined ? 0 : utf8Length(JSON.stringify({ member }, null, 2)))

/** one violation per benchmark whose file would be too large, at its largest member; `parametersPath` points at an entry's parameters */
export const checkJobSpecSize = (
  request: JobRequest,
  entries: ReadonlyArray<BenchmarkEntry>,
  parametersPath: (index: number) => string
): ReadonlyArray<Violation> => {
  const shared = [
    ["/model/parameters", bytesOf(request.model.parameters)],
    ["/experiment/tags", bytesOf(request.experiment?.tags)],
    ["/exports/oci/coordinates/annotations", bytesOf(request.exports?.oci.coordinates.annotations)]
  ] as const
  const sharedBytes = shared.reduce((sum, [, bytes]) => sum + bytes, fixedBytes)
  return entries.flatMap((entry, index) => {
    const own = [parametersPath(index), bytesOf(entry.parameters)] as const
    const total = sharedBytes + own[1]
    if (total <= maxJobSpecBytes) return []
    const [largest, bytes] = [...shared, own].reduce((a, b) => (b[1] > a[1] ? b : a))
    return [
      violation(
        largest,
        `the job file of benchmark ${index} would take about ${total} bytes; at most ${maxJobSpecBytes} are allowed. Its largest part takes ${bytes}: make it smaller`
      )
    ]
  })
}
