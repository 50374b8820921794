/** Queue precedence, first match wins: profile, `hardware_config.queue`, deprecated job-level `queue`. Reference: cluster-objects.md, "Queue". */

import { defined } from "../../values/defined.ts"
import type { HardwareConfig } from "./hardware-config.ts"
import type { HardwareProfile } from "./hardware-profile.ts"
import type { Queue } from "./queue.ts"
import { defaultQueueKind } from "./queue.ts"

export interface QueueChoice {
  readonly kind: string
  readonly name: string
  readonly priorityClass?: string
  readonly source: "profile" | "hardware_config" | "job_queue"
}

/**
 * The queue of one benchmark, or none. `config` is the effective `hardware_config` (the benchmark's, else the job's); its queue is
 * skipped in profile mode. Queues without a name are refused before (`checkQueue`) and count as none here.
 */
export const resolveQueue = (input: {
  readonly profile?: HardwareProfile
  readonly config?: HardwareConfig
  readonly jobQueue?: Queue
}): QueueChoice | undefined => {
  const scheduling = input.profile?.scheduling
  if (scheduling?.type === "Queue")
    return {
      kind: defaultQueueKind,
      name: scheduling.queueName,
      ...defined({ priorityClass: scheduling.priorityClass }),
      source: "profile"
    }
  const direct = input.config?.profileName === undefined ? input.config?.queue : undefined
  if (direct?.name !== undefined)
    return { kind: direct.kind ?? defaultQueueKind, name: direct.name, source: "hardware_config" }
  if (input.jobQueue?.name !== undefined)
    return { kind: input.jobQueue.kind ?? defaultQueueKind, name: input.jobQueue.name, source: "job_queue" }
  return undefined
}
