/** Which hardware profiles a job request names, so that they can be read before it is judged. Reference: cluster-objects.md, "Hardware profiles". */
import { dnsLabelProblem } from "../../dns-name.ts"
import { segment } from "../../violation.ts"
import type { JobRequest } from "../job.ts"

/** hardware profiles that the request names, each once, with the pointer to report problems at; those with an illegal name are left out */
export const profileReferences = (
  request: JobRequest
): ReadonlyArray<{ readonly name: string; readonly path: string }> => {
  const places = [
    { config: request.hardware, path: "/hardware_config" },
    ...(request.benchmarks ?? []).map(({ hardware }, index) => ({
      config: hardware,
      path: `/benchmarks${segment(index)}/hardware_config`
    }))
  ]
  const first = new Map<string, string>()
  for (const { config, path } of places) {
    const name = config?.profileName
    if (name !== undefined && dnsLabelProblem(name) === undefined && !first.has(name))
      first.set(name, `${path}/hardware_profile_name`)
  }
  return [...first].map(([name, path]) => ({ name, path }))
}
