/** The trace that a submission belongs to, as text that its units can continue. W3C Trace Context; Reference: adapter-contract.md, "Job file". */
import { Effect, Option } from "effect"

/** undefined where nobody traces */
export const currentTraceparent: Effect.Effect<string | undefined> = Effect.map(
  Effect.option(Effect.currentSpan),
  (span) =>
    Option.getOrUndefined(
      Option.map(
        // spans of a tracer that is off have no identifiers
        Option.filter(span, ({ traceId, spanId }) => /^[0-9a-f]{32}$/.test(traceId) && /^[0-9a-f]{16}$/.test(spanId)),
        ({ traceId, spanId, sampled }) => `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`
      )
    )
)
