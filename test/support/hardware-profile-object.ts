/** HardwareProfile objects as administrators write them. */
import type { HardwareProfile } from "../../domain/hardware/hardware-profile.ts"

interface Given {
  readonly annotations?: { readonly [name: string]: string }
  readonly spec?: unknown
}

export const profileObject = (name: string, { annotations = {}, spec = bigSpec }: Given = {}) => ({
  apiVersion: "infrastructure.opendatahub.io/v1",
  kind: "HardwareProfile",
  metadata: { name, annotations },
  spec
})

const bigSpec = {
  identifiers: [
    { identifier: "cpu", displayName: "CPU", resourceType: "CPU", defaultCount: 4, maxCount: 8 },
    { identifier: "memory", displayName: "Memory", resourceType: "Memory", defaultCount: "8Gi", maxCount: "16Gi" },
    { identifier: "example.com/gpu", displayName: "GPU", resourceType: "Accelerator", defaultCount: 1 }
  ],
  scheduling: { type: "Queue", kueue: { localQueueName: "gpu-q", priorityClass: "high" } }
}

/** what the domain makes of it */
export const bigProfile: HardwareProfile = {
  name: "big",
  cpu: { request: "4", limit: "8" },
  memory: { request: "8Gi", limit: "16Gi" },
  accelerators: [{ name: "example.com/gpu", count: "1" }],
  scheduling: { type: "Queue", queueName: "gpu-q", priorityClass: "high" }
}
