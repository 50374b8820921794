/** Logs of units: from the live pod, else the tail that was captured before it went. Contract: cluster 3.4. */
import { Effect, Stream } from "effect"
import { NotFound, Unavailable } from "../../application/errors.ts"
import type { LogQuery, UnitId } from "../../application/ports/runtime.ts"
import { unitKey } from "../unit/names.ts"
import type { KubeClient } from "./client.ts"
import type { ClusterOptions } from "./cluster-options.ts"
import { instanceSelector, unitOfObject } from "./identity.ts"
import type { KubeError } from "./kube-error.ts"
import { sanitise } from "./names.ts"
import { type KubeObject, pods } from "./resources.ts"

const container = "adapter"
const capturedUnits = 2000
const capture = { container, tailLines: 200, limitBytes: 65_536, timestamps: true, follow: false } as const

export interface PodLogs {
  readonly read: (unit: UnitId, query: LogQuery) => Effect.Effect<Stream.Stream<Uint8Array, Unavailable>, NotFound | Unavailable>
  /** keeps the tail of the adapter's log; within 5 s, and never an error */
  readonly capture: (unit: UnitId) => Effect.Effect<void>
  readonly discard: (concerns: (unit: UnitId) => boolean) => Effect.Effect<void>
}

const unavailable = (error: KubeError) => new Unavailable({ peer: "cluster", operation: error.operation, cause: error })

export const makePodLogs = (client: KubeClient["Type"], options: Pick<ClusterOptions, "domain" | "instance">): PodLogs => {
  const captured = new Map<string, { readonly unit: UnitId; readonly text: Uint8Array }>()

  const podOf = (unit: UnitId): Effect.Effect<KubeObject | undefined, KubeError> => {
    const labels = `${options.domain}/job-id=${sanitise(unit.jobId)},${options.domain}/benchmark-index=${unit.index}`
    const selection = { resource: pods, namespace: unit.tenant, lane: "observe", labelSelector: `${instanceSelector(options)},${labels}` } as const
    return Effect.map(client.list({ ...selection, metadataOnly: true }), ({ items }) =>
      items
        .filter((pod) => unitOfObject(pod, options.domain)?.jobId === unit.jobId)
        .sort((left, right) => ((left.metadata.creationTimestamp ?? "") < (right.metadata.creationTimestamp ?? "") ? -1 : 1))
        .at(-1)
    )
  }
  const open = (pod: KubeObject, unit: UnitId, query: LogQuery) =>
    client.logs(
      { namespace: unit.tenant, pod: pod.metadata.name, lane: "observe" },
      {
        container,
        tailLines: query.tailLines,
        timestamps: query.timestamps,
        follow: query.follow,
        ...(query.sinceSeconds === undefined ? {} : { sinceSeconds: query.sinceSeconds })
      }
    )
  const tail = (unit: UnitId, { tailLines, timestamps }: LogQuery): Stream.Stream<Uint8Array> | undefined => {
    const kept = captured.get(unitKey(unit))
    if (kept === undefined) return undefined
    const lines = new TextDecoder().decode(kept.text).split("\n")
    const ends = lines.at(-1) === "" ? 1 : 0
    const asked = lines.slice(Math.max(0, lines.length - ends - tailLines)).map((line) => (timestamps ? line : line.replace(/^\S+Z /, "")))
    return Stream.make(new TextEncoder().encode(asked.join("\n")))
  }

  return {
    read: (unit, query) =>
      Effect.gen(function* () {
        const pod = yield* podOf(unit)
        if (pod !== undefined) {
          // a container that has not started, or a pod that goes away right now, has no log
          const live = yield* Effect.catchIf(
            open(pod, unit, query),
            (error) => error.class === "invalid" || error.class === "not_found",
            () => Effect.void
          )
          if (live !== undefined) return Stream.mapError(live, unavailable)
        }
        return tail(unit, query)
      }).pipe(
        Effect.mapError(unavailable),
        Effect.flatMap((found) => (found === undefined ? Effect.fail(new NotFound({ kind: "log", id: `${unit.jobId}/${unit.index}` })) : Effect.succeed(found)))
      ),
    capture: (unit) =>
      Effect.gen(function* () {
        const pod = yield* podOf(unit)
        if (pod === undefined) return
        const chunks = yield* Stream.runCollect(yield* client.logs({ namespace: unit.tenant, pod: pod.metadata.name, lane: "launch" }, capture))
        captured.delete(unitKey(unit))
        captured.set(unitKey(unit), { unit, text: Buffer.concat([...chunks]) })
        const [oldest] = captured.keys()
        if (captured.size > capturedUnits && oldest !== undefined) captured.delete(oldest)
      }).pipe(
        Effect.timeout("5 seconds"),
        Effect.catchAll((error) => Effect.logDebug(`no log of ${unitKey(unit)} was captured: ${error.message}`))
      ),
    discard: (concerns) =>
      Effect.sync(() => {
        for (const [key, { unit }] of captured) if (concerns(unit)) captured.delete(key)
      })
  }
}
