/** Pods of Jobs, and what a kubelet would write into their status. */
import type { KubeObject } from "../../../infrastructure/kubernetes/client/resources.ts"
import { isObject, type JsonObject } from "../../../values/json.ts"
import { type Kind, standardKinds } from "./kinds.ts"
import type { FakeStore } from "./store.ts"

export const kindOf = (plural: string): Kind => {
  const found = standardKinds.find((kind) => kind.plural === plural)
  if (found === undefined) throw new Error(`the fake has no kind ${plural}`)
  return found
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

interface Condition {
  readonly type: string
  readonly status: "True" | "False"
  readonly reason: string
  readonly message: string
}
const conditionsOf = (status: JsonObject): ReadonlyArray<Condition> =>
  Array.isArray(status["conditions"]) ? (status["conditions"] as ReadonlyArray<Condition>) : []
const withCondition = (status: JsonObject, condition: Condition) => [
  ...conditionsOf(status).filter(({ type }) => type !== condition.type),
  condition
]
const isOver = (status: JsonObject): boolean =>
  conditionsOf(status).some(({ type, status: is }) => is === "True" && (type === "Complete" || type === "Failed"))

const suspended = { type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" } as const
const resumed = { type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" } as const
const complete = {
  type: "Complete",
  status: "True",
  reason: "CompletionsReached",
  message: "Reached expected number of succeeded pods"
} as const
const failed = {
  type: "Failed",
  status: "True",
  reason: "BackoffLimitExceeded",
  message: "Job has reached the specified backoff limit"
} as const

const firstSuffix = "x7k2p"
const suffixOf = (number: number): string => (number === 0 ? firstSuffix : `y${number.toString(36).padStart(4, "0")}`)

/**
 * The Job controller for Jobs of one pod and no retry: a pod while it is not suspended, none while it is, and the Job's end with the pod's.
 * A suspension is no failure; a pod that is deleted otherwise is one. While `refusal` says why pods are not taken, there is an Event in
 * place of a pod.
 */
export const runJobs = (store: FakeStore, refusal: () => string | undefined): void => {
  const jobs = kindOf("jobs")
  const pods = kindOf("pods")
  const made = new Map<string, number>()
  const jobOf = (namespace: string, name: string) =>
    store.all(jobs, namespace).find(({ metadata }) => metadata.name === name)
  const podsOf = (job: KubeObject) =>
    store
      .all(pods, job.metadata.namespace)
      .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === job.metadata.uid) === true)
  const setStatus = ({ metadata }: KubeObject, change: (status: JsonObject) => JsonObject) =>
    store.update(jobs, metadata.namespace, metadata.name, (job) => ({
      ...job,
      status: change(objectOf(job["status"]))
    }))

  const start = (job: KubeObject) => {
    const { name, namespace, uid = "" } = job.metadata
    if (namespace === undefined) return
    const template = objectOf(objectOf(job["spec"])["template"])
    const metadata = objectOf(template["metadata"])
    const refused = refusal()
    if (refused !== undefined) {
      const metadata = { name: `${name}.refused` }
      const involvedObject = { apiVersion: "batch/v1", kind: "Job", name, namespace, uid }
      const said = {
        involvedObject,
        reason: "FailedCreate",
        message: `Error creating: ${refused}`,
        type: "Warning",
        source: { component: "job-controller" }
      }
      made.set(uid, 0)
      return void store.create(kindOf("events"), namespace, { metadata, ...said })
    }
    const number = made.get(uid) ?? 0
    made.set(uid, number + 1)
    const owner = { apiVersion: "batch/v1", kind: "Job", name, uid, controller: true, blockOwnerDeletion: true }
    store.create(pods, namespace, {
      metadata: {
        name: `${name}-${suffixOf(number)}`,
        labels: { ...objectOf(metadata["labels"]), "job-name": name, "batch.kubernetes.io/job-name": name } as {
          [name: string]: string
        },
        annotations: { ...objectOf(metadata["annotations"]) } as { [name: string]: string },
        ownerReferences: [owner]
      },
      spec: template["spec"],
      status: { phase: "Pending" }
    })
    setStatus(job, (status) => ({
      ...status,
      active: 1,
      startTime: job.metadata.creationTimestamp ?? "",
      ...(conditionsOf(status).some(({ type }) => type === "Suspended")
        ? { conditions: withCondition(status, resumed) }
        : {})
    }))
  }
  const suspend = (job: KubeObject) => {
    setStatus(job, ({ active: _, ...status }) => ({ ...status, conditions: withCondition(status, suspended) }))
    for (const { metadata } of podsOf(job)) store.remove(pods, metadata.namespace, metadata.name, {})
  }
  const jobChanged = (job: KubeObject) => {
    const status = objectOf(job["status"])
    if (job.metadata.deletionTimestamp !== undefined || isOver(status)) return
    const isSuspended = objectOf(job["spec"])["suspend"] === true
    const wasSuspended = conditionsOf(status).some(({ type, status: is }) => type === "Suspended" && is === "True")
    if (isSuspended && !wasSuspended) suspend(job)
    if (!isSuspended && (wasSuspended || !made.has(job.metadata.uid ?? ""))) start(job)
  }
  const podEnded = (pod: KubeObject, phase: unknown) => {
    const owner = pod.metadata.ownerReferences?.find(({ kind }) => kind === "Job")
    const job = jobOf(pod.metadata.namespace ?? "", owner?.name ?? "")
    if (job === undefined || job.metadata.uid !== owner?.uid || job.metadata.deletionTimestamp !== undefined) return
    const status = objectOf(job["status"])
    if (isOver(status) || objectOf(job["spec"])["suspend"] === true) return
    const end =
      phase === "Succeeded"
        ? { succeeded: 1, conditions: withCondition(status, complete) }
        : { failed: 1, conditions: withCondition(status, failed) }
    setStatus(job, ({ active: _, ...rest }) => ({ ...rest, ...end }))
  }
  store.onChange(({ type, kind, object }) => {
    if (kind.plural === "jobs" && type !== "DELETED") {
      const now = jobOf(object.metadata.namespace ?? "", object.metadata.name)
      if (now?.metadata.uid === object.metadata.uid && now !== undefined) jobChanged(now)
    }
    if (kind.plural !== "pods") return
    const phase = objectOf(object["status"])["phase"]
    if (phase === "Succeeded" || phase === "Failed" || type === "DELETED") podEnded(object, phase)
  })
}

export interface ContainerState {
  readonly waiting?: { readonly reason: string; readonly message?: string }
  readonly running?: { readonly startedAt: string }
  readonly terminated?: {
    readonly exitCode: number
    readonly signal?: number
    readonly reason?: string
    readonly message?: string
    readonly startedAt?: string
    readonly finishedAt?: string
  }
}

export interface PodStatus {
  readonly phase: "Pending" | "Running" | "Succeeded" | "Failed"
  readonly reason?: string
  readonly message?: string
  readonly conditions?: ReadonlyArray<{
    readonly type: string
    readonly status: "True" | "False"
    readonly reason?: string
    readonly message?: string
  }>
  /** of ordinary containers, by name */
  readonly containers?: {
    readonly [name: string]: ContainerState & { readonly restartCount?: number; readonly lastState?: ContainerState }
  }
  readonly initContainers?: {
    readonly [name: string]: ContainerState & { readonly restartCount?: number; readonly lastState?: ContainerState }
  }
}

const containerStatuses = (containers: PodStatus["containers"]) =>
  Object.entries(containers ?? {}).map(([name, { restartCount = 0, lastState, ...state }]) => ({
    name,
    state,
    restartCount,
    ready: state.running !== undefined,
    started: state.running !== undefined,
    image: "",
    imageID: "",
    ...(lastState === undefined ? {} : { lastState })
  }))

/** the status of a pod as the kubelet writes it */
export const podStatus = (status: PodStatus) => ({
  phase: status.phase,
  ...(status.reason === undefined ? {} : { reason: status.reason }),
  ...(status.message === undefined ? {} : { message: status.message }),
  conditions: status.conditions ?? [],
  containerStatuses: containerStatuses(status.containers),
  initContainerStatuses: containerStatuses(status.initContainers)
})

/** the pod of a Job; a test has one per Job */
export const podOfJob = (store: FakeStore, namespace: string, job: string): KubeObject => {
  const pod = store.all(kindOf("pods"), namespace).findLast(({ metadata }) => metadata.labels?.["job-name"] === job)
  if (pod === undefined) throw new Error(`the Job ${job} has no pod`)
  return pod
}
