/** A decoded benchmark status event, and what it does to a benchmark. Spec: "Events"; decisions 2, "State rules beyond the spec". */
import type { FreeForm, Message, MetricDescription, Metrics, Phase, Progress } from "./job.ts"

export interface StatusEvent {
  readonly benchmarkId: string
  readonly providerId?: string
  /** identity of the benchmark within the job; absent: (providerId, benchmarkId) must be unique */
  readonly index?: number
  readonly status: "pending" | "running" | "completed" | "failed"
  readonly phase?: Phase
  readonly progress?: Progress
  readonly error?: Message
  readonly warning?: Message
  readonly metrics?: Metrics
  readonly metricsSchema?: ReadonlyArray<MetricDescription>
  readonly artifacts?: FreeForm
  readonly additionalInfo?: FreeForm
  readonly trackerRunId?: string
  readonly logsPath?: string
  /** ISO 8601 UTC, milliseconds */
  readonly startedAt?: string
  readonly completedAt?: string
  /** SHA-256 (hex) of the canonical event: equal digests are the same event */
  readonly digest: string
}
