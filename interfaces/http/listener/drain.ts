/**
 * Graceful end: no new connections, streams told to end, requests in flight awaited up to the grace time, the rest cut. Built after the
 * listener, so that its finalizer runs first.
 */
import type { ServerResponse } from "node:http"
import { Deferred, type Duration, Effect, Schedule, type Scope } from "effect"
import type { NodeServer } from "./node-server.ts"

/** node tells of a request in one of these ways */
const kinds = ["request", "checkContinue", "checkExpectation"] as const

export const drain = (
  server: NodeServer,
  draining: Deferred.Deferred<void>,
  grace: Duration.DurationInput
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const inFlight = new Set<ServerResponse>()
    let closing = false
    const lastOne = (response: ServerResponse) => {
      if (!response.headersSent) response.setHeader("connection", "close")
    }
    const count = (_request: unknown, response: ServerResponse) => {
      inFlight.add(response)
      if (closing) lastOne(response)
      response.once("close", () => inFlight.delete(response))
    }
    for (const kind of kinds) server.prependListener(kind, count)
    yield* Effect.addFinalizer(() =>
      Effect.gen(function* () {
        closing = true
        for (const response of inFlight) lastOne(response)
        yield* Deferred.succeed(draining, undefined)
        server.close()
        const quiet = Effect.sync(() => {
          server.closeIdleConnections()
          return inFlight.size === 0
        })
        const drained = yield* quiet.pipe(
          Effect.repeat({ until: (done) => done, schedule: Schedule.spaced("20 millis") }),
          // finalizers are uninterruptible: without this the time-out never fires
          Effect.interruptible,
          Effect.timeoutOption(grace)
        )
        if (drained._tag === "None") yield* Effect.logWarning(`shutdown: ${inFlight.size} requests cut off`)
        server.closeAllConnections()
        for (const kind of kinds) server.off(kind, count)
      })
    )
  })
