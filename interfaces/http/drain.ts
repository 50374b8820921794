/**
 * Graceful end: no new connections, streams told to end, requests in flight awaited up to the grace time, the rest cut. Built after the
 * listener, so that its finalizer runs first.
 */
import type { Server } from "node:http"
import { Deferred, type Duration, Effect, Schedule, type Scope } from "effect"

export const drain = (server: Server, draining: Deferred.Deferred<void>, grace: Duration.DurationInput): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    let inFlight = 0
    let closing = false
    const count = (_request: unknown, response: import("node:http").ServerResponse) => {
      inFlight++
      if (closing) response.setHeader("connection", "close")
      response.once("close", () => inFlight--)
    }
    server.prependListener("request", count)
    yield* Effect.addFinalizer(() =>
      Effect.gen(function* () {
        closing = true
        yield* Deferred.succeed(draining, undefined)
        server.close()
        const quiet = Effect.sync(() => {
          server.closeIdleConnections()
          return inFlight === 0
        })
        const drained = yield* quiet.pipe(
          Effect.repeat({ until: (done) => done, schedule: Schedule.spaced("20 millis") }),
          // finalizers are uninterruptible: without this the time-out never fires
          Effect.interruptible,
          Effect.timeoutOption(grace)
        )
        if (drained._tag === "None") yield* Effect.logWarning(`shutdown: ${inFlight} requests cut off`)
        server.closeAllConnections()
        server.off("request", count)
      })
    )
  })
