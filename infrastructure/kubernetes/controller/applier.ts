/**
 * Makes objects of the cluster as they are desired, by server-side apply, and never touches what belongs to somebody else. An object that
 * is already as desired since the last apply costs no call.
 */

import { Effect } from "effect"
import { defined } from "../../../values/defined.ts"
import { digestOf } from "../../../values/digest.ts"
import { isObject } from "../../../values/json.ts"
import type { KubeClient } from "../client/client.ts"
import { KubeError } from "../client/kube-error.ts"
import { isKubeObject, type KubeObject, pathOf, type Resource } from "../client/resources.ts"

/** an object as it should be: complete in what its maker owns, and nothing else */
export interface DesiredObject {
  readonly resource: Resource
  /** absent: cluster-scoped */
  readonly namespace?: string
  readonly body: KubeObject
}

/** whose an object is */
export type Owner =
  | "ours"
  /** made by the same kind of controller for something else */
  | "other"
  | "foreign"

export interface Ownership {
  /** `desired` is what would be applied to it */
  readonly ownerOf: (found: KubeObject, desired: KubeObject) => Owner
}

export type Applied =
  | { readonly _tag: "Applied"; readonly object: KubeObject }
  /** it is as desired; nothing was sent */
  | { readonly _tag: "Unchanged"; readonly object: KubeObject }
  /** somebody else's, untouched */
  | { readonly _tag: "NotOurs"; readonly owner: "other" | "foreign" }
  /** ours, and about to go: to be made again when it is gone */
  | { readonly _tag: "Leaving" }

export interface ApplierOptions {
  readonly client: KubeClient["Type"]
  readonly fieldManager: string
  readonly ownership: Ownership
  /** what a cache knows; undefined: not known, and the cluster is asked */
  readonly known: (resource: Resource, namespace: string | undefined, name: string) => KubeObject | undefined
  /** a write was made, or refused */
  readonly wrote?: (resource: Resource, outcome: "applied" | "deleted" | KubeError["class"]) => void
}

export interface Applier {
  readonly apply: (desired: DesiredObject) => Effect.Effect<Applied, KubeError>
  /** deletes exactly this object; success when it is gone already, or another has its name */
  readonly remove: (resource: Resource, object: KubeObject) => Effect.Effect<void, KubeError>
  /** applies the status of an object, under the same field manager */
  readonly applyStatus: (desired: DesiredObject) => Effect.Effect<KubeObject, KubeError>
}

const lane = "launch" as const

/** without members that are null or undefined: absent is absent */
const stripped = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(stripped)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined && inner !== null)
      .map(([name, inner]) => [name, stripped(inner)])
  )
}

/** every label and annotation that is desired is there */
const carries = (found: KubeObject, desired: KubeObject): boolean =>
  (["labels", "annotations"] as const).every((member) =>
    Object.entries(desired.metadata[member] ?? {}).every(([name, value]) => found.metadata[member]?.[name] === value)
  )

const managersOf = ({ metadata }: KubeObject): ReadonlyArray<unknown> => metadata.managedFields ?? []
const managerName = (entry: unknown): unknown => (isObject(entry) ? entry["manager"] : undefined)

/** the managed fields of an object hold an apply of this manager */
export const appliedBy = (object: KubeObject, fieldManager: string): boolean =>
  managersOf(object).some(
    (entry) => managerName(entry) === fieldManager && isObject(entry) && entry["operation"] === "Apply"
  )

interface Last {
  readonly digest: string
  readonly uid: string | undefined
  readonly version: string | undefined
  /** of kinds whose status others write, which changes the version but not this */
  readonly generation: number | undefined
}

/** is what a cache shows older than what the cluster answered? Versions of one kind are numbers that grow. */
const isOlder = (version: string | undefined, than: string | undefined): boolean => {
  const [left, right] = [Number(version), Number(than)]
  return Number.isSafeInteger(left) && Number.isSafeInteger(right) && left < right
}

const isUnchanged = (last: Last, found: KubeObject, desired: KubeObject, digest: string): boolean => {
  const { uid, resourceVersion, generation } = found.metadata
  if (last.digest !== digest || last.uid !== uid) return false
  if (resourceVersion === last.version || isOlder(resourceVersion, last.version)) return true
  return generation !== undefined && generation === last.generation && carries(found, desired)
}

const withUid = (body: KubeObject, uid: string | undefined) => ({
  ...body,
  metadata: { ...body.metadata, ...defined({ uid }) }
})

const roleOf = (object: KubeObject): string | undefined => {
  const reference = object["roleRef"]
  return isObject(reference) ? `${String(reference["kind"])}/${String(reference["name"])}` : undefined
}

/** another object has the name by now */
const isSwapped = (error: KubeError): boolean => error.class === "invalid" && /metadata\.uid/.test(error.message)

const asConflict = (error: KubeError): KubeError =>
  isSwapped(error)
    ? new KubeError({
        operation: error.operation,
        class: "conflict",
        status: error.status,
        reason: error.reason,
        causes: error.causes,
        message: error.message
      })
    : error

const patchWith =
  ({ client, fieldManager, wrote }: Pick<ApplierOptions, "client" | "fieldManager" | "wrote">) =>
  (
    { resource, namespace, body }: DesiredObject,
    more: { readonly force: boolean; readonly subresource?: string }
  ): Effect.Effect<KubeObject, KubeError> => {
    const query = new URLSearchParams({ fieldManager, force: String(more.force) })
    const path = pathOf(resource, namespace, body.metadata.name)
    const sent = client.send(
      {
        method: "PATCH",
        path: `${path}${more.subresource === undefined ? "" : `/${more.subresource}`}?${query.toString()}`,
        body: stripped(body),
        contentType: "application/apply-patch+yaml"
      },
      lane
    )
    return sent.pipe(
      Effect.flatMap((answer) =>
        isKubeObject(answer)
          ? Effect.succeed(answer)
          : Effect.fail(
              new KubeError({
                operation: `PATCH ${path}`,
                class: "transient",
                status: 0,
                reason: "",
                causes: [],
                message: "the answer is no Kubernetes object"
              })
            )
      ),
      Effect.mapError(asConflict),
      Effect.tapBoth({
        onSuccess: () => Effect.sync(() => wrote?.(resource, "applied")),
        onFailure: (error) => Effect.sync(() => wrote?.(resource, error.class))
      })
    )
  }

const readWith =
  (client: KubeClient["Type"]) =>
  ({ resource, namespace, body }: DesiredObject) => {
    const { name } = body.metadata
    const target = { resource, name, lane, ...defined({ namespace }) }
    return Effect.catchIf(
      client.get(target),
      (error) => error.class === "not_found",
      () => Effect.succeed(undefined)
    )
  }

export const makeApplier = (options: ApplierOptions): Applier => {
  const { client, fieldManager, ownership, known, wrote } = options
  const patch = patchWith(options)
  const read = readWith(client)
  const lasts = new Map<string, Last>()
  const keyOf = (
    resource: Resource,
    { namespace = "", name }: { readonly namespace?: string; readonly name: string }
  ) => `${resource.group}/${resource.plural}/${namespace}/${name}`
  const keyOfDesired = ({ resource, namespace, body }: DesiredObject) =>
    keyOf(resource, { ...defined({ namespace }), name: body.metadata.name })

  const remove: Applier["remove"] = (resource, { metadata }) => {
    const { name, namespace, uid } = metadata
    const target = { resource, name, lane, ...defined({ namespace }) }
    lasts.delete(keyOf(resource, target))
    return client.remove(target, { propagation: "Background", ...defined({ uid }) }).pipe(
      Effect.catchIf(
        (error) => error.class === "not_found" || error.class === "conflict",
        () => Effect.void
      ),
      Effect.tapBoth({
        onSuccess: () => Effect.sync(() => wrote?.(resource, "deleted")),
        onFailure: (error) => Effect.sync(() => wrote?.(resource, error.class))
      })
    )
  }
  const remember = (desired: DesiredObject, digest: string, object: KubeObject): Applied => {
    const { uid, resourceVersion, generation } = object.metadata
    lasts.set(keyOfDesired(desired), { digest, uid, version: resourceVersion, generation })
    return { _tag: "Applied", object }
  }
  /** there was nothing: what appears meanwhile is somebody else's */
  const make = (desired: DesiredObject, digest: string): Effect.Effect<Applied, KubeError> =>
    Effect.gen(function* () {
      const made = yield* Effect.catchIf(
        patch(desired, { force: false }),
        (error) => error.class === "conflict",
        () => Effect.succeed(undefined)
      )
      if (made === undefined) return { _tag: "NotOurs", owner: "foreign" } as const
      if (managersOf(made).every((entry) => managerName(entry) === fieldManager)) return remember(desired, digest, made)
      // it merged with an object that was there: what was put into it is taken out again
      const { apiVersion, kind, metadata } = desired.body
      const bare = { apiVersion, kind, metadata: { name: metadata.name } } as KubeObject
      yield* patch({ ...desired, body: bare }, { force: false })
      return { _tag: "NotOurs", owner: "foreign" } as const
    })

  const apply: Applier["apply"] = (desired) =>
    Effect.gen(function* () {
      const { resource, namespace, body } = desired
      const digest = digestOf(stripped(body))
      const cached = known(resource, namespace, body.metadata.name)
      const found = cached ?? (yield* read(desired))
      const last = lasts.get(keyOfDesired(desired))
      if (found === undefined) return yield* make(desired, digest)
      const owner = ownership.ownerOf(found, body)
      if (owner !== "ours") return { _tag: "NotOurs", owner } as const
      if (found.metadata.deletionTimestamp !== undefined) return { _tag: "Leaving" } as const
      if (roleOf(found) !== roleOf(body)) {
        // what a binding binds to can not be changed
        yield* remove(resource, found)
        return yield* make(desired, digest)
      }
      if (last !== undefined && isUnchanged(last, found, body, digest))
        return { _tag: "Unchanged", object: found } as const
      const forced = { ...desired, body: withUid(body, found.metadata.uid) }
      return remember(desired, digest, yield* patch(forced, { force: true }))
    })

  return {
    apply,
    remove,
    applyStatus: (desired) => patch(desired, { force: true, subresource: "status" })
  }
}
