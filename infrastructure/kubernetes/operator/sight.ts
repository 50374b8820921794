/** Everything that the operator sees of the cluster without asking: instances, labelled namespaces, what it made, and definitions. */
import { Effect, type Scope } from "effect"
import { resourceNames } from "../../../domain/operator/custom-resource.ts"
import { isTenant, type NamespaceView } from "../../../domain/operator/tenancy.ts"
import type { KubeClient } from "../client/client.ts"
import { configMaps, type KubeObject, namespaces, type Resource } from "../client/resources.ts"
import { makeCache, type ObjectCache } from "../controller/object-cache.ts"
import { fieldManager, type InstanceId, type Platform } from "../manifests/managed.ts"
import { jobServiceAccount } from "../unit/names.ts"
import { instanceOf, isTenantObject, type Key, keyOfObject, sameInstance } from "./keys.ts"
import { managedKinds, routes, serviceMonitors } from "./kinds.ts"

export interface Sight {
  readonly synced: Effect.Effect<void>
  readonly instances: () => ReadonlyArray<KubeObject>
  readonly instance: (id: InstanceId) => KubeObject | undefined
  /** namespaces with the tenant's label, whatever its value */
  readonly labelled: () => ReadonlyArray<KubeObject>
  readonly namespace: (name: string) => KubeObject | undefined
  /** of a kind that the operator makes */
  readonly find: (resource: Resource, namespace: string | undefined, name: string) => KubeObject | undefined
  /** with `namespace` only what lies there */
  readonly madeFor: (id: InstanceId, namespace?: string) => ReadonlyArray<readonly [Resource, KubeObject]>
  /** instances that something was made for, be they there or not */
  readonly owners: () => ReadonlyArray<InstanceId>
  readonly definitionsIn: (namespace: string) => ReadonlyArray<KubeObject>
  readonly apis: () => { readonly serviceMonitor: boolean; readonly route: boolean }
  readonly caches: () => ReadonlyArray<ObjectCache>
}

export interface SightOptions {
  readonly client: KubeClient["Type"]
  readonly platform: Platform
  readonly resyncMillis: number
  readonly enqueue: (key: Key) => void
}

const lane = "observe" as const

/** who owns which field is asked for when it matters; kept for every object it is most of the memory */
const lean = ({ metadata: { managedFields: _, ...metadata }, ...object }: KubeObject): KubeObject => ({
  ...object,
  metadata
})

export const viewOf = ({ metadata }: KubeObject): NamespaceView => ({
  name: metadata.name,
  labels: metadata.labels ?? {},
  deleting: metadata.deletionTimestamp !== undefined
})

const idOf = ({ metadata }: KubeObject): InstanceId => ({ name: metadata.name, namespace: metadata.namespace ?? "" })

/** what of a resource makes a pass worth while: all but its status, which is our own */
const interest = ({ metadata }: KubeObject): string =>
  JSON.stringify([
    metadata.uid,
    metadata.generation,
    metadata.deletionTimestamp,
    metadata.finalizers,
    metadata.labels,
    metadata.annotations
  ])

/** follows all of it until the scope closes; nothing is enqueued by anything but changes */
export const makeSight = (options: SightOptions): Effect.Effect<Sight, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { client, platform, resyncMillis, enqueue } = options
    const { domain, groups, namespace: home } = platform
    const common = { client, resyncMillis, keep: lean }
    const resources: Resource = {
      group: groups.service,
      version: resourceNames.version,
      plural: resourceNames.plural,
      kind: resourceNames.kind
    }
    const instanceCache = yield* makeCache({
      ...common,
      selection: { resource: resources, lane },
      changed: (before, after) => {
        const object = after ?? before
        if (object === undefined) return
        if (before !== undefined && after !== undefined && interest(before) === interest(after)) return
        enqueue({ instance: idOf(object) })
        if (before === undefined || after === undefined)
          for (const rival of rivalsOf(idOf(object))) enqueue({ instance: rival })
      }
    })
    const all = () => instanceCache.all().map(idOf)
    /** who wants the same name for the account of its jobs, and gets it or loses it as this one comes or goes */
    const rivalsOf = (id: InstanceId) =>
      all().filter((other) => !sameInstance(id, other) && jobServiceAccount(other) === jobServiceAccount(id))
    const namespaceCache = yield* makeCache({
      ...common,
      selection: { resource: namespaces, lane, labelSelector: `${domain}/tenant`, metadataOnly: true },
      changed: (before, after) => {
        const name = (after ?? before)?.metadata.name ?? ""
        const is = (object: KubeObject | undefined) => object !== undefined && isTenant(viewOf(object), domain, [])
        for (const instance of all()) {
          if (instance.namespace === name || home === name) enqueue({ instance })
          if (is(before) !== is(after) || after === undefined) enqueue({ instance, tenant: name })
        }
      }
    })
    const definitionCache = yield* makeCache({
      ...common,
      selection: { resource: configMaps, lane, labelSelector: `${domain}/definition in (provider,collection)` },
      changed: (before, after) => {
        const place = (after ?? before)?.metadata.namespace
        for (const instance of all()) {
          const isSystem = place === home || place === instance.namespace
          if (isSystem || namespaceCache.get(undefined, place ?? "") !== undefined) enqueue({ instance })
        }
      }
    })
    const managed = new Map<Resource, ObjectCache>()
    for (const resource of managedKinds)
      managed.set(
        resource,
        yield* makeCache({
          ...common,
          selection: { resource, lane, labelSelector: `app.kubernetes.io/managed-by=${fieldManager}` },
          changed: (before, after) => {
            for (const object of [before, after]) {
              const key = object === undefined ? undefined : keyOfObject(domain, object)
              if (key !== undefined) enqueue(key)
            }
          },
          availability: () => {
            if (resource === serviceMonitors || resource === routes) for (const instance of all()) enqueue({ instance })
          }
        })
      )
    const caches = [instanceCache, namespaceCache, definitionCache, ...managed.values()]
    return sightOf({ caches, instanceCache, namespaceCache, definitionCache, managed, domain })
  })

interface Caches {
  readonly caches: ReadonlyArray<ObjectCache>
  readonly instanceCache: ObjectCache
  readonly namespaceCache: ObjectCache
  readonly definitionCache: ObjectCache
  readonly managed: ReadonlyMap<Resource, ObjectCache>
  readonly domain: string
}

const sightOf = ({ caches, instanceCache, namespaceCache, definitionCache, managed, domain }: Caches): Sight => {
  const cacheOf = ({ group, plural }: Resource) =>
    [...managed].find(([one]) => one.group === group && one.plural === plural)?.[1]
  const made = (namespace?: string) =>
    [...managed].flatMap(([resource, cache]) => cache.all(namespace).map((object) => [resource, object] as const))
  return {
    synced: Effect.forEach(caches, ({ synced }) => synced, { discard: true, concurrency: "unbounded" }),
    instances: () => instanceCache.all(),
    instance: ({ namespace, name }) => instanceCache.get(namespace, name),
    labelled: () => namespaceCache.all(),
    namespace: (name) => namespaceCache.get(undefined, name),
    find: (resource, namespace, name) => cacheOf(resource)?.get(namespace, name),
    madeFor: (id, namespace) => made(namespace).filter(([, object]) => sameInstance(id, instanceOf(domain, object))),
    owners: () => {
      const found = new Map<string, InstanceId>()
      for (const [, object] of made()) {
        const id = instanceOf(domain, object)
        if (id !== undefined && (isTenantObject(object) || object.metadata.namespace !== id.namespace))
          found.set(`${id.namespace}/${id.name}`, id)
      }
      return [...found.values()]
    },
    definitionsIn: (namespace) => definitionCache.all(namespace),
    apis: () => ({
      serviceMonitor: cacheOf(serviceMonitors)?.refusal() === undefined,
      route: cacheOf(routes)?.refusal() === undefined
    }),
    caches: () => caches
  }
}
