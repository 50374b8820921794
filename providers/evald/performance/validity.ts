/** Whether a measurement says something about the model, or only about an overloaded load generator. Reference: providers-and-collections.md, "Performance profiles". */
import { AdapterError } from "../../sdk/adapter.ts"
import { lagP99, meanDelay } from "./load-clock.ts"
import type { LoadRun } from "./timeline.ts"

/** what the generator's own lateness adds to a time on average may be this much, and this share of a usual latency */
const MAX_DELAY_MS = 5
const MAX_DELAY_SHARE = 0.03
const MIN_ACHIEVED = 0.95

/**
 * What the generator did wrong, in words; undefined when the measurement stands. A few late moments, as on every busy machine, say nothing: what
 * counts is by how much lateness moves the times that are measured. `latencyMs`: a usual latency, 0 when there is none.
 */
export const saturation = (
  run: Pick<LoadRun, "due" | "sent">,
  lags: ReadonlyArray<number>,
  latencyMs: number
): string | undefined => {
  const delay = meanDelay(lags)
  const most = Math.max(MAX_DELAY_MS, MAX_DELAY_SHARE * latencyMs)
  if (delay > most) {
    return `the event loop of the load generator was late by ${delay.toFixed(1)} ms on average (99th percentile ${lagP99(lags).toFixed(1)} ms), more than ${most.toFixed(1)} ms`
  }
  if (run.due > 0 && run.sent / run.due < MIN_ACHIEVED) {
    return `the load generator sent ${run.sent} of ${run.due} due requests in time, less than ${MIN_ACHIEVED * 100} %`
  }
  return undefined
}

export const SATURATED = "load_generator_saturated"

/** what is said beside figures that are published all the same */
export const saturationAdvice = (why: string): { readonly code: string; readonly message: string } => ({
  code: SATURATED,
  message: `${why}; the figures may be the load generator's and not the model's`
})

export const saturated = (why: string): AdapterError =>
  new AdapterError({
    code: SATURATED,
    message: `The measurement is not valid: ${why}. Lower rate, or give the adapter more CPU.`,
    retryable: true
  })
