/** A primary score without a value would leave the job without a verdict and without a reason. Reference: providers-and-collections.md, "Framework wrappers". */
import { Effect } from "effect"
import type { JobSpec } from "../contract/job-spec.ts"
import type { AdapterError, Metric } from "../sdk/adapter.ts"
import { primaryMetricMissing } from "../sdk/failures.ts"

/** fails with `primary_metric_missing`, listing what was reported; no check when the job names no primary score */
export const checkPrimary = (job: JobSpec, metrics: ReadonlyArray<Metric>): Effect.Effect<void, AdapterError> => {
  const wanted = job.primary_score?.metric
  if (wanted === undefined) return Effect.void
  const value = metrics.find(({ name }) => name === wanted)?.value
  return value !== undefined && !Number.isNaN(value)
    ? Effect.void
    : primaryMetricMissing(
        `primary metric ${wanted} has no value; reported are ${metrics.map(({ name }) => name).join(", ")}`
      )
}
