/**
 * Everything about the tracking server and the registry from the settings: experiments of jobs, readiness, and what local units send to
 * either. A failure to tell the tenant's workspace refuses: results must not end in somebody else's.
 */
import { randomBytes } from "node:crypto"
import { type Context, Effect, Layer, Redacted } from "effect"
import type { Unavailable } from "../../../application/errors.ts"
import { ExperimentTracker } from "../../../application/ports/experiment-tracker.ts"
import type { Settings } from "../../../config/settings.ts"
import type { WayOut } from "../../../domain/proxies.ts"
import * as MlflowTracker from "../../../infrastructure/tracker/mlflow-tracker.ts"
import { isUntrusted } from "../../../infrastructure/tracker/tracker-exchange.ts"
import { defined } from "../../../values/defined.ts"
import { type MountedFile, mountedFile } from "../../gateway/mounted-files.ts"
import * as ResultTraffic from "../../http/gateway/result-traffic.ts"
import { Dependencies } from "../../http/readiness.ts"

/** a token of its own in a file wins over a static one, because it can be renewed */
const trackerToken = (settings: Settings): MountedFile | undefined => {
  const path = settings["tracker.token_path"]
  if (path !== undefined) return mountedFile(path)
  const token = settings["tracker.token"]
  return token === undefined ? undefined : { current: () => Redacted.value(token), expire: () => {} }
}

const caFile = (settings: Settings): (() => string | undefined) => {
  const path = settings["tracker.ca_cert_path"]
  return path === undefined ? () => undefined : mountedFile(path).current
}

/** nothing is provided when no tracking server is configured: jobs with an experiment are then refused */
export const experimentTracker = (settings: Settings, way: WayOut) => {
  const uri = settings["tracker.tracking_uri"]
  if (uri === undefined) return Layer.empty
  const token = trackerToken(settings)
  const workspace = settings["tracker.workspace"]
  return MlflowTracker.layer({
    uri,
    token: () => {
      const current = token?.current()
      return current === undefined ? undefined : Redacted.make(current)
    },
    ca: caFile(settings),
    insecure: settings["tracker.insecure_skip_verify"],
    way,
    timeoutMillis: (settings["tracker.http_timeout"] ?? 30) * 1000,
    ...defined({ workspace })
  })
}

const whyAway = (error: Unavailable): string =>
  isUntrusted(error)
    ? "TLS to the tracking server failed; check tracker.ca_cert_path"
    : "the tracking server does not answer"

/** an unreachable tracking server is reported by readiness and does no harm to it */
export const trackerReadiness = Layer.effect(
  Dependencies,
  Effect.map(ExperimentTracker, (tracker) =>
    tracker === undefined ? [] : [{ name: "tracker", required: false, check: Effect.mapError(tracker.ping, whyAway) }]
  )
)

const resultTrafficTo = (settings: Settings, way: WayOut, tracker: Context.Tag.Service<typeof ExperimentTracker>) => {
  const uri = settings["tracker.tracking_uri"]
  return ResultTraffic.layer({
    insecureRegistries: settings["oci.insecure"],
    way,
    newToken: () => randomBytes(24).toString("base64url"),
    tracker:
      uri === undefined
        ? undefined
        : {
            uri,
            token: trackerToken(settings),
            ca: caFile(settings),
            unverified: settings["tracker.insecure_skip_verify"],
            workspace: (tenant) =>
              tracker === undefined ? Effect.succeed(undefined) : Effect.orDie(tracker.workspaceOf(tenant))
          }
  })
}

/** the registry and tracker routes below a local unit's callback address */
export const resultTraffic = (settings: Settings, way: WayOut) =>
  Layer.unwrapEffect(Effect.map(ExperimentTracker, (tracker) => resultTrafficTo(settings, way, tracker)))
