/** Gives the thread to whatever else waits for it, between the steps of something long. */
import { Effect } from "effect"

/** bodies above this are read and judged in steps, between which other requests are served */
export const largeBytes = 65_536

/** resumes after timers, sockets and other callbacks that are due had their turn; yielding to other fibers alone would not let them in */
export const turn: Effect.Effect<void> = Effect.async((resume) => {
  const waiting = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(waiting))
})
