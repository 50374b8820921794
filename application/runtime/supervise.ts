/** Keeps a worker alive: one that ends or dies of a defect says so in the log and starts again. */
import { Cause, Effect } from "effect"

/** never ends by itself; interruption stops it */
export const supervised = <R>(name: string, worker: Effect.Effect<void, never, R>): Effect.Effect<never, never, R> =>
  worker.pipe(
    Effect.zipRight(Effect.logError(`worker ${name} ended and starts again`)),
    Effect.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause)
        ? Effect.failCause(cause as Cause.Cause<never>)
        : Effect.logError(`worker ${name} died and starts again`, cause)
    ),
    Effect.zipRight(Effect.sleep("1 second")),
    Effect.forever,
    Effect.annotateLogs("worker", name)
  )
