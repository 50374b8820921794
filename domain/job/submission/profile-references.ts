/** Which hardware profiles a job request names, so that they can be read before it is judged. Reference: cluster-objects.md, "Hardware profiles". */
import { dnsLabelProblem } from "../../dns-name.ts"
import type { JobRequest } from "../job.ts"

/** names of hardware profiles in the request, each once; illegal ones are left out */
export const profileReferences = ({ hardware, benchmarks = [] }: JobRequest): ReadonlyArray<string> => {
  const names = [hardware, ...benchmarks.map((entry) => entry.hardware)].flatMap((config) => config?.profileName ?? [])
  return [...new Set(names)].filter((name) => dnsLabelProblem(name) === undefined)
}
