/** `hardware_config` of a job or a benchmark: profile mode or direct mode, never both. Spec: "Hardware configuration". */
import type { Queue } from "../job/job.ts"

export interface HardwareConfig {
  readonly profileName?: string
  readonly cpu?: { readonly request?: string; readonly limit?: string }
  readonly memory?: { readonly request?: string; readonly limit?: string }
  readonly gpu?: { readonly name?: string; readonly count?: number }
  readonly queue?: Queue
}
