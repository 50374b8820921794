/** Exchanges that the gateway answers on the raw streams. */
import type { ServerResponse } from "node:http"
import { Effect } from "effect"

/** the fiber of a request lives as long as its exchange: a caller that leaves is seen by the gateway itself */
export const untilClosed = (sink: ServerResponse): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    const done = () => resume(Effect.void)
    if (sink.closed) return done()
    sink.once("close", done)
    return Effect.sync(() => sink.off("close", done))
  })
