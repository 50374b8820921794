/**
 * An instance goes: what it has in other namespaces is removed here, because owners do not cross namespaces, and then what lies in its own.
 * Its claim stays when it says so; its certificate goes with the resource, since nobody has the right to delete it.
 */
import { Effect } from "effect"
import type { Instance } from "../../../domain/operator/custom-resource.ts"
import { nextStatus } from "../../../domain/operator/instance-status.ts"
import { steadyMillis } from "../../../values/steady-millis.ts"
import type { KubeError } from "../client/kube-error.ts"
import type { KubeObject, Resource } from "../client/resources.ts"
import type { Outcome } from "../controller/work-queue.ts"
import { fieldManager, finalizerOf, type InstanceId } from "../manifests/managed.ts"
import { urlOf } from "../manifests/server-config.ts"
import { isTenantObject } from "./keys.ts"
import { claims, kindsOutside } from "./kinds.ts"
import { afterError, type Operator, say } from "./operator-context.ts"
import { latestStatus, resourceOf, writeStatus } from "./status-writer.ts"
import { isLeavingNamespace, removeTenant, selectorOf } from "./tenant-removal.ts"

const never = Effect.succeed(false)

/** objects outside of the instance's namespace that the cluster still has, those in namespaces that are about to go left out */
const leftOutside = (operator: Operator, id: InstanceId) =>
  Effect.gen(function* () {
    const { client, options } = operator
    const labelSelector = `app.kubernetes.io/managed-by=${fieldManager},${selectorOf(options.platform, id)}`
    const left: Array<readonly [Resource, KubeObject]> = []
    const leaving = new Map<string, boolean>()
    for (const resource of kindsOutside) {
      const { items } = yield* client.list({ resource, lane: "launch", labelSelector, metadataOnly: true })
      for (const object of items) {
        const { namespace } = object.metadata
        if (namespace === id.namespace) continue
        if (namespace !== undefined && !leaving.has(namespace))
          leaving.set(namespace, yield* isLeavingNamespace(operator, namespace))
        if (namespace === undefined || leaving.get(namespace) !== true) left.push([resource, object])
      }
    }
    return left
  })

/** removes all that lies outside of the instance's own namespace; answers what is still there */
export const removeOutside = (operator: Operator, id: InstanceId) =>
  Effect.gen(function* () {
    const { sight, applier } = operator
    const made = sight.madeFor(id).map(([, object]) => object)
    const tenants = new Set(made.filter(isTenantObject).map(({ metadata }) => metadata.namespace ?? ""))
    for (const tenant of [...tenants].sort())
      if (!(yield* isLeavingNamespace(operator, tenant))) yield* removeTenant(operator, id, tenant, never)
    for (const [resource, object] of sight.madeFor(id))
      if (object.metadata.namespace !== id.namespace && !isTenantObject(object)) yield* applier.remove(resource, object)
    const left = yield* leftOutside(operator, id)
    // the cache may not have known of these; in their namespaces nothing of the instance works any more
    for (const [resource, object] of left) yield* applier.remove(resource, object)
    return left
  })

/**
 * Removes what lies in the instance's own namespace. The collector of garbage would do it as well, but not when the definition of the
 * resource goes with it: it does not know what an owner of an unknown kind was.
 */
const removeInside = ({ sight, applier }: Operator, instance: Instance): Effect.Effect<void, KubeError> =>
  Effect.forEach(
    sight
      .madeFor(instance)
      .filter(
        ([resource, { metadata }]) =>
          metadata.namespace === instance.namespace &&
          metadata.deletionTimestamp === undefined &&
          (resource !== claims || instance.spec.database.persistence?.reclaim === "Delete")
      ),
    ([resource, object]) => applier.remove(resource, object),
    { discard: true }
  )

const blockedMillis = 60_000
const againMillis = 1000

const withoutFinalizer = ({ client, options }: Operator, instance: Instance, version: string) => {
  const { name, namespace, uid, finalizers } = instance
  const left = finalizers.filter((one) => one !== finalizerOf(options.platform))
  return Effect.catchIf(
    client.mergePatch(
      { resource: resourceOf(options.platform), namespace, name, lane: "launch" },
      { metadata: { uid, resourceVersion: version, finalizers: left } }
    ),
    (error) => error.class === "not_found",
    () => Effect.void
  )
}

const sayGoing = (operator: Operator, instance: Instance, now: string) => {
  const { platform, version } = operator.options
  const latest = latestStatus(operator, instance)
  const { tls, replicas, ...previous } = latest
  const status = nextStatus({
    previous: latest,
    generation: instance.generation,
    deleting: true,
    findings: [],
    deployment: undefined,
    tenants: [],
    selector: previous.selector ?? "",
    url: previous.url ?? urlOf(instance, platform),
    activeProviders: previous.activeProviders ?? [],
    activeCollections: previous.activeCollections ?? [],
    tls: tls ?? { mode: platform.defaultTlsMode },
    version,
    now
  })
  return writeStatus(operator, instance, { ...status, replicas: replicas ?? 0 })
}

/** everything goes before the finalizer does; a resource without our finalizer is only waited for */
export const removeInstance = (operator: Operator, instance: Instance, version: string): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const { platform } = operator.options
    if (!instance.finalizers.includes(finalizerOf(platform))) return { _tag: "Done" } as const
    const memory = operator.memoryOf(instance)
    const now = yield* steadyMillis
    memory.removingSince ??= now
    const clock = yield* Effect.clock
    yield* Effect.ignore(sayGoing(operator, instance, new Date(clock.unsafeCurrentTimeMillis()).toISOString()))
    const left = yield* removeOutside(operator, instance)
    const [first] = left
    if (first !== undefined) {
      const { namespace = "", name } = first[1].metadata
      if (now - memory.removingSince >= blockedMillis)
        yield* say(operator, instance, "CleanupBlocked", `${first[0].kind} ${namespace}/${name} is still there`)
      return { _tag: "After", millis: againMillis } as const
    }
    yield* removeInside(operator, instance)
    yield* withoutFinalizer(operator, instance, version)
    operator.forget(instance)
    return { _tag: "Done" } as const
  }).pipe(Effect.catchAll((error: KubeError) => Effect.succeed(afterError(error))))
