/** Time that only passes: milliseconds of a clock that nobody sets, for measuring how long something took. Not comparable between processes. */
import { Clock, Effect } from "effect"

export const steadyMillis: Effect.Effect<number> = Effect.map(Clock.currentTimeNanos, (nanos) =>
  Number(nanos / 1_000_000n)
)
