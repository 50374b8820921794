/** Everything known about one unit at one moment: what `mapping.ts` judges. */
import type { ReducedContainer, ReducedJob, ReducedPod } from "./reduce.ts"

/** a message of the cluster about an object, such as why no pod could be made */
export interface ClusterNote {
  readonly reason: string
  readonly message: string
}

/** what the queue says about a suspended Job */
export interface QueueNote {
  readonly code: "queue_inadmissible" | "unschedulable"
  readonly message: string
}

export interface Sight {
  /** undefined: gone */
  readonly job: ReducedJob | undefined
  /** the newest pod, undefined before there was one and after it went */
  readonly pod: ReducedPod | undefined
  /** the last pod that vanished, as it was last seen */
  readonly lastPod: ReducedPod | undefined
  /** was there ever a pod? Known also when another server saw it */
  readonly hadPod: boolean
  /** messages about the pod while it does not start, and about the Job while it has no pod */
  readonly notes: ReadonlyArray<ClusterNote>
  readonly queue: QueueNote | undefined
  /** names of the backing ConfigMap and Secret, which the server itself makes */
  readonly ownVolumes: ReadonlyArray<string>
  readonly memoryLimit: { readonly value: string; readonly source: string } | undefined
}

export const containerOf = (pod: ReducedPod | undefined, name: string): ReducedContainer | undefined =>
  pod?.containers.find((one) => one.name === name)

/** has anything in the pod run? */
export const hasRun = (pod: ReducedPod): boolean =>
  pod.containers.some(({ state, last }) => state.is !== "waiting" || last !== undefined)

export const jobCondition = (job: ReducedJob | undefined, type: "Failed" | "Complete") =>
  job?.conditions.find((condition) => condition.type === type)
