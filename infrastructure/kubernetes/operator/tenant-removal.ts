/**
 * What an instance has in a namespace that is no tenant of it any more goes, in the order that leaves nobody able to start what nobody could
 * stop: Jobs, the rights of the API, Jobs once more, then all the rest.
 */

import { Effect } from "effect"
import { defined } from "../../../values/defined.ts"
import { isObject, listMember } from "../../../values/json.ts"
import type { KubeError } from "../client/kube-error.ts"
import { jobs, type KubeObject, namespaces, type Resource } from "../client/resources.ts"
import { apiAccount, type InstanceId, type Platform } from "../manifests/managed.ts"
import { isTenantObject } from "./keys.ts"
import { roleBindings } from "./kinds.ts"
import type { Operator } from "./operator-context.ts"

export interface Removal {
  /** Jobs that were stopped */
  readonly stopped: number
  /** false: the namespace is a tenant again, and the rest stays */
  readonly complete: boolean
}

const lane = "launch" as const

/** both labels of the instance, as its Jobs carry them too */
export const selectorOf = ({ domain }: Pick<Platform, "domain">, { name, namespace }: InstanceId): string =>
  `${domain}/instance-name=${name},${domain}/instance-namespace=${namespace}`

export const tenantObjects = (
  { sight }: Pick<Operator, "sight">,
  instance: InstanceId,
  tenant: string
): ReadonlyArray<readonly [Resource, KubeObject]> =>
  sight.madeFor(instance, tenant).filter(([, object]) => isTenantObject(object))

const stopJobs = ({ client, options }: Operator, instance: InstanceId, tenant: string) =>
  Effect.gen(function* () {
    const selection = { resource: jobs, namespace: tenant, lane, labelSelector: selectorOf(options.platform, instance) }
    const { items } = yield* client.list({ ...selection, metadataOnly: true })
    const alive = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    yield* Effect.forEach(
      alive,
      ({ metadata: { name, uid } }) =>
        Effect.catchIf(
          client.remove(
            { resource: jobs, namespace: tenant, name, lane },
            { propagation: "Background", ...defined({ uid }) }
          ),
          (error) => error.class === "not_found" || error.class === "conflict",
          () => Effect.void
        ),
      { discard: true }
    )
    return alive.length
  })

/** binds the account of the API: with it the server starts Jobs */
const isApiBinding = (instance: InstanceId, [resource, object]: readonly [Resource, KubeObject]): boolean =>
  resource === roleBindings &&
  listMember(object, "subjects").some(
    (subject) =>
      isObject(subject) && subject["name"] === apiAccount(instance) && subject["namespace"] === instance.namespace
  )

/** bindings before what they bind */
const rankOf = ([resource]: readonly [Resource, KubeObject]): number =>
  ["rolebindings", "roles", "serviceaccounts"].indexOf(resource.plural) + 1 || 9

/** the namespace is about to go, or gone: the cluster removes what is in it */
export const isLeavingNamespace = ({ client }: Operator, name: string): Effect.Effect<boolean, KubeError> =>
  Effect.map(
    Effect.catchIf(
      client.getMetadata({ resource: namespaces, name, lane }),
      (error) => error.class === "not_found",
      () => Effect.succeed(undefined)
    ),
    (found) => found?.metadata.deletionTimestamp !== undefined || found === undefined
  )

/** `stays`: asked before every step; true when the namespace is a tenant after all */
export const removeTenant = (
  operator: Operator,
  instance: InstanceId,
  tenant: string,
  stays: Effect.Effect<boolean, KubeError>
): Effect.Effect<Removal, KubeError> =>
  Effect.gen(function* () {
    const { applier } = operator
    let stopped = 0
    const made = () => tenantObjects(operator, instance, tenant)
    const removeAll = (objects: ReadonlyArray<readonly [Resource, KubeObject]>) =>
      Effect.forEach(
        objects.filter(([, { metadata }]) => metadata.deletionTimestamp === undefined),
        ([resource, object]) => applier.remove(resource, object),
        { discard: true }
      )
    const stop = Effect.map(stopJobs(operator, instance, tenant), (count) => {
      stopped += count
    })
    const steps = [
      stop,
      Effect.suspend(() => removeAll(made().filter((one) => isApiBinding(instance, one)))),
      stop,
      Effect.suspend(() =>
        removeAll(
          made()
            .filter((one) => !isApiBinding(instance, one))
            .sort((left, right) => rankOf(left) - rankOf(right))
        )
      )
    ]
    for (const step of steps) {
      if (yield* stays) return { stopped, complete: false }
      yield* step
    }
    return { stopped, complete: true }
  })
