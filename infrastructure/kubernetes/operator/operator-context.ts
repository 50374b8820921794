/** What the passes of the operator share: the cluster, what is seen and remembered of it, and how a failure is answered. */
import { Effect } from "effect"
import type { Instance } from "../../../domain/operator/custom-resource.ts"
import { resourceNames } from "../../../domain/operator/custom-resource.ts"
import type { InstanceStatus, TenantOutcome } from "../../../domain/operator/instance-status.ts"
import type { KubeClient } from "../client/client.ts"
import type { KubeError } from "../client/kube-error.ts"
import type { KubeObject } from "../client/resources.ts"
import { type Applied, type Applier, appliedBy, type Ownership } from "../controller/applier.ts"
import type { Outcome, WorkQueue } from "../controller/work-queue.ts"
import type { Certificates } from "../manifests/certificates.ts"
import { fieldManager, type InstanceId, type ManagedObject, type Platform } from "../manifests/managed.ts"
import type { Authorities } from "./authority.ts"
import type { EventReason, EventRecorder } from "./event-recorder.ts"
import { instanceName, instanceOf, type Key } from "./keys.ts"
import { desired } from "./kinds.ts"
import type { Sight } from "./sight.ts"

export interface OperatorOptions {
  readonly platform: Platform
  /** build of the operator */
  readonly version: string
  /** the packaged table of access rules, as text */
  readonly authRules: string
  readonly workers: number
  readonly resyncSeconds: number
}

/** what is remembered of an instance between passes; lost with the process, and found again by its first passes */
export interface Memory {
  /** by namespace; absent: not worked on yet */
  readonly outcomes: Map<string, TenantOutcome>
  /** since when a namespace is no tenant any more, by the steady clock */
  readonly leaving: Map<string, number>
  certificates: Certificates | undefined
  /** of what a tenant's objects are made from */
  tenantInput: string | undefined
  /** the status as it was written last, and the version that it gave the resource */
  written: { readonly version: string; readonly status: InstanceStatus } | undefined
  /** since when the Deployment has no available pod, or removing has not come to its end */
  unavailableSince: number | undefined
  removingSince: number | undefined
  tlsRefusedSince: number | undefined
  /** when the certificate that the operator issued ends, milliseconds since 1970 */
  certificateEnds: number | undefined
  /** the Deployment as it was last written, which may be newer than what is seen of it */
  deployment: KubeObject | undefined
  /** what is mounted: text by kind and id */
  definitions: ReadonlyMap<string, string> | undefined
}

export interface Operator {
  readonly client: KubeClient["Type"]
  readonly options: OperatorOptions
  readonly sight: Sight
  readonly queue: WorkQueue<Key>
  readonly applier: Applier
  readonly events: EventRecorder
  /** of certificates in mode Issued; read again with every resync */
  readonly authorities: Effect.Effect<Authorities, KubeError>
  readonly memoryOf: (id: InstanceId) => Memory
  readonly forget: (id: InstanceId) => void
  readonly memories: () => ReadonlyMap<string, Memory>
}

export const makeMemories = () => {
  const memories = new Map<string, Memory>()
  return {
    memories: () => memories,
    forget: (id: InstanceId) => void memories.delete(instanceName(id)),
    memoryOf: (id: InstanceId): Memory => {
      const found = memories.get(instanceName(id)) ?? {
        outcomes: new Map(),
        leaving: new Map(),
        certificates: undefined,
        tenantInput: undefined,
        written: undefined,
        unavailableSince: undefined,
        removingSince: undefined,
        tlsRefusedSince: undefined,
        certificateEnds: undefined,
        deployment: undefined,
        definitions: undefined
      }
      memories.set(instanceName(id), found)
      return found
    }
  }
}

/** ours by both labels; or by our mark and the record of our apply, when somebody took the labels away */
export const ownership = (domain: string): Ownership => ({
  ownerOf: (found, wanted) => {
    const mark = `${domain}/instance`
    const isManaged = found.metadata.labels?.["app.kubernetes.io/managed-by"] === fieldManager
    const [is, wants] = [instanceOf(domain, found), instanceOf(domain, wanted)]
    if (isManaged && is !== undefined)
      return is.name === wants?.name && is.namespace === wants.namespace ? "ours" : "other"
    const isMarked = found.metadata.annotations?.[mark] === wanted.metadata.annotations?.[mark]
    return isMarked && appliedBy(found, fieldManager) ? "ours" : "foreign"
  }
})

const subjectOf = ({ platform }: OperatorOptions, { name, namespace, uid }: Instance) => ({
  apiVersion: `${platform.groups.service}/${resourceNames.version}`,
  kind: resourceNames.kind,
  name,
  namespace,
  uid
})

export const say = (
  operator: Operator,
  instance: Instance,
  reason: EventReason,
  message: string
): Effect.Effect<void> => operator.events.record(subjectOf(operator.options, instance), reason, message)

/** one object that did not become as it should be */
export interface Trouble {
  readonly object: ManagedObject
  readonly error?: KubeError
  readonly notOurs?: "other" | "foreign"
}

export const nameOf = ({ kind, metadata: { namespace, name } }: ManagedObject): string =>
  `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`

export const isTerminating = ({ causes }: KubeError): boolean => causes.includes("NamespaceTerminating")

/** tries every object, whatever becomes of the others; answers what went wrong */
export const applyEach = (
  { applier }: Operator,
  objects: ReadonlyArray<ManagedObject>,
  /** told of each as the cluster has it now */
  stored: (object: KubeObject) => void = () => {}
): Effect.Effect<ReadonlyArray<Trouble>> =>
  Effect.map(
    Effect.forEach(objects, (object) =>
      Effect.match(applier.apply(desired(object)), {
        onFailure: (error): Trouble | undefined => ({ object, error }),
        onSuccess: (applied: Applied) => {
          if (applied._tag === "NotOurs") return { object, notOurs: applied.owner }
          if (applied._tag !== "Leaving") stored(applied.object)
          return undefined
        }
      })
    ),
    (results) => results.filter((one) => one !== undefined)
  )

const refusedMillis = 60_000

/** when to try again after this failure */
export const afterError = (error: KubeError): Outcome => {
  if (error.retryAfterMillis !== undefined) return { _tag: "After", millis: error.retryAfterMillis }
  if (error.class === "conflict") return { _tag: "Soon" }
  if ((error.class === "forbidden" && !isTerminating(error)) || error.class === "invalid")
    return { _tag: "After", millis: refusedMillis }
  return { _tag: "BackOff" }
}

const urgency: ReadonlyArray<Outcome["_tag"]> = ["Soon", "BackOff", "After", "Done"]

/** the one that comes back first; `done` when nothing went wrong */
export const afterAll = (errors: ReadonlyArray<KubeError>, done: Outcome): Outcome => {
  const told = errors.flatMap(({ retryAfterMillis }) => retryAfterMillis ?? [])
  if (told.length > 0) return { _tag: "After", millis: Math.max(...told) }
  return errors
    .map(afterError)
    .reduce((first, next) => (urgency.indexOf(next._tag) < urgency.indexOf(first._tag) ? next : first), done)
}

export const isNamed = (object: KubeObject, wanted: ReadonlyArray<ManagedObject>, kind: string): boolean =>
  wanted.some(
    ({ kind: wantedKind, metadata }) =>
      wantedKind === kind && metadata.name === object.metadata.name && metadata.namespace === object.metadata.namespace
  )
