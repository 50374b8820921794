/** Events on a resource: what a person who describes it should know. The same thing is said once in ten minutes. */
import { Clock, Effect } from "effect"
import type { KubeClient } from "../client/client.ts"
import { events } from "../client/resources.ts"
import { fieldManager } from "../manifests/managed.ts"

export type EventReason =
  | "TenantProvisioned"
  | "TenantRemoved"
  | "TenantFailed"
  | "OwnNamespaceIgnored"
  | "NameConflict"
  | "ForeignObject"
  | "ConfigRejected"
  | "RolloutStarted"
  | "DefinitionsChanged"
  | "CertificateIssued"
  | "CleanupBlocked"

const warnings: ReadonlySet<EventReason> = new Set([
  "TenantFailed",
  "OwnNamespaceIgnored",
  "NameConflict",
  "ForeignObject",
  "ConfigRejected",
  "CleanupBlocked"
])

/** what an event is about */
export interface Subject {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly namespace: string
  readonly uid: string
}

export interface EventRecorder {
  /** never fails: an event that is refused is logged */
  readonly record: (about: Subject, reason: EventReason, message: string) => Effect.Effect<void>
}

const quietMillis = 600_000
const longestMessage = 1024

export const makeEventRecorder = (client: KubeClient["Type"]): EventRecorder => {
  const said = new Map<string, number>()
  let serial = 0
  return {
    record: (about, reason, message) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const { name, namespace, uid } = about
        const what = `${uid} ${reason} ${message}`
        for (const [key, at] of said) if (now - at >= quietMillis || at > now) said.delete(key)
        if (said.has(what)) return
        said.set(what, now)
        serial += 1
        const time = new Date(now).toISOString().replace(/\.\d+Z$/, "Z")
        const event = {
          apiVersion: "v1",
          kind: "Event",
          metadata: { name: `${name}.${now.toString(16)}${serial.toString(16).padStart(4, "0")}`, namespace },
          involvedObject: about,
          reason,
          message: message.slice(0, longestMessage),
          type: warnings.has(reason) ? "Warning" : "Normal",
          source: { component: fieldManager },
          reportingComponent: fieldManager,
          firstTimestamp: time,
          lastTimestamp: time,
          count: 1
        }
        yield* Effect.catchAll(client.create({ resource: events, namespace, lane: "signal" }, event), (error) =>
          Effect.logDebug(`the event ${reason} of ${namespace}/${name} was not recorded: ${error.message}`)
        )
      })
  }
}
