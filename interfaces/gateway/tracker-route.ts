/** R4: the tracking server, with the pod's token and workspace in place of whatever the adapter sent. Reference: gateway.md, "Tracker". */
import type { Upstream } from "../../domain/credentials/upstream.ts"
import { Fault } from "./fault.ts"
import { announcesBody } from "./headers.ts"
import type { MountedFile } from "./mounted-files.ts"
import { type Caller, forward, type ProxySettings, refuse, targetOf } from "./proxy.ts"

export interface TrackerRoute {
  readonly upstream: Upstream
  /** undefined: the tracking server asks for none */
  readonly token: MountedFile | undefined
  /** absent: the tracking server knows no workspaces */
  readonly workspace: string | undefined
  readonly publicBase: string
  readonly settings: ProxySettings
}

const route = "tracker"
const workspaceHeader = "X-MLFLOW-WORKSPACE"
const dropped: ReadonlySet<string> = new Set(["x-tenant", workspaceHeader.toLowerCase()])
const unchanged: ReadonlyMap<string, string> = new Map()

const attempt = (caller: Caller, tracker: TrackerRoute, mayRetry: boolean): void => {
  const token = tracker.token?.current()?.trim()
  if (tracker.token !== undefined && (token === undefined || token === "")) {
    refuse(
      caller,
      route,
      new Fault(502, "credential_unavailable", "the tracker token cannot be read"),
      tracker.settings
    )
    return
  }
  forward(
    caller,
    {
      route,
      upstream: tracker.upstream,
      path: targetOf(caller),
      authorization: token === undefined ? undefined : `Bearer ${token}`,
      drop: dropped,
      replace: unchanged,
      ...(tracker.workspace === undefined ? {} : { add: [workspaceHeader, tracker.workspace] }),
      publicBase: tracker.publicBase,
      intercept: (answer) => {
        if (answer.statusCode !== 401) return false
        // rotated between reading and use; only a request without a body can be sent again
        tracker.token?.expire()
        if (!mayRetry) return false
        answer.resume()
        attempt(caller, tracker, false)
        return true
      }
    },
    tracker.settings
  )
}

export const toTracker = (caller: Caller, tracker: TrackerRoute): void =>
  attempt(caller, tracker, !announcesBody(caller.request.rawHeaders))
