/** `hardware_config` of a job or a benchmark: profile mode or direct mode, never both. Reference: cluster-objects.md, "Resources". */

import { Either } from "effect"
import { dnsLabelProblem } from "../dns-name.ts"
import type { Path } from "../path.ts"
import { compareQuantity } from "../quantity.ts"
import { shown, type Violation, violation } from "../violation.ts"
import { extendedResourceProblem, parseAmount, parseLimit } from "./amount.ts"
import { checkQueue, type Queue } from "./queue.ts"

export interface HardwareConfig {
  readonly profileName?: string
  readonly cpu?: { readonly request?: string; readonly limit?: string }
  readonly memory?: { readonly request?: string; readonly limit?: string }
  readonly gpu?: { readonly name?: string; readonly count?: number }
  readonly queue?: Queue
}

const checkPair = (
  pair: { readonly request?: string; readonly limit?: string },
  kind: "cpu" | "memory",
  path: Path
): ReadonlyArray<Violation> => {
  const request = pair.request === undefined ? undefined : parseAmount(pair.request, kind)
  const limit = pair.limit === undefined ? undefined : parseLimit(pair.limit, kind)
  const found: Array<Violation> = []
  if (request !== undefined && Either.isLeft(request))
    found.push(violation([...path, "request"], `${kind} request ${shown(pair.request)} ${request.left.message}`))
  if (limit !== undefined && Either.isLeft(limit))
    found.push(violation([...path, "limit"], `${kind} limit ${shown(pair.limit)} ${limit.left.message}`))
  if (
    request !== undefined &&
    limit !== undefined &&
    Either.isRight(request) &&
    Either.isRight(limit) &&
    compareQuantity(request.right, limit.right) > 0
  )
    found.push(
      violation(
        [...path, "request"],
        `${kind} request ${shown(pair.request)} is larger than the limit ${shown(pair.limit)}; lower the request or raise the limit`
      )
    )
  return found
}

const checkGpu = (gpu: NonNullable<HardwareConfig["gpu"]>, path: Path): ReadonlyArray<Violation> => {
  const found: Array<Violation> = []
  if (gpu.name !== undefined) {
    const problem = extendedResourceProblem(gpu.name)
    if (problem !== undefined) found.push(violation([...path, "name"], `gpu name ${shown(gpu.name)} ${problem}`))
  } else if (gpu.count !== 0)
    found.push(
      violation(
        [...path, "name"],
        "gpu name is required: no provider default names an accelerator; give the extended resource, such as example.com/gpu"
      )
    )
  if (gpu.count === undefined)
    found.push(violation([...path, "count"], "gpu count is required: give the number of devices, 0 for none"))
  else if (!Number.isSafeInteger(gpu.count) || gpu.count < 0)
    found.push(violation([...path, "count"], `gpu count ${shown(gpu.count)} must be a whole number of at least 0`))
  return found
}

/** every rule of one `hardware_config` that can be judged alone; `path`: its own. Request and limit from different sources are compared after resolution. */
export const checkHardware = (config: HardwareConfig, path: Path): ReadonlyArray<Violation> => {
  const found: Array<Violation> = []
  if (config.profileName !== undefined) {
    const problem = dnsLabelProblem(config.profileName)
    if (problem !== undefined)
      found.push(violation([...path, "profileName"], `hardware profile name ${shown(config.profileName)} ${problem}`))
    const direct = (["cpu", "memory", "gpu", "queue"] as const).filter((member) => config[member] !== undefined)
    if (direct.length > 0)
      found.push(
        violation(
          [...path, "profileName"],
          `a hardware profile cannot be combined with ${direct.map((member) => `'${member}'`).join(", ")}; give either the profile or the direct fields`
        )
      )
  }
  if (config.cpu !== undefined) found.push(...checkPair(config.cpu, "cpu", [...path, "cpu"]))
  if (config.memory !== undefined) found.push(...checkPair(config.memory, "memory", [...path, "memory"]))
  if (config.gpu !== undefined) found.push(...checkGpu(config.gpu, [...path, "gpu"]))
  if (config.queue !== undefined) found.push(...checkQueue(config.queue, [...path, "queue"]))
  return found
}
