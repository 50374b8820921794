/**
 * The runtime port for Kubernetes: every unit is one Job with what it owns. Nothing that matters is remembered here; names are
 * deterministic, and what exists is asked of the cluster. Reference: cluster-objects.md, "Job and pod", "Observing".
 */
import { Deferred, Effect, Layer, Queue, Stream } from "effect"
import { Unavailable } from "../../application/errors.ts"
import { Runtime, type Unit, type UnitFact, type UnitId } from "../../application/ports/runtime.ts"
import { UnitRecords } from "../../application/ports/stores/unit-records.ts"
import { shown, violation } from "../../domain/violation.ts"
import { unitKey } from "../unit/names.ts"
import { KubeClient } from "./client/client.ts"
import type { ClusterOptions } from "./cluster-options.ts"
import { Observation } from "./observation.ts"
import { makeLogCapture } from "./observe/log-capture.ts"
import { unitOfObject } from "./unit/identity.ts"
import { launch } from "./unit/launch.ts"
import { backingName } from "./unit/names.ts"
import { remove } from "./unit/remove.ts"

/** launches that wait for quota, rights or a secret hold no slot; beyond so many of them no more are begun */
const mostIdle = 256

const check: Runtime["Type"]["check"] = (benchmarks) =>
  Effect.succeed(
    benchmarks.flatMap(({ index, entry, snapshot }) =>
      snapshot.runtime.k8s?.image === undefined
        ? [
            violation(
              ["benchmarks", index],
              `provider ${shown(entry.providerId)} can not run in a cluster: give it runtime.k8s.image`
            )
          ]
        : []
    )
  )

interface InProgress {
  readonly unit: UnitId
  readonly cancelled: Deferred.Deferred<void>
}

interface Launches {
  /** holds a slot while the work goes on; ends at once when it is cancelled */
  readonly run: <A, E>(unit: Unit, work: Effect.Effect<A, E>) => Effect.Effect<A | undefined, E>
  /** sleeps without a slot */
  readonly waitIdle: (millis: number) => Effect.Effect<void>
  /** a launch of this server that still waits must not create what is being removed */
  readonly cancel: (concerns: (unit: UnitId) => boolean) => Effect.Effect<void>
  readonly has: (unit: UnitId) => boolean
  readonly freeSlots: () => number
  readonly awaitSlot: Effect.Effect<void>
}

/** the launches under way in this server, at most so many at once */
const makeLaunches = (concurrency: number): Effect.Effect<Launches> =>
  Effect.gen(function* () {
    const slotFreed = yield* Queue.sliding<void>(1)
    const launching = new Map<string, InProgress>()
    let busy = 0
    let idle = 0
    const freed = Queue.offer(slotFreed, undefined)
    const count = (busyBy: number, idleBy: number) =>
      Effect.zipRight(
        Effect.sync(() => {
          busy += busyBy
          idle += idleBy
        }),
        busyBy < 0 || idleBy < 0 ? freed : Effect.void
      )
    return {
      run: (unit, work) =>
        Effect.flatMap(Deferred.make<void>(), (cancelled) => {
          const begin = Effect.sync(() => void launching.set(unitKey(unit), { unit, cancelled }))
          const end = Effect.sync(() => void launching.delete(unitKey(unit)))
          return Effect.acquireUseRelease(
            Effect.zipRight(count(1, 0), begin),
            () => Effect.raceFirst(work, Effect.as(Deferred.await(cancelled), undefined)),
            () => Effect.zipRight(end, count(-1, 0))
          )
        }),
      waitIdle: (millis) =>
        Effect.acquireUseRelease(
          count(-1, 1),
          () => Effect.sleep(millis),
          () => count(1, -1)
        ),
      cancel: (concerns) =>
        Effect.forEach(
          [...launching.values()].filter(({ unit }) => concerns(unit)),
          ({ cancelled }) => Deferred.succeed(cancelled, undefined),
          { discard: true }
        ),
      has: (unit) => launching.has(unitKey(unit)),
      freeSlots: () => (idle >= mostIdle ? 0 : Math.max(0, concurrency - busy)),
      awaitSlot: Queue.take(slotFreed)
    }
  })

const make = (options: ClusterOptions): Effect.Effect<Runtime["Type"], never, KubeClient | Observation | UnitRecords> =>
  Effect.gen(function* () {
    const client = yield* KubeClient
    const observation = yield* Observation
    const logs = makeLogCapture(client, yield* UnitRecords, options)
    const waitingFacts = yield* Queue.unbounded<UnitFact>()
    const launches = yield* makeLaunches(options.launchConcurrency)

    const launchUnit = (unit: Unit) => {
      const waiting = (code: string, message: string) =>
        Effect.asVoid(Queue.offer(waitingFacts, { _tag: "Waiting", unit, code, message }))
      return launches.run(
        unit,
        Effect.zipLeft(launch({ client, options, waiting, idle: launches.waitIdle }, unit), observation.launched(unit))
      )
    }
    const stop = (
      wanted: Parameters<typeof remove>[1],
      concerns: (unit: UnitId) => boolean
    ): Effect.Effect<void, Unavailable> =>
      Effect.gen(function* () {
        yield* launches.cancel(concerns)
        yield* remove({ client, options }, wanted, (job) => {
          const unit = unitOfObject(job, options.domain)
          return wanted.discard || unit === undefined ? Effect.void : logs.capture(unit)
        })
        if (wanted.discard) yield* logs.discard(wanted.jobId, wanted.index)
      })

    return {
      kind: "cluster" as const,
      check,
      freeSlots: Effect.sync(launches.freeSlots),
      awaitSlot: launches.awaitSlot,
      backingName: (unit) => backingName(options.namePrefix, unit),
      launch: launchUnit,
      stop: ({ tenant, jobId, index, attempt }, { discard }) =>
        stop({ tenant, jobId, index, attempt, discard }, (unit) => unit.jobId === jobId && unit.index === index),
      stopJob: ({ tenant, jobId }, { discard }) => stop({ tenant, jobId, discard }, (unit) => unit.jobId === jobId),
      facts: Stream.merge(Stream.fromQueue(waitingFacts), observation.facts),
      observe: (units) =>
        Effect.map(observation.observe(units), (seen) =>
          seen.map((one) =>
            one.status === "Gone" && launches.has(one.unit) ? { ...one, status: "Queued" as const } : one
          )
        ),
      logs: logs.read,
      ping: client.send({ method: "GET", path: "/version" }, "review").pipe(
        Effect.mapBoth({
          onSuccess: () => undefined,
          onFailure: (cause) => new Unavailable({ peer: "cluster", operation: cause.message, cause })
        })
      )
    }
  })

export const layer = (options: ClusterOptions): Layer.Layer<Runtime, never, KubeClient | Observation | UnitRecords> =>
  Layer.effect(Runtime, make(options))
