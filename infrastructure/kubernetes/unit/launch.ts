/**
 * The launch of one unit, from its stored snapshot to three objects in the cluster: secrets are checked, then the Job is created, then
 * what it owns. Idempotent: every step may have happened before, here or in another server. What stands in the way is waited for as long
 * as that can help, and shown meanwhile. Reference: cluster-objects.md, "Launching".
 */

import { Clock, Effect, Ref } from "effect"
import type { LaunchHeld, LaunchRefused, Unit } from "../../../application/ports/runtime.ts"
import type { Backing } from "../../../domain/job/job.ts"
import { refused } from "../../unit/launch-refused.ts"
import { backOffMillis } from "../client/back-off.ts"
import type { KubeClient } from "../client/client.ts"
import type { KubeError } from "../client/kube-error.ts"
import { configMaps, jobs, type KubeObject, secrets } from "../client/resources.ts"
import type { ClusterOptions } from "../cluster-options.ts"
import { backingObjects } from "./backing-objects.ts"
import { checkSecrets } from "./launch-secrets.ts"
import { type NameHeld, type NameTaken, placeObject } from "./place-object.ts"

export interface Launching {
  readonly client: KubeClient["Type"]
  readonly options: ClusterOptions
  /** shows why the benchmark does not start yet */
  readonly waiting: (code: string, message: string) => Effect.Effect<void>
  /** waits without holding a launch slot */
  readonly idle: (millis: number) => Effect.Effect<void>
}

type Problem = KubeError | NameHeld | NameTaken | LaunchRefused

/** the Job: created, or adopted from an earlier try; a launch that was completed before makes no second one */
const placeJob = (
  { client, options }: Launching,
  unit: Unit,
  wanted: Parameters<typeof placeObject>[2]
): Effect.Effect<KubeObject, Problem> => {
  const uid = unit.benchmark.backing?.uid
  if (uid === undefined) return placeObject(client, jobs, wanted, () => true, options)
  const { name } = wanted.metadata
  const lost = refused(
    "runtime_object_lost",
    `The Job '${name}' of the benchmark was deleted before its adapter started. Submit the job again.`
  )
  return client.get({ resource: jobs, namespace: unit.tenant, name, lane: "launch" }).pipe(
    Effect.catchIf(
      (error) => error.class === "not_found",
      () => Effect.fail(lost)
    ),
    Effect.filterOrFail(
      ({ metadata }) => metadata.uid === uid && metadata.deletionTimestamp === undefined,
      () => lost
    )
  )
}

/** one pass over L2 to L5 */
const pass = (launching: Launching, unit: Unit): Effect.Effect<Backing, Problem> =>
  Effect.gen(function* () {
    const { client, options, waiting } = launching
    const modelSecret = yield* checkSecrets(client, unit, options)
    if (modelSecret?.warning !== undefined) yield* waiting("container_config_error", modelSecret.warning)
    const objects = backingObjects(unit, options, modelSecret)
    const hashName = `${options.domain}/spec-hash`
    const job = yield* placeJob(launching, unit, objects.job)
    const adoptedHash = job.metadata.annotations?.[hashName]
    if (adoptedHash !== objects.hash)
      yield* Effect.logInfo(`the Job ${objects.name} was made by another version of the server and is kept as it is`)
    const uid = job.metadata.uid ?? ""
    const { configMap, refSecret } = objects.dependants(uid)
    const isOwned = (found: {
      readonly metadata: { readonly ownerReferences?: ReadonlyArray<{ readonly uid: string }> }
    }) => found.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true
    yield* Effect.all(
      [
        placeObject(client, configMaps, configMap, isOwned, options),
        ...(refSecret === undefined ? [] : [placeObject(client, secrets, refSecret, isOwned, options)])
      ],
      { concurrency: 2, discard: true }
    )
    return { name: objects.name, uid }
  })

const shownAfterMillis = 30_000
const forbiddenPauseMillis = 30_000
const forbiddenPatienceMillis = 600_000

interface Trouble {
  readonly since: number
  readonly forbiddenSince: number | undefined
  readonly failures: number
}

/** waits as the class of the error asks; fails when waiting can not help */
const afterTrouble = (
  launching: Launching,
  error: KubeError,
  trouble: Trouble,
  now: number
): Effect.Effect<void, LaunchRefused> => {
  switch (error.class) {
    case "transient":
    case "credential":
    case "conflict":
    case "expired":
      return Effect.gen(function* () {
        if (now - trouble.since >= shownAfterMillis)
          yield* launching.waiting(
            "launch_failed",
            `The cluster can not be reached or does not answer, and is asked again: ${error.message}`
          )
        yield* launching.idle(yield* backOffMillis(trouble.failures, error))
      })
    case "forbidden": {
      if (error.causes.includes("NamespaceTerminating"))
        return Effect.fail(refused("runtime_object_rejected", error.message))
      if (error.message.includes("exceeded quota"))
        return Effect.zipRight(launching.waiting("unschedulable", error.message), launching.idle(forbiddenPauseMillis))
      if (now - (trouble.forbiddenSince ?? now) >= forbiddenPatienceMillis)
        return Effect.fail(
          refused("launch_failed", `The server may not create what the benchmark needs: ${error.message}`)
        )
      return Effect.zipRight(launching.waiting("launch_failed", error.message), launching.idle(forbiddenPauseMillis))
    }
    case "invalid":
    case "not_found":
      return Effect.fail(refused("runtime_object_rejected", error.message))
  }
}

const isQuota = (error: KubeError): boolean => error.message.includes("exceeded quota")

/** returns once Job, ConfigMap and reference secret exist */
export const launch = (launching: Launching, unit: Unit): Effect.Effect<Backing, LaunchRefused | LaunchHeld> =>
  Effect.gen(function* () {
    const troubles = yield* Ref.make<Trouble | undefined>(undefined)
    const onError = (error: KubeError) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const before = yield* Ref.get(troubles)
        const isForbidden = error.class === "forbidden" && !isQuota(error)
        const trouble: Trouble = {
          since: before?.since ?? now,
          forbiddenSince: isForbidden ? (before?.forbiddenSince ?? now) : undefined,
          failures: before?.failures ?? 0
        }
        yield* Ref.set(troubles, { ...trouble, failures: trouble.failures + 1 })
        yield* afterTrouble(launching, error, trouble, now)
        return undefined
      })
    const attempt = pass(launching, unit).pipe(
      Effect.catchTags({
        KubeError: onError,
        NameTaken: ({ name }) =>
          Effect.fail(refused("runtime_object_rejected", `The name '${name}' is taken by a foreign object.`)),
        NameHeld: ({ name }) =>
          Effect.fail<LaunchHeld>({
            _tag: "LaunchHeld",
            message: `The earlier object '${name}' is still being deleted.`
          })
      })
    )
    for (;;) {
      const launched = yield* attempt
      if (launched !== undefined) return launched
    }
  })
