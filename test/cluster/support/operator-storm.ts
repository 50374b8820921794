/**
 * What people and networks do to an operator for a while, drawn by seeded dice: instances and tenants come, go and change, objects are
 * broken by hand, the way to the cluster is cut, throttled and forgets. After each step all that there is must be what a model says.
 */
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { decodeInstance, type Instance } from "../../../domain/operator/custom-resource.ts"
import type { KubeClient } from "../../../infrastructure/kubernetes/client/client.ts"
import type { KubeError } from "../../../infrastructure/kubernetes/client/kube-error.ts"
import { type KubeObject, namespaces, type Resource } from "../../../infrastructure/kubernetes/client/resources.ts"
import { readDefinition } from "../../../infrastructure/kubernetes/manifests/definitions.ts"
import type { ManagedObject, Platform } from "../../../infrastructure/kubernetes/manifests/managed.ts"
import { desiredTenant } from "../../../infrastructure/kubernetes/manifests/tenant.ts"
import { managedKinds } from "../../../infrastructure/kubernetes/operator/kinds.ts"
import { isObject } from "../../../values/json.ts"
import { desiredOf, objectsOf } from "../../support/operator-inputs.ts"
import type { Dice } from "../../support/seeded-dice.ts"

const lane = "launch" as const

/** where the storm rages */
export interface StormPlace {
  readonly platform: Platform
  readonly resources: Resource
  /** of somebody whom nothing disturbs */
  readonly client: KubeClient["Type"]
  /** lets time pass until there is no problem; dies with the last one when there still is after `seconds` */
  readonly until: (
    what: string,
    seconds: number,
    problem: Effect.Effect<string | undefined, KubeError>
  ) => Effect.Effect<void, KubeError>
  /** what can happen to the operator and its way to the cluster, by name */
  readonly troubles: { readonly [name: string]: (dice: Dice) => Effect.Effect<void> }
}

interface Wanted {
  readonly instances: ReadonlyMap<string, KubeObject>
  /** namespaces that carry the label */
  readonly tenants: ReadonlySet<string>
}

const text = readFileSync(new URL("../../../config/providers/evald.yaml", import.meta.url), "utf8")
const offered = readDefinition("provider", text, { namespace: "", configMap: "evald-provider", key: "evald.yaml" })

const specs: ReadonlyArray<object> = [
  { providers: ["evald"], collections: [] },
  { providers: [], collections: [] },
  { providers: ["evald"], collections: [], metrics: { enabled: false } },
  { providers: ["evald"], collections: [], networkPolicy: { enabled: false } },
  { providers: ["evald"], collections: [], tls: { mode: "Disabled" } }
].map((spec) => ({ metrics: null, networkPolicy: null, tls: null, ...spec }))

const withoutNulls = (spec: object): object =>
  Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null))
const database = { type: "sqlite", persistence: { enabled: false } }

/** every member of the one is in the other; lists are as long */
const isIn = (wanted: unknown, found: unknown): boolean => {
  if (Array.isArray(wanted))
    return (
      Array.isArray(found) &&
      wanted.length === found.length &&
      wanted.every((one, position) => isIn(one, (found as ReadonlyArray<unknown>)[position]))
    )
  if (isObject(wanted))
    return isObject(found) && Object.entries(wanted).every(([key, value]) => isIn(value, found[key]))
  return wanted === found
}

/** as it is stored, without what the model does not know: certificates, hashes, and texts that are rendered */
const comparable = ({ kind, metadata: { labels }, ...content }: ManagedObject): unknown =>
  JSON.parse(
    JSON.stringify(
      kind === "ConfigMap" || kind === "Deployment"
        ? { metadata: { labels } }
        : {
            metadata: { labels },
            ...Object.fromEntries(Object.entries(content).filter(([key]) => key !== "apiVersion"))
          }
    )
  )

const identity = (kind: string, { namespace = "", name }: { readonly namespace?: string; readonly name: string }) =>
  `${kind} ${namespace}/${name}`

const modelOf = (platform: Platform, { instances, tenants }: Wanted): ReadonlyMap<string, ManagedObject> => {
  const certificates = { service: "CERTIFICATE" }
  const objects = [...instances.values()].flatMap((stored) => {
    const decoded = decodeInstance(stored)
    if (decoded._tag === "Left") throw new Error(decoded.left.join("; "))
    const instance: Instance = decoded.right
    const definitions = instance.spec.providers.includes("evald") ? [offered] : []
    const own = [...tenants].filter((tenant) => tenant !== instance.namespace)
    return [
      ...objectsOf(desiredOf(instance, { platform, definitions, certificates })),
      ...own.flatMap((tenant) => desiredTenant({ platform, instance, tenant, certificates }).all)
    ]
  })
  return new Map(objects.map((one) => [identity(one.kind, one.metadata), one]))
}

/** one step of a storm at a time, and how often each thing happened so far */
export const storm = (
  place: StormPlace,
  dice: Dice,
  names: { homes: ReadonlyArray<string>; tenants: ReadonlyArray<string> }
) => {
  const { platform, resources, client, until, troubles } = place
  const instances = new Map<string, KubeObject>()
  const tenants = new Set<string>()
  const happened: Record<string, number> = {}
  const label = `${platform.domain}/tenant`
  const ids = names.homes.flatMap((namespace, position) =>
    (position === 0 ? ["evald", "second"] : ["evald"]).map((name) => ({ namespace, name }))
  )
  const kinds = managedKinds.filter(({ plural }) => !["servicemonitors", "routes"].includes(plural))

  const stored = (id: { readonly namespace: string; readonly name: string }) => `${id.namespace}/${id.name}`

  const found = Effect.map(
    Effect.forEach(kinds, (resource) =>
      Effect.map(
        client.list({
          resource,
          lane,
          labelSelector: `app.kubernetes.io/managed-by=evald-operator,${platform.domain}/instance-name`
        }),
        ({ items }) => items.map((object) => [resource, object] as const)
      )
    ),
    (all) => all.flat()
  )
  /** the first thing that is not as it should be */
  const problem = Effect.map(Effect.all([found, client.list({ resource: resources, lane })]), ([all, { items }]) => {
    const leaving = items.find(({ metadata: { namespace = "", name } }) => !instances.has(stored({ namespace, name })))
    if (leaving !== undefined) return `the resource ${leaving.metadata.name} is still there`
    const model = modelOf(platform, { instances, tenants })
    const there = new Map(all.map(([{ kind }, object]) => [identity(kind, object.metadata), object]))
    for (const [name, wanted] of model) {
      const object = there.get(name)
      if (object === undefined) return `${name} is missing`
      if (!isIn(comparable(wanted), object)) return `${name} is ${JSON.stringify(object)}`
    }
    return [...there.keys()].find((name) => !model.has(name))
  })

  const flip = Effect.suspend(() => {
    const name = dice.oneOf(names.tenants)
    const isOn = !tenants.delete(name)
    if (isOn) tenants.add(name)
    return client.mergePatch(
      { resource: namespaces, name, lane },
      { metadata: { labels: { [label]: isOn ? dice.oneOf(["", "true"]) : dice.oneOf(["false", null]) } } }
    )
  })
  const come = Effect.suspend(() => {
    const id = dice.oneOf(ids)
    const spec = dice.oneOf(specs)
    const known = instances.get(stored(id))
    const written =
      known === undefined
        ? client.create(
            { resource: resources, namespace: id.namespace, lane },
            {
              apiVersion: `${resources.group}/${resources.version}`,
              kind: resources.kind,
              metadata: { name: id.name },
              spec: { database, ...withoutNulls(spec) }
            }
          )
        : client.mergePatch({ resource: resources, ...id, lane }, { spec })
    return Effect.map(written, (object) => void instances.set(stored(id), object))
  })
  const go = Effect.suspend(() => {
    const id = dice.oneOf(ids)
    if (!instances.delete(stored(id))) return Effect.void
    return client.remove({ resource: resources, ...id, lane }, { propagation: "Background" })
  })
  const breaking = Effect.flatMap(found, (all) => {
    // a Deployment that goes would take its pods along: nobody does that for fun
    const breakable = all.filter(([{ kind }]) => kind !== "Deployment")
    if (breakable.length === 0) return Effect.void
    const [resource, { metadata }] = dice.oneOf(
      breakable.toSorted(([a, x], [b, y]) => (identity(a.kind, x.metadata) < identity(b.kind, y.metadata) ? -1 : 1))
    )
    const target = {
      resource,
      name: metadata.name,
      lane,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace })
    }
    return dice.oneOf([
      Effect.suspend(() => client.remove(target, { propagation: "Background" })),
      Effect.suspend(() =>
        client.mergePatch(target, { metadata: { labels: { "app.kubernetes.io/part-of": "theirs" } } })
      ),
      Effect.suspend(() =>
        client.mergePatch(target, { metadata: { labels: { "app.kubernetes.io/managed-by": null } } })
      )
    ])
  })
  const acts = { flip, come, go, break: breaking } as const
  const count = (name: string) => {
    happened[name] = (happened[name] ?? 0) + 1
  }

  /** one thing that somebody does, with up to two troubles before and one after it; then all is as the model says */
  const step = Effect.gen(function* () {
    const trouble = Effect.suspend(() => {
      const name = dice.oneOf(Object.keys(troubles))
      count(name)
      return troubles[name]?.(dice) ?? Effect.void
    })
    yield* Effect.repeatN(trouble, dice.between(0, 1))
    const name = dice.oneOf(["flip", "flip", "come", "come", "go", "break", "break"] as const)
    count(name)
    yield* acts[name]
    if (dice.between(0, 1) === 1) yield* trouble
    yield* until(`after ${name}`, 120, problem)
  })
  return { step, happened, problem }
}
