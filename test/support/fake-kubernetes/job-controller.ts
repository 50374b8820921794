/** Pods of Jobs, and what a kubelet would write into their status. */
import { isJsonObject, type JsonObject } from "../../../domain/json-object.ts"
import type { KubeObject } from "../../../infrastructure/kubernetes/resources.ts"
import { type Kind, standardKinds } from "./kinds.ts"
import type { FakeStore } from "./store.ts"

export const kindOf = (plural: string): Kind => {
  const found = standardKinds.find((kind) => kind.plural === plural)
  if (found === undefined) throw new Error(`the fake has no kind ${plural}`)
  return found
}

const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})

/** one pod for every Job that is created without `suspend` */
export const runJobs = (store: FakeStore): void => {
  store.onChange(({ type, kind, object }) => {
    if (type !== "ADDED" || kind.plural !== "jobs") return
    const spec = objectOf(object["spec"])
    const { name, namespace, uid = "" } = object.metadata
    if (spec["suspend"] === true || namespace === undefined) return
    const template = objectOf(spec["template"])
    const metadata = objectOf(template["metadata"])
    store.create(kindOf("pods"), namespace, {
      metadata: {
        name: `${name}-x7k2p`,
        labels: { ...objectOf(metadata["labels"]), "job-name": name, "batch.kubernetes.io/job-name": name } as { [name: string]: string },
        annotations: { ...objectOf(metadata["annotations"]) } as { [name: string]: string },
        ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name, uid }]
      },
      spec: template["spec"],
      status: { phase: "Pending" }
    })
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
  readonly conditions?: ReadonlyArray<{ readonly type: string; readonly status: "True" | "False"; readonly reason?: string; readonly message?: string }>
  /** of ordinary containers, by name */
  readonly containers?: { readonly [name: string]: ContainerState & { readonly restartCount?: number; readonly lastState?: ContainerState } }
  readonly initContainers?: { readonly [name: string]: ContainerState & { readonly restartCount?: number; readonly lastState?: ContainerState } }
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
  const pod = store.all(kindOf("pods"), namespace).find(({ metadata }) => metadata.labels?.["job-name"] === job)
  if (pod === undefined) throw new Error(`the Job ${job} has no pod`)
  return pod
}
