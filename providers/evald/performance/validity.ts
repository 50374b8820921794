/** Whether a measurement says something about the model, or only about an overloaded load generator. Reference: providers-and-collections.md, "Performance profiles". */
import { AdapterError } from "../../sdk/adapter.ts"
import { lagP99 } from "./load-clock.ts"
import type { LoadRun } from "./timeline.ts"

const MAX_LAG_MS = 20
const MIN_ACHIEVED = 0.95

/** what the generator did wrong, in words; undefined when the measurement stands */
export const saturation = (run: Pick<LoadRun, "due" | "sent">, lags: ReadonlyArray<number>): string | undefined => {
  const lag = lagP99(lags)
  if (lag > MAX_LAG_MS) return `the event loop of the load generator was late by ${lag.toFixed(1)} ms (99th percentile), more than ${MAX_LAG_MS} ms`
  if (run.due > 0 && run.sent / run.due < MIN_ACHIEVED) {
    return `the load generator sent ${run.sent} of ${run.due} due requests in time, less than ${MIN_ACHIEVED * 100} %`
  }
  return undefined
}

const SATURATED = "load_generator_saturated"

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
