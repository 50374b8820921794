/** Will the job file of every benchmark fit? Estimated as it is written: JSON, indented by two, in UTF-8. Reference: adapter-contract.md, "Job file". */
import type { Path } from "../../path.ts"
import { utf8Length } from "../../text.ts"
import { type Violation, violation } from "../../violation.ts"
import type { BenchmarkEntry, JobRequest } from "../job.ts"
import { maxJobSpecBytes } from "./submission-limits.ts"

/** for ids, addresses, paths and everything else whose size is bounded */
const fixedBytes = 8192

/** parts below this many characters are estimated: indented and in UTF-8 they take no more than this many times as many bytes */
const smallPart = 2048
const mostPerCharacter = 65

/** bytes of a part, or for a small one the most that it can take; `undefined` takes none */
const bytesOf = (member: unknown): number => {
  if (member === undefined) return 0
  const compact = JSON.stringify(member).length
  return compact <= smallPart ? mostPerCharacter * compact : utf8Length(JSON.stringify({ member }, null, 2))
}

/** one violation per benchmark whose file would be too large, at its largest member; `parametersPath`: of an entry's parameters */
export const checkJobSpecSize = (
  request: JobRequest,
  entries: ReadonlyArray<BenchmarkEntry>,
  parametersPath: (index: number) => Path
): ReadonlyArray<Violation> => {
  const shared: ReadonlyArray<readonly [Path, number]> = [
    [["model", "parameters"], bytesOf(request.model.parameters)],
    [["experiment", "tags"], bytesOf(request.experiment?.tags)],
    [["exports", "oci", "coordinates", "annotations"], bytesOf(request.exports?.oci.coordinates.annotations)]
  ]
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
