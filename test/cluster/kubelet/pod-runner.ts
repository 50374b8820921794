/** One pod on the test node, from its volumes to its last container. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Deferred, Effect, Schedule, type Scope } from "effect"
import type { ContainerLog } from "./container-log.ts"
import type { ContainerProcess } from "./container-process.ts"
import { ContainerRuns, type PodPlace } from "./container-runs.ts"
import type { ImageTable } from "./images.ts"
import type { Network } from "./network.ts"
import type { NodeApi } from "./node-api.ts"
import type { Pod } from "./pod.ts"
import { exitCodeOf, mounted, runContainers } from "./pod-order.ts"
import { PodStatus } from "./status.ts"

export interface RunningPod {
  readonly pod: Pod
  readonly address: () => string | undefined
  /** the process of a container that runs now */
  readonly process: (container: string) => ContainerProcess | undefined
  /** of the last run, or with `previous` of the one before it */
  readonly log: (container: string, previous: boolean) => ContainerLog | undefined
  /** ends its containers within the grace period; returns when the pod is over */
  readonly stop: (graceSeconds: number) => Effect.Effect<void>
  /** folder of a volume, for looking into it */
  readonly volume: (name: string) => string
  /** after the object is gone */
  readonly discard: Effect.Effect<void>
}

export interface PodEnvironment {
  readonly api: NodeApi
  readonly images: ImageTable
  readonly network: Network
  readonly hosts: { readonly [name: string]: string }
  readonly variables: { readonly [name: string]: string }
  /** first wait of a sidecar that ended twice; it doubles every time */
  readonly crashBackOffMillis: number
}

type Outcome =
  | { readonly is: "done" | "failed" | "deadline" }
  | { readonly is: "stopped"; readonly graceSeconds: number }

/** what a kubelet leaves to every container, however late it is */
const leastGraceSeconds = 2
const defaultGraceSeconds = 30

export const runPod = (
  pod: Pod,
  { api, images, network, hosts, variables, crashBackOffMillis }: PodEnvironment
): Effect.Effect<RunningPod, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    const now = () => clock.unsafeCurrentTimeMillis()
    const status = new PodStatus(pod, now)
    const logs = new Map<string, ReadonlyArray<ContainerLog>>()
    const folder = mkdtempSync(join(tmpdir(), "evald-pod-"))
    mkdirSync(join(folder, "volumes"))
    const discard = Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    yield* Effect.addFinalizer(() => discard)
    const turn = yield* Effect.makeSemaphore(1)
    const push = turn.withPermits(1)(
      Effect.suspend(() => api.patchStatus(pod, status.document())).pipe(
        Effect.retry({
          while: (error) => error.class === "transient",
          schedule: Schedule.intersect(Schedule.spaced(200), Schedule.recurs(50))
        }),
        // gone, or another object has the name
        Effect.catchAll((error) =>
          Effect.logDebug(`the status of ${pod.metadata.name} was not taken: ${error.message}`)
        )
      )
    )
    const place: PodPlace = { pod, status, api, images, hosts, variables, folder, now, push }
    const {
      initContainers = [],
      containers,
      activeDeadlineSeconds,
      terminationGracePeriodSeconds = defaultGraceSeconds
    } = pod.spec
    const stopping = yield* Deferred.make<number>()
    const over = yield* Deferred.make<void>()
    let runs: ContainerRuns | undefined

    const sandbox = Effect.acquireRelease(
      Effect.promise(() => network.addPod()),
      ({ remove }) => Effect.promise(remove)
    )
    /** main containers first, then the sidecars with what is left of the time */
    const terminate = (made: ContainerRuns, graceSeconds: number) =>
      Effect.gen(function* () {
        const deadline = now() + graceSeconds * 1000
        yield* Effect.forEach(containers, (container) => made.stop(container, graceSeconds), {
          concurrency: "unbounded"
        })
        const left = Math.max(leastGraceSeconds, Math.ceil((deadline - now()) / 1000))
        yield* Effect.forEach(initContainers, (container) => made.stop(container, left), { concurrency: "unbounded" })
      })
    const work = Effect.gen(function* () {
      const made = yield* sandbox
      status.address = made.address
      const containerRuns = new ContainerRuns(place, made, logs)
      runs = containerRuns
      yield* push
      const flow = Effect.scoped(
        Effect.zipRight(mounted(place), runContainers(containerRuns, place, made.address, crashBackOffMillis))
      )
      const deadline = activeDeadlineSeconds === undefined ? Effect.never : Effect.sleep(activeDeadlineSeconds * 1000)
      const outcome: Outcome = yield* Effect.raceAll<Effect.Effect<Outcome>>([
        Effect.map(flow, (is) => ({ is })),
        Effect.map(Deferred.await(stopping), (graceSeconds) => ({ is: "stopped", graceSeconds })),
        Effect.as(deadline, { is: "deadline" })
      ])
      yield* terminate(containerRuns, outcome.is === "stopped" ? outcome.graceSeconds : terminationGracePeriodSeconds)
      const succeeded = containers.every((container) => exitCodeOf(status, container) === 0)
      if (outcome.is === "deadline")
        status.end("Failed", "DeadlineExceeded", "Pod was active on the node longer than the specified deadline")
      else status.end(succeeded ? "Succeeded" : "Failed")
      yield* push
    })
    yield* Effect.addFinalizer(() => Effect.suspend(() => runs?.kill() ?? Effect.void))
    yield* Effect.forkScoped(Effect.ensuring(Effect.scoped(work), Deferred.succeed(over, undefined)))
    return {
      pod,
      address: () => status.address,
      process: (container) => runs?.process(container),
      log: (container, previous) => logs.get(container)?.at(previous ? -2 : -1),
      stop: (graceSeconds) => Effect.zipRight(Deferred.succeed(stopping, graceSeconds), Deferred.await(over)),
      volume: (name) => join(folder, "volumes", name),
      discard
    }
  })
