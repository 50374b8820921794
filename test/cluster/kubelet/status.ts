/** The status of a pod as a kubelet writes it: phase, conditions, and the state of each container. */
import type { Container, Pod } from "./pod.ts"

export interface Terminated {
  readonly exitCode: number
  readonly reason: string
  readonly message?: string
  readonly startedAt: string
  readonly finishedAt: string
  readonly containerID?: string
}

export type ContainerState =
  | { readonly waiting: { readonly reason: string; readonly message?: string } }
  | { readonly running: { readonly startedAt: string } }
  | { readonly terminated: Terminated }

export interface ContainerStatus {
  readonly name: string
  readonly image: string
  readonly imageID: string
  readonly containerID?: string
  readonly restartCount: number
  readonly ready: boolean
  readonly started: boolean
  readonly state: ContainerState
  readonly lastState: { readonly terminated?: Terminated }
}

export type Phase = "Pending" | "Running" | "Succeeded" | "Failed"

/** times of a status have whole seconds */
export const timeOf = (millis: number): string => new Date(millis).toISOString().replace(/\.\d+Z$/, "Z")

const isTerminated = ({ state }: ContainerStatus): boolean => "terminated" in state

export class PodStatus {
  readonly #pod: Pod
  readonly #now: () => number
  readonly #containers = new Map<string, ContainerStatus>()
  readonly #conditions = new Map<
    string,
    { readonly status: string; readonly since: string; readonly reason: string | undefined }
  >()
  readonly #startTime: string
  /** once the pod is over */
  #end: { readonly phase: "Succeeded" | "Failed"; readonly reason?: string; readonly message?: string } | undefined
  address: string | undefined

  constructor(pod: Pod, now: () => number) {
    this.#pod = pod
    this.#now = now
    this.#startTime = timeOf(now())
    const { initContainers = [], containers } = pod.spec
    for (const { name, image } of initContainers) this.#put(name, image, "PodInitializing")
    for (const { name, image } of containers)
      this.#put(name, image, initContainers.length > 0 ? "PodInitializing" : "ContainerCreating")
  }

  #put(name: string, image: string, reason: string) {
    this.#containers.set(name, {
      name,
      image,
      imageID: "",
      restartCount: 0,
      ready: false,
      started: false,
      state: { waiting: { reason } },
      lastState: {}
    })
  }

  of(name: string): ContainerStatus {
    const found = this.#containers.get(name)
    if (found === undefined) throw new Error(`the pod has no container ${name}`)
    return found
  }

  change(name: string, change: Partial<ContainerStatus>): void {
    this.#containers.set(name, { ...this.of(name), ...change })
  }

  end(phase: "Succeeded" | "Failed", reason?: string, message?: string): void {
    this.#end = { phase, ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) }
  }

  get isOver(): boolean {
    return this.#end !== undefined
  }

  #statuses(containers: ReadonlyArray<Container> = []): ReadonlyArray<ContainerStatus> {
    return containers.map(({ name }) => this.of(name))
  }

  #phase(): Phase {
    if (this.#end !== undefined) return this.#end.phase
    return this.#isInitialized() && this.#statuses(this.#pod.spec.containers).some(({ state }) => !("waiting" in state))
      ? "Running"
      : "Pending"
  }

  #isInitialized(): boolean {
    const inits = this.#pod.spec.initContainers ?? []
    return inits.every(({ name, restartPolicy }) => {
      const { state, started } = this.of(name)
      return restartPolicy === "Always"
        ? started || isTerminated(this.of(name))
        : "terminated" in state && state.terminated.exitCode === 0
    })
  }

  #condition(type: string, holds: boolean, reason?: string) {
    const status = holds ? "True" : "False"
    const known = this.#conditions.get(type)
    if (known?.status !== status || known.reason !== reason) {
      const since = known?.status === status ? known.since : timeOf(this.#now())
      this.#conditions.set(type, { status, since, reason })
    }
  }

  /** the document as of now; conditions keep the time of their last change */
  document(): unknown {
    const mains = this.#statuses(this.#pod.spec.containers)
    const sidecars = this.#statuses(
      this.#pod.spec.initContainers?.filter(({ restartPolicy }) => restartPolicy === "Always")
    )
    const allReady = this.#end === undefined && [...mains, ...sidecars].every(({ ready }) => ready)
    const done = this.#end?.phase === "Succeeded" ? "PodCompleted" : undefined
    const notReady = allReady ? undefined : (done ?? "ContainersNotReady")
    this.#condition("PodReadyToStartContainers", this.address !== undefined && this.#end === undefined)
    this.#condition("Initialized", this.#isInitialized(), this.#isInitialized() ? done : "ContainersNotInitialized")
    this.#condition("Ready", allReady, notReady)
    this.#condition("ContainersReady", allReady, notReady)
    return {
      phase: this.#phase(),
      startTime: this.#startTime,
      hostIP: "127.0.0.1",
      ...(this.address === undefined ? {} : { podIP: this.address, podIPs: [{ ip: this.address }] }),
      conditions: [...this.#conditions].map(([type, { status, since, reason = null }]) => ({
        type,
        status,
        reason,
        lastTransitionTime: since
      })),
      initContainerStatuses: this.#statuses(this.#pod.spec.initContainers),
      containerStatuses: mains,
      ...(this.#end?.reason === undefined ? {} : { reason: this.#end.reason }),
      ...(this.#end?.message === undefined ? {} : { message: this.#end.message })
    }
  }
}
