/** Removes the backing Jobs of units, and with them everything they own. Returns only when nothing is left. Reference: cluster-objects.md, "Removing". */
import { Clock, Effect } from "effect"
import { Unavailable } from "../../../application/errors.ts"
import { defined } from "../../../values/defined.ts"
import type { KubeClient } from "../client/client.ts"
import type { KubeError } from "../client/kube-error.ts"
import { configMaps, jobs, type KubeObject, pods, type Resource, secrets } from "../client/resources.ts"
import type { ClusterOptions } from "../cluster-options.ts"
import { instanceSelector, isOurs, unitOfObject } from "./identity.ts"
import { backingName, refName, sanitise, specName } from "./names.ts"

export interface Removing {
  readonly client: KubeClient["Type"]
  readonly options: ClusterOptions
}

const pollMillis = 500
const patienceMillis = 30_000
const forbiddenPatienceMillis = 60_000

const unavailable = (error: KubeError): Unavailable =>
  new Unavailable({ peer: "cluster", operation: `${error.operation}: ${error.message}`, cause: error })
const isGone = (error: KubeError): boolean => error.class === "not_found"

const jobSelector = ({ options }: Removing, jobId: string): string =>
  `${instanceSelector(options)},${options.domain}/job-id=${sanitise(jobId)}`

/** deletes the Job, whichever it is, if it is ours; one in deletion is left to finish */
const deleteJob = ({ client, options }: Removing, job: KubeObject): Effect.Effect<void, KubeError> => {
  const { name, namespace, uid, deletionTimestamp } = job.metadata
  if (deletionTimestamp !== undefined || !isOurs(job, options)) return Effect.void
  const target = { resource: jobs, name, lane: "launch" as const, ...defined({ namespace }) }
  const settled = (error: KubeError) => isGone(error) || error.class === "conflict" || error.status === 422
  return Effect.catchIf(
    client.remove(target, { propagation: "Foreground", ...defined({ uid }) }),
    settled,
    () => Effect.void
  )
}

const exists = (
  { client, options }: Removing,
  resource: Resource,
  namespace: string,
  name: string
): Effect.Effect<boolean, KubeError> =>
  Effect.catchIf(
    Effect.map(client.getMetadata({ resource, namespace, name, lane: "launch" }), (found) => isOurs(found, options)),
    isGone,
    () => Effect.succeed(false)
  )

/** polls until it is true; a cluster that takes longer is asked again by the next attempt of the task */
const until = (done: Effect.Effect<boolean, KubeError>, what: string): Effect.Effect<void, KubeError | Unavailable> =>
  Effect.gen(function* () {
    const deadline = (yield* Clock.currentTimeMillis) + patienceMillis
    while (!(yield* done)) {
      if ((yield* Clock.currentTimeMillis) >= deadline)
        return yield* new Unavailable({ peer: "cluster", operation: `wait until ${what} is gone` })
      yield* Clock.sleep(pollMillis)
    }
  })

/** the tenant's rights were taken away: the operator deletes its Jobs, so that there is nothing left to do after a while */
const settledWhenForbidden = <E>(effect: Effect.Effect<void, E | KubeError>): Effect.Effect<void, E | KubeError> =>
  Effect.gen(function* () {
    const deadline = (yield* Clock.currentTimeMillis) + forbiddenPatienceMillis
    const attempt: Effect.Effect<void, E | KubeError> = Effect.catchAll(effect, (error) =>
      Effect.gen(function* () {
        const isForbidden =
          typeof error === "object" && error !== null && "class" in error && error.class === "forbidden"
        if (!isForbidden) return yield* Effect.fail(error)
        if ((yield* Clock.currentTimeMillis) >= deadline)
          return yield* Effect.logWarning("the cluster refuses the removal for good; it is taken as done")
        yield* Clock.sleep(pollMillis * 10)
        return yield* attempt
      })
    )
    return yield* attempt
  })

const orUnavailable = <A>(effect: Effect.Effect<A, KubeError | Unavailable>): Effect.Effect<A, Unavailable> =>
  Effect.mapError(effect, (error) => (error._tag === "KubeError" ? unavailable(error) : error))

interface Wanted {
  readonly tenant: string
  readonly jobId: string
  /** absent: every benchmark of the job */
  readonly index?: number
  /** additionally wait until what the Jobs owned is gone; the names stay reserved so long */
  readonly discard: boolean
  /** a Job under this name is removed even when no list shows it yet */
  readonly attempt?: number
}

/** every Job of the unit or job; `before` runs once for each of them while it still exists */
export const remove = (
  removing: Removing,
  wanted: Wanted,
  before: (job: KubeObject) => Effect.Effect<void>
): Effect.Effect<void, Unavailable> => {
  const { client, options } = removing
  const { tenant, jobId, index } = wanted
  const selector =
    jobSelector(removing, jobId) + (index === undefined ? "" : `,${options.domain}/benchmark-index=${index}`)
  const selection = { namespace: tenant, lane: "launch" as const, labelSelector: selector, metadataOnly: true }
  const concerns = (object: KubeObject) => {
    const unit = unitOfObject(object, options.domain)
    return unit !== undefined && unit.jobId === jobId && (index === undefined || unit.index === index)
  }
  const left = (resource: Resource) =>
    Effect.map(client.list({ ...selection, resource }), ({ items }) => items.filter(concerns))
  const byName =
    index === undefined || wanted.attempt === undefined
      ? Effect.succeed<ReadonlyArray<KubeObject>>([])
      : Effect.catchIf(
          Effect.map(
            client.getMetadata({
              resource: jobs,
              namespace: tenant,
              name: backingName(options.namePrefix, { jobId, index, attempt: wanted.attempt }),
              lane: "launch"
            }),
            (found) => [found]
          ),
          isGone,
          () => Effect.succeed([])
        )
  const found =
    wanted.attempt === undefined
      ? left(jobs)
      : Effect.flatMap(byName, (named) => (named.length > 0 ? Effect.succeed(named) : left(jobs)))
  return orUnavailable(
    settledWhenForbidden(
      Effect.gen(function* () {
        const objects = yield* found
        yield* Effect.forEach(objects, (job) => Effect.zipRight(before(job), deleteJob(removing, job)), {
          concurrency: 4,
          discard: true
        })
        const nothing = Effect.all([left(jobs), left(pods)]).pipe(
          Effect.map(([jobsLeft, podsLeft]) => jobsLeft.length + podsLeft.length === 0)
        )
        yield* until(nothing, `job ${jobId}`)
        if (!wanted.discard) return
        const names = objects.flatMap(({ metadata }) => [
          [configMaps, specName(metadata.name)] as const,
          [secrets, refName(metadata.name)] as const
        ])
        yield* Effect.forEach(
          names,
          ([resource, name]) =>
            until(
              Effect.map(exists(removing, resource, tenant, name), (there) => !there),
              name
            ),
          { concurrency: 4, discard: true }
        )
      })
    )
  )
}

const youngestMillis = 600_000

/**
 * Deletes Jobs of this instance that nobody answers for: older than 600 s and not `wanted`. Other instances are never touched. Answers
 * with those found; with `report` they are only logged.
 */
export const sweep = (
  removing: Removing,
  namespace: string,
  isWanted: (unit: {
    readonly jobId: string
    readonly index: number
    readonly attempt: number
  }) => Effect.Effect<boolean, Unavailable>
): Effect.Effect<ReadonlyArray<string>, Unavailable> => {
  const { client, options } = removing
  if (options.sweep === "off") return Effect.succeed([])
  return Effect.gen(function* () {
    const { items } = yield* orUnavailable(
      client.list({
        resource: jobs,
        namespace,
        lane: "signal",
        labelSelector: instanceSelector(options),
        metadataOnly: true
      })
    )
    const now = yield* Clock.currentTimeMillis
    const old = items.filter(
      ({ metadata }) =>
        now - Date.parse(metadata.creationTimestamp ?? "") > youngestMillis && metadata.deletionTimestamp === undefined
    )
    const unwanted = yield* Effect.filter(old, (job) => {
      const unit = unitOfObject(job, options.domain)
      return unit === undefined ? Effect.succeed(true) : Effect.map(isWanted(unit), (wantedNow) => !wantedNow)
    })
    const act = options.sweep === "delete" ? "is deleted" : "would be deleted"
    yield* Effect.forEach(
      unwanted,
      ({ metadata }) =>
        Effect.logWarning(`the Job ${namespace}/${metadata.name} belongs to no live benchmark and ${act}`),
      {
        discard: true
      }
    )
    if (options.sweep === "delete")
      yield* orUnavailable(Effect.forEach(unwanted, (job) => deleteJob(removing, job), { discard: true }))
    return unwanted.map(({ metadata }) => metadata.name)
  })
}
