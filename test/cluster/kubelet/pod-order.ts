/** The order of a pod: volumes, init containers with the native sidecars between them, then the main containers. */
import { join } from "node:path"
import { Deferred, Effect, Fiber, type Scope } from "effect"
import type { ContainerRuns, PodPlace } from "./container-runs.ts"
import type { Container, Probe } from "./pod.ts"
import { untilGood } from "./probes.ts"
import type { PodStatus } from "./status.ts"
import { materialise } from "./volumes.ts"

const mountRetryMillis = 300
const maxCrashBackOffMillis = 300_000

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === "Always"
export const exitCodeOf = (status: PodStatus, { name }: Container): number | undefined => {
  const { state } = status.of(name)
  return "terminated" in state ? state.terminated.exitCode : undefined
}

/** volumes, in the end: a missing object is told and waited for */
export const mounted = (place: PodPlace): Effect.Effect<void> =>
  materialise(place.pod, join(place.folder, "volumes"), place.api).pipe(
    Effect.catchAll((error) => {
      const why =
        error._tag === "VolumeNotReady"
          ? `MountVolume.SetUp failed for volume "${error.volume}" : ${error.message}`
          : error.message
      return place.api
        .tell(place.pod, "Warning", "FailedMount", why)
        .pipe(Effect.zipRight(Effect.sleep(mountRetryMillis)), Effect.zipRight(Effect.suspend(() => mounted(place))))
    })
  )

/** keeps a native sidecar running until it is interrupted; the deferred is completed when it has started once */
const supervise = (
  runs: ContainerRuns,
  place: PodPlace,
  container: Container,
  address: string,
  started: Deferred.Deferred<void>,
  backOffMillis: number
) =>
  Effect.gen(function* () {
    const { status, api, pod, push } = place
    const healthy = Effect.gen(function* () {
      if (container.startupProbe !== undefined) yield* untilGood(address, container, container.startupProbe)
      status.change(container.name, { started: true })
      if (container.readinessProbe !== undefined)
        yield* untilGood(address, container, { ...container.readinessProbe, failureThreshold: 1_000_000 })
      status.change(container.name, { ready: true })
      yield* push
      yield* Deferred.succeed(started, undefined)
    })
    for (let restarts = 1; ; restarts += 1) {
      if (yield* runs.start(container)) {
        const unhealthy = healthy.pipe(
          Effect.catchAll((problem) =>
            Effect.zipRight(
              api.tell(pod, "Warning", "Unhealthy", `Startup probe failed: ${problem}`),
              runs.stop(container, pod.spec.terminationGracePeriodSeconds ?? 30)
            )
          )
        )
        const probing = yield* Effect.fork(unhealthy)
        yield* runs.ended(container)
        yield* Fiber.interrupt(probing)
      }
      const { state } = status.of(container.name)
      const wait = restarts === 1 ? 0 : Math.min(maxCrashBackOffMillis, backOffMillis * 2 ** (restarts - 2))
      status.change(container.name, {
        restartCount: restarts,
        ...("terminated" in state ? { lastState: { terminated: state.terminated } } : {})
      })
      if (wait > 0) {
        const message = `back-off ${wait / 1000}s restarting failed container=${container.name} pod=${pod.metadata.name}_${pod.metadata.namespace}`
        status.change(container.name, { state: { waiting: { reason: "CrashLoopBackOff", message } } })
        yield* api.tell(pod, "Warning", "BackOff", `Back-off restarting failed container ${container.name}`)
      }
      yield* push
      yield* Effect.sleep(wait)
    }
  })

/** to the end of the last main container */
export const runContainers = (
  runs: ContainerRuns,
  place: PodPlace,
  address: string,
  backOffMillis: number
): Effect.Effect<"done" | "failed", never, Scope.Scope> =>
  Effect.gen(function* () {
    const { pod, status, push } = place
    for (const container of pod.spec.initContainers ?? []) {
      if (isSidecar(container)) {
        const started = yield* Deferred.make<void>()
        yield* Effect.forkScoped(supervise(runs, place, container, address, started, backOffMillis))
        yield* Deferred.await(started)
        continue
      }
      yield* runs.start(container)
      yield* runs.ended(container)
      if (exitCodeOf(status, container) !== 0) return "failed"
      status.change(container.name, { ready: true })
    }
    const mains: Array<Fiber.Fiber<void>> = []
    for (const container of pod.spec.containers) {
      const attempted = yield* Deferred.make<void>()
      const good = (probe: Probe | undefined) =>
        probe === undefined
          ? Effect.void
          : Effect.ignore(untilGood(address, container, { ...probe, failureThreshold: 1_000_000 }))
      const ready = Effect.zipRight(good(container.startupProbe), good(container.readinessProbe))
      const markReady = Effect.zipRight(
        Effect.sync(() => status.change(container.name, { started: true, ready: true })),
        push
      )
      const one = Effect.gen(function* () {
        const isUp = yield* runs.start(container)
        yield* Deferred.succeed(attempted, undefined)
        if (!isUp) return
        const marking = yield* Effect.fork(Effect.zipRight(ready, markReady))
        yield* runs.ended(container)
        yield* Fiber.interrupt(marking)
      })
      const main = yield* Effect.forkScoped(one)
      mains.push(main)
      // containers start in order; one that cannot start yet does not hold up the next for ever
      yield* Effect.timeoutOption(Deferred.await(attempted), 65_000)
    }
    yield* Fiber.joinAll(mains)
    return "done"
  })
