/** Servers in which, together, every message code can be answered. */
import { Effect, Either, Layer, Redacted } from "effect"
import { Unavailable } from "../../../application/errors.ts"
import { JobPolicy } from "../../../application/jobs/job-policy.ts"
import { TenantRoom } from "../../../application/jobs/tenant-room.ts"
import { AccessReview } from "../../../application/ports/access-review.ts"
import { ExperimentTracker } from "../../../application/ports/experiment-tracker.ts"
import { HardwareProfiles } from "../../../application/ports/hardware-profiles.ts"
import { violation } from "../../../domain/violation.ts"
import * as Authentication from "../../../interfaces/http/middleware/authentication.ts"
import { layer as app, idleRuntime } from "../http-app.ts"

const reviewer = Layer.succeed(AccessReview, {
  identify: (token) =>
    Effect.succeed(Redacted.value(token) === "stranger" ? undefined : { username: Redacted.value(token), groups: [] }),
  allows: ({ username }) =>
    username === "unheard"
      ? new Unavailable({ peer: "review", operation: "allows" })
      : Effect.succeed(username === "alice")
})
const profiles = Layer.succeed(HardwareProfiles, {
  find: (name: string) => {
    if (name === "absent") return Effect.sync(() => undefined)
    if (name === "away") return new Unavailable({ peer: "cluster", operation: "getProfile" })
    const code = name === "off" ? "hardware_profile_disabled" : "hardware_profile_invalid"
    return Effect.succeed(Either.left([violation([], `the profile is ${name}`, code)]))
  }
})
const failing = new Unavailable({ peer: "tracker", operation: "getExperiment" })
const tracker = Layer.merge(
  Layer.succeed(JobPolicy, { trackerConfigured: true, deferTrackerFailure: true }),
  Layer.succeed(ExperimentTracker, {
    ensure: () => failing,
    workspaceOf: () => Effect.sync(() => undefined),
    ping: failing
  })
)
const unready = idleRuntime({
  check: () =>
    Effect.succeed([violation(["benchmarks", 0], "the framework is not installed", "local_runtime_unavailable")])
})
const reviewed = Authentication.layerReviewed({ groups: {}, allowSeconds: 60 }).pipe(Layer.provide(reviewer))

/** by what is special about them; `local` has small limits */
export const worlds = {
  local: app({ settings: { maxBodyBytes: 2048, stallMillis: 200 } }),
  reviewed: app({ authentication: reviewed, server: { local: false } }),
  cluster: app({ runtime: idleRuntime({ kind: "cluster" }) }).pipe(Layer.provide(profiles)),
  unready: app({ runtime: unready }),
  defective: app({ runtime: idleRuntime({ check: () => Effect.die(new Error("secret")) }) }),
  tracked: app().pipe(Layer.provide(tracker)),
  limited: app({ server: { rateLimit: { perSecond: 0.001, burst: 1 } } }),
  quota: app().pipe(
    Layer.provide(
      Layer.succeed(TenantRoom, TenantRoom.of({ limits: { maxQueued: 0 }, stored: Effect.succeed(new Map()) }))
    )
  ),
  crowded: app({ server: { streams: { all: 0, perTenant: 1 } } }),
  narrow: app({ server: { maxConnections: 0 } }),
  full: app({ runtime: idleRuntime({ logs: () => new Unavailable({ peer: "machine", operation: "read a log" }) }) }),
  forgetful: app({ runtime: idleRuntime({ logs: () => new Unavailable({ peer: "database", operation: "logs" }) }) })
}
