/** Queue precedence, first match wins: profile, `hardware_config.queue`, deprecated job-level `queue`. Spec: "Queue precedence". */

export interface QueueChoice {
  readonly kind: string
  readonly name: string
  readonly priorityClass?: string
  readonly source: "profile" | "hardware_config" | "job_queue"
}
