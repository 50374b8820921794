/**
 * Jobs and pods of the cluster reduced, on receipt, to what is judged: at most 2 KB each, so that thousands of them fit into memory.
 * Pure. Reference: cluster-objects.md, "Observing".
 */
import type { UnitId } from "../../../../application/ports/runtime.ts"
import { isObject, type JsonObject } from "../../../../values/json.ts"
import { cleanMessage } from "../../client/kube-error.ts"
import type { KubeObject } from "../../client/resources.ts"
import { unitOfObject } from "../../unit/identity.ts"

export interface Condition {
  readonly type: string
  readonly isTrue: boolean
  readonly reason: string
  readonly message: string
  /** ISO time of the last transition */
  readonly at: string | undefined
}

interface ReducedObject {
  readonly name: string
  readonly namespace: string
  readonly uid: string
  readonly version: string
  readonly unit: UnitId
  readonly createdAt: string | undefined
  readonly isDeleting: boolean
}

export interface ReducedJob extends ReducedObject {
  readonly isSuspended: boolean
  readonly queue: string | undefined
  readonly conditions: ReadonlyArray<Condition>
  /** what the lifecycle signals say so far: labels and annotation */
  readonly signal: {
    readonly phase: string | undefined
    readonly verdict: string | undefined
    readonly status: string | undefined
  }
}

export interface Terminated {
  readonly exitCode: number
  readonly signal: number | undefined
  readonly reason: string
  readonly message: string
  readonly startedAt: string | undefined
  readonly finishedAt: string | undefined
}

export type ContainerState =
  | { readonly is: "waiting"; readonly reason: string; readonly message: string }
  | { readonly is: "running"; readonly startedAt: string | undefined }
  | ({ readonly is: "terminated" } & Terminated)

export interface ReducedContainer {
  readonly name: string
  readonly image: string
  readonly restarts: number
  readonly state: ContainerState
  /** how it ended the last time, once it was restarted */
  readonly last: Terminated | undefined
}

export interface ReducedPod extends ReducedObject {
  readonly phase: string
  readonly reason: string
  readonly message: string
  readonly node: string
  /** only those that are judged: `PodScheduled` when false, `DisruptionTarget` when true */
  readonly conditions: ReadonlyArray<Condition>
  readonly containers: ReadonlyArray<ReducedContainer>
}

/** a pod, and beside it the full last message of its sidecar, which may be a mailbox of 4 KB: read at once and not kept */
export interface PodReading {
  readonly pod: ReducedPod
  readonly lastWords: string | undefined
}

const maxText = 200
const maxContainers = 4

const member = (object: JsonObject, name: string): JsonObject => {
  const value = object[name]
  return isObject(value) ? value : {}
}
const members = (object: JsonObject, name: string): ReadonlyArray<JsonObject> => {
  const value = object[name]
  return Array.isArray(value) ? value.filter(isObject) : []
}
const raw = (object: JsonObject, name: string): string => {
  const value = object[name]
  return typeof value === "string" ? value : ""
}
const text = (object: JsonObject, name: string, limit = maxText): string => {
  const clean = cleanMessage(raw(object, name))
  return clean.length > limit ? `${clean.slice(0, limit - 1)}…` : clean
}
const given = (value: string): string | undefined => (value === "" ? undefined : value)
const count = (object: JsonObject, name: string): number | undefined => {
  const value = object[name]
  return typeof value === "number" && Number.isFinite(value) ? value : undefined
}

const conditionOf = (condition: JsonObject): Condition => ({
  type: raw(condition, "type"),
  isTrue: condition["status"] === "True",
  reason: text(condition, "reason", 64),
  message: text(condition, "message"),
  at: given(text(condition, "lastTransitionTime", 40))
})

const terminatedOf = (state: JsonObject): Terminated => ({
  exitCode: count(state, "exitCode") ?? 0,
  signal: count(state, "signal"),
  reason: text(state, "reason", 64),
  message: text(state, "message"),
  startedAt: given(text(state, "startedAt", 40)),
  finishedAt: given(text(state, "finishedAt", 40))
})

const stateOf = (status: JsonObject): ContainerState => {
  const state = member(status, "state")
  if (isObject(state["terminated"])) return { is: "terminated", ...terminatedOf(state["terminated"]) }
  if (isObject(state["running"])) return { is: "running", startedAt: given(text(state["running"], "startedAt", 40)) }
  const waiting = member(state, "waiting")
  return { is: "waiting", reason: text(waiting, "reason", 64), message: text(waiting, "message") }
}

const containerOf = (images: ReadonlyMap<string, string>, status: JsonObject): ReducedContainer => {
  const last = member(status, "lastState")["terminated"]
  const name = text(status, "name", 63)
  return {
    name,
    image: (images.get(name) ?? text(status, "image")).slice(0, maxText),
    restarts: count(status, "restartCount") ?? 0,
    state: stateOf(status),
    last: isObject(last) ? terminatedOf(last) : undefined
  }
}

const bounded = <A>(record: A, shorter: (limit: number) => A): A => {
  for (const limit of [maxText, 100, 40, 16]) {
    const candidate = limit === maxText ? record : shorter(limit)
    if (Buffer.byteLength(JSON.stringify(candidate)) <= 2048) return candidate
  }
  return shorter(0)
}

const cutTo = (limit: number) => (value: string) => (value.length > limit ? value.slice(0, limit) : value)

const shorterTerminated = (ended: Terminated, limit: number): Terminated => ({
  ...ended,
  message: cutTo(limit)(ended.message)
})
const shorterPod =
  (pod: ReducedPod) =>
  (limit: number): ReducedPod => ({
    ...pod,
    message: cutTo(limit)(pod.message),
    conditions: pod.conditions.map((condition) => ({ ...condition, message: cutTo(limit)(condition.message) })),
    containers: pod.containers.map(({ image, state, last, ...rest }) => ({
      ...rest,
      image: cutTo(limit)(image),
      state: state.is === "running" ? state : { ...state, message: cutTo(limit)(state.message) },
      last: last === undefined ? undefined : shorterTerminated(last, limit)
    }))
  })

const identityOf = ({ metadata }: KubeObject, unit: UnitId): ReducedObject => ({
  name: metadata.name,
  namespace: metadata.namespace ?? "",
  uid: metadata.uid ?? "",
  version: metadata.resourceVersion ?? "",
  unit,
  createdAt: metadata.creationTimestamp,
  isDeleting: metadata.deletionTimestamp !== undefined
})

/** undefined: no object of a benchmark */
export const reduceJob = (job: KubeObject, domain: string, queueDomain: string): ReducedJob | undefined => {
  const unit = unitOfObject(job, domain)
  const { labels = {}, annotations = {} } = job.metadata
  if (unit === undefined) return undefined
  const record: ReducedJob = {
    ...identityOf(job, unit),
    isSuspended: member(job, "spec")["suspend"] === true,
    queue: labels[`${queueDomain}/queue-name`],
    conditions: members(member(job, "status"), "conditions")
      .map(conditionOf)
      .filter(({ type, isTrue }) => isTrue && (type === "Failed" || type === "Complete" || type === "Suspended")),
    signal: {
      phase: labels[`${domain}/phase`],
      verdict: labels[`${domain}/verdict`],
      status: annotations[`${domain}/status`]?.slice(0, 900)
    }
  }
  return bounded(record, (limit) => ({
    ...record,
    conditions: record.conditions.map((condition) => ({ ...condition, message: cutTo(limit)(condition.message) }))
  }))
}

const sidecarName = "sidecar"

/** undefined: no pod of a benchmark */
export const reducePod = (object: KubeObject, domain: string): PodReading | undefined => {
  const unit = unitOfObject(object, domain)
  if (unit === undefined) return undefined
  const [spec, status] = [member(object, "spec"), member(object, "status")]
  const declared = [...members(spec, "initContainers"), ...members(spec, "containers")]
  const images = new Map(declared.map((container) => [raw(container, "name"), cleanMessage(raw(container, "image"))]))
  const statuses = [...members(status, "initContainerStatuses"), ...members(status, "containerStatuses")]
  const pod: ReducedPod = {
    ...identityOf(object, unit),
    phase: text(status, "phase", 16),
    reason: text(status, "reason", 64),
    message: text(status, "message"),
    node: text(spec, "nodeName", 80),
    conditions: members(status, "conditions")
      .map(conditionOf)
      .filter(({ type, isTrue }) => (type === "PodScheduled" && !isTrue) || (type === "DisruptionTarget" && isTrue)),
    containers: statuses.slice(0, maxContainers).map((one) => containerOf(images, one))
  }
  const sidecar = statuses.find((one) => one["name"] === sidecarName)
  const ended = member(member(sidecar ?? {}, "state"), "terminated")
  return { pod: bounded(pod, shorterPod(pod)), lastWords: given(raw(ended, "message")) }
}
