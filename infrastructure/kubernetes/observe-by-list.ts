/**
 * Observing by lists alone: simple, level-triggered, one pair of lists per namespace and round. Every round says everything again that is
 * still true; what was told once is not told twice.
 */
import { Effect, Layer, Queue, Stream } from "effect"
import { Unavailable } from "../../application/errors.ts"
import type { UnitFact, UnitId } from "../../application/ports/runtime.ts"
import { isJsonObject, type JsonObject } from "../../domain/json-object.ts"
import { unitKey } from "../unit/names.ts"
import { KubeClient } from "./client.ts"
import type { ClusterOptions } from "./cluster-options.ts"
import { instanceSelector, unitOfObject } from "./identity.ts"
import type { KubeError } from "./kube-error.ts"
import { Observation } from "./observation.ts"
import { jobs, type KubeObject, pods } from "./resources.ts"

export interface ListOptions extends Pick<ClusterOptions, "domain" | "instance"> {
  /** time between two rounds */
  readonly everyMillis: number
}

const member = (object: JsonObject, name: string): JsonObject => {
  const value = object[name]
  return isJsonObject(value) ? value : {}
}
const list = (object: JsonObject, name: string): ReadonlyArray<JsonObject> => {
  const value = object[name]
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}
const text = (object: JsonObject, name: string): string | undefined => {
  const value = object[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

const ended = (unit: UnitId, at: string, code: string, message: string, exitCode?: unknown): UnitFact => ({
  _tag: "Ended",
  unit,
  at,
  code,
  message,
  logTail: [],
  ...(typeof exitCode === "number" ? { exitCode } : {})
})

const waitingCodes: { readonly [reason: string]: string } = {
  ErrImagePull: "image_pull_failed",
  ImagePullBackOff: "image_pull_failed",
  InvalidImageName: "image_pull_failed",
  CreateContainerConfigError: "container_config_error",
  CreateContainerError: "container_config_error"
}

/** what a pod says about its unit right now */
const podFacts = (unit: UnitId, pod: KubeObject, now: string): ReadonlyArray<UnitFact> => {
  const status = member(pod, "status")
  const adapter = list(status, "containerStatuses").find((container) => container["name"] === "adapter")
  const state = adapter === undefined ? {} : member(adapter, "state")
  const terminated = member(state, "terminated")
  if ("terminated" in state) {
    const at = text(terminated, "finishedAt") ?? now
    return text(terminated, "reason") === "OOMKilled"
      ? [ended(unit, at, "out_of_memory", "The adapter used more memory than its limit.", terminated["exitCode"])]
      : [ended(unit, at, "adapter_exited_without_result", "", terminated["exitCode"])]
  }
  if ("running" in state) return [{ _tag: "Started", unit, at: text(member(state, "running"), "startedAt") ?? now }]
  const phase = text(status, "phase")
  if (phase === "Failed")
    return [
      ended(
        unit,
        now,
        "adapter_failed_to_start",
        `The pod failed before the adapter ran: ${text(status, "message") ?? text(status, "reason") ?? "no reason given"}.`
      )
    ]
  const waiting = member(state, "waiting")
  const code = waitingCodes[text(waiting, "reason") ?? ""]
  if (code !== undefined) return [{ _tag: "Waiting", unit, code, message: text(waiting, "message") ?? text(waiting, "reason") ?? "" }]
  const scheduled = list(status, "conditions").find((condition) => condition["type"] === "PodScheduled" && condition["status"] === "False")
  return scheduled === undefined ? [] : [{ _tag: "Waiting", unit, code: "unschedulable", message: text(scheduled, "message") ?? "The pod has no node yet." }]
}

const jobFacts = (unit: UnitId, job: KubeObject, now: string): ReadonlyArray<UnitFact> => {
  const done = list(member(job, "status"), "conditions").find(
    (condition) => condition["status"] === "True" && (condition["type"] === "Failed" || condition["type"] === "Complete")
  )
  if (done === undefined) return []
  const code = text(done, "reason") === "DeadlineExceeded" ? "deadline_exceeded" : "adapter_exited_without_result"
  return [ended(unit, text(done, "lastTransitionTime") ?? now, code, text(done, "message") ?? "")]
}

const factKey = (fact: UnitFact): string => `${unitKey(fact.unit)}/${fact._tag}/${fact._tag === "Waiting" ? `${fact.code}/${fact.message}` : ""}`

export const layer = (options: ListOptions): Layer.Layer<Observation, never, KubeClient> =>
  Layer.scoped(
    Observation,
    Effect.gen(function* () {
      const client = yield* KubeClient
      const facts = yield* Queue.unbounded<UnitFact>()
      const namespaces = new Set<string>()
      let told = new Set<string>()

      const listOf = (namespace: string, resource: typeof jobs) =>
        Effect.map(client.list({ resource, namespace, lane: "observe", labelSelector: instanceSelector(options) }), ({ items }) =>
          items.flatMap((object) => {
            const unit = unitOfObject(object, options.domain)
            return unit === undefined ? [] : [{ object, unit }]
          })
        )
      /** units with a Job in this namespace; tells what is new about them */
      const look = (namespace: string): Effect.Effect<ReadonlySet<string>, KubeError> =>
        Effect.gen(function* () {
          const now = new Date((yield* Effect.clock).unsafeCurrentTimeMillis()).toISOString()
          const [foundJobs, foundPods] = yield* Effect.all([listOf(namespace, jobs), listOf(namespace, pods)])
          const ofPods = foundPods.flatMap(({ unit, object }) => podFacts(unit, object, now))
          const spoken = new Set(foundPods.map(({ unit }) => unitKey(unit)))
          const ofJobs = foundJobs.flatMap(({ unit, object }) => (spoken.has(unitKey(unit)) ? [] : jobFacts(unit, object, now)))
          const news = [...ofPods, ...ofJobs].filter((fact) => !told.has(factKey(fact)))
          for (const fact of news) told.add(factKey(fact))
          yield* Queue.offerAll(facts, news)
          const known = new Set(foundJobs.map(({ unit }) => unitKey(unit)))
          if (known.size === 0 && spoken.size === 0) namespaces.delete(namespace)
          if (namespaces.size === 0) told = new Set()
          return known
        })
      const round = Effect.forEach(
        namespaces,
        (namespace) => Effect.catchAll(look(namespace), (error) => Effect.logWarning(`namespace ${namespace} can not be observed: ${error.message}`)),
        { discard: true }
      )
      yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.sleep(options.everyMillis), round)))

      return {
        facts: Stream.fromQueue(facts),
        launched: ({ tenant }) => Effect.sync(() => void namespaces.add(tenant)),
        observe: (units) =>
          Effect.gen(function* () {
            const tenants = [...new Set(units.map(({ tenant }) => tenant))]
            const known = yield* Effect.forEach(
              tenants,
              (tenant) =>
                Effect.zipRight(
                  Effect.sync(() => namespaces.add(tenant)),
                  look(tenant)
                ),
              { concurrency: 4 }
            )
            const all = new Set(known.flatMap((keys) => [...keys]))
            return units.map((unit) => ({ unit, status: all.has(unitKey(unit)) ? ("Alive" as const) : ("Gone" as const) }))
          }).pipe(Effect.mapError((cause) => new Unavailable({ peer: "cluster", operation: cause.operation, cause })))
      }
    })
  )
