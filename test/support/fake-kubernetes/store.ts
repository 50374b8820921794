/**
 * The objects of a fake cluster with what its controllers guarantee: versions, uids, preconditions, ownership, Foreground deletion, and a
 * history that watches read. Everything happens at once; `holdCollection` and `holdPods` stretch what takes time in a real cluster.
 */
import { isDeepStrictEqual } from "node:util"
import type { KubeObject, OwnerReference } from "../../../infrastructure/kubernetes/client/resources.ts"
import { apiVersionOf, type Kind, namespaceKind } from "./kinds.ts"
import { alreadyExists, conflict, notFound, pluralOf, Refusal } from "./status.ts"
import { checkChange, checkMeta } from "./validation.ts"

export type ChangeType = "ADDED" | "MODIFIED" | "DELETED"

export interface Change {
  readonly version: number
  readonly type: ChangeType
  readonly kind: Kind
  readonly object: KubeObject
  /** what it was before */
  readonly previous?: KubeObject
}

export interface Deletion {
  readonly uid?: string
  readonly resourceVersion?: string
  readonly propagation?: string
}

interface Entry {
  readonly kind: Kind
  object: KubeObject
}

const foreground = "foregroundDeletion"

const keyOf = (kind: Kind, namespace: string | undefined, name: string) =>
  `${kind.group}/${kind.plural}/${namespace ?? ""}/${name}`
const blocks = (reference: OwnerReference): boolean =>
  "blockOwnerDeletion" in reference && reference.blockOwnerDeletion === true

/** RFC 7396 */
export const merged = (target: unknown, patch: unknown): unknown => {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch
  const result: Record<string, unknown> =
    typeof target === "object" && target !== null && !Array.isArray(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name]
    else result[name] = merged(result[name], value)
  }
  return result
}

/** one more when anything but metadata and status changed */
const generationOf = ({ generation: counts }: Kind, before: KubeObject, after: KubeObject) => {
  if (counts !== true) return {}
  const { metadata, status: _, ...was } = before
  const { metadata: __, status: ___, ...is } = after
  const { generation = 1 } = metadata
  return { generation: isDeepStrictEqual(was, is) ? generation : generation + 1 }
}

export interface FakeStore {
  readonly version: () => number
  /** are the objects of this version still known? */
  readonly remembers: (version: number) => boolean
  /** changes after this version; undefined: too old, the history was compacted */
  readonly since: (version: number) => ReadonlyArray<Change> | undefined
  readonly onChange: (listener: (change: Change) => void) => () => void
  readonly all: (kind: Kind, namespace: string | undefined) => ReadonlyArray<KubeObject>
  readonly get: (kind: Kind, namespace: string | undefined, name: string) => KubeObject
  readonly create: (kind: Kind, namespace: string | undefined, object: KubeObject) => KubeObject
  /** replaces what `change` answers, under the preconditions that the new object names */
  readonly update: (
    kind: Kind,
    namespace: string | undefined,
    name: string,
    change: (object: KubeObject) => KubeObject
  ) => KubeObject
  readonly remove: (kind: Kind, namespace: string | undefined, name: string, deletion?: Deletion) => KubeObject
  /** forgets the history: older watches get 410 */
  readonly compact: () => void
  readonly holdCollection: (hold: boolean) => void
  /** pods that are deleted stay, with a deletionTimestamp, until they are finished */
  readonly holdPods: (hold: boolean) => void
}

export const makeStore = (now: () => string): FakeStore => {
  const entries = new Map<string, Entry>()
  const entriesOfKind = new Map<string, Set<Entry>>()
  const uidsThere = new Set<string>()
  const listeners = new Set<(change: Change) => void>()
  let history: Array<Change> = []
  let version = 1000
  let compactedTo = version
  let uids = 0
  let collectionHeld = false
  let podsHeld = false
  let collecting = false
  /** may there be something to collect? Looking at every object after every change would be most of a test's time */
  let garbage = false

  const untold: Array<Change> = []
  let telling = false
  /** listeners may change things in turn; everybody hears all changes in their order */
  const tell = (type: ChangeType, kind: Kind, object: KubeObject, previous?: KubeObject) => {
    const change = { version, type, kind, object, ...(previous === undefined ? {} : { previous }) }
    history.push(change)
    untold.push(change)
    if (telling) return
    telling = true
    try {
      for (let next = untold.shift(); next !== undefined; next = untold.shift())
        for (const listener of listeners) listener(next)
    } finally {
      telling = false
    }
  }
  const stamped = (object: KubeObject): KubeObject => {
    version += 1
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } }
  }
  const entryOf = (kind: Kind, namespace: string | undefined, name: string): Entry => {
    const entry = entries.get(keyOf(kind, namespace, name))
    if (entry === undefined) throw notFound(kind, name)
    return entry
  }
  const ofKind = ({ group, plural }: Kind): Set<Entry> => {
    const key = `${group}/${plural}`
    const found = entriesOfKind.get(key) ?? new Set()
    entriesOfKind.set(key, found)
    return found
  }
  const isGone = ({ uid }: OwnerReference) => !uidsThere.has(uid)
  const lookAt = ({ metadata: { finalizers = [], deletionTimestamp, ownerReferences = [] } }: KubeObject) => {
    garbage ||= finalizers.length > 0 || deletionTimestamp !== undefined || ownerReferences.some(isGone)
  }
  const put = (entry: Entry, object: KubeObject) => {
    const previous = entry.object
    lookAt(object)
    garbage ||= previous.metadata.ownerReferences?.length !== object.metadata.ownerReferences?.length
    entry.object = stamped(object)
    tell("MODIFIED", entry.kind, entry.object, previous)
  }
  const drop = (key: string, entry: Entry) => {
    const { kind, object } = entry
    entries.delete(key)
    ofKind(kind).delete(entry)
    uidsThere.delete(object.metadata.uid ?? "")
    garbage = true
    tell("DELETED", kind, stamped(object))
  }
  const owns = (owner: KubeObject) => (reference: OwnerReference) => reference.uid === owner.metadata.uid
  const dependants = (owner: KubeObject) =>
    [...entries].filter(([, { object }]) => object.metadata.ownerReferences?.some(owns(owner)) === true)
  const blocking = (owner: KubeObject) =>
    dependants(owner).filter(
      ([, { object }]) => object.metadata.ownerReferences?.some((one) => owns(owner)(one) && blocks(one)) === true
    )
  const contentsOf = (namespace: string) =>
    [...entries].filter(([, { object }]) => object.metadata.namespace === namespace)

  const destroy = (key: string, entry: Entry) => {
    const { metadata } = entry.object
    const stays = (metadata.finalizers ?? []).length > 0 || (podsHeld && entry.kind.plural === "pods")
    if (!stays) drop(key, entry)
    else if (metadata.deletionTimestamp === undefined)
      put(entry, { ...entry.object, metadata: { ...metadata, deletionTimestamp: now() } })
  }
  const collectOnce = (): boolean => {
    for (const [key, entry] of entries) {
      const { metadata } = entry.object
      if (metadata.finalizers?.includes(foreground) === true) {
        // the others go once their owner is gone
        const left = blocking(entry.object)
        const open = left.filter(([, { object }]) => object.metadata.deletionTimestamp === undefined)
        for (const [dependantKey, dependant] of open) destroy(dependantKey, dependant)
        if (open.length > 0) return true
        if (left.length > 0) continue
        const finalizers = metadata.finalizers.filter((name) => name !== foreground)
        entry.object = { ...entry.object, metadata: { ...metadata, finalizers } }
        destroy(key, entry)
        return true
      }
      const isEmptied =
        entry.kind.plural === "namespaces" &&
        metadata.deletionTimestamp !== undefined &&
        contentsOf(metadata.name).length === 0
      if (isEmptied) {
        drop(key, entry)
        return true
      }
      const owners = metadata.ownerReferences ?? []
      const isOrphan = owners.length > 0 && owners.every(isGone)
      if (isOrphan && metadata.deletionTimestamp === undefined) {
        destroy(key, entry)
        return true
      }
    }
    return false
  }
  const collect = () => {
    if (collectionHeld || collecting || !garbage) return
    collecting = true
    try {
      while (collectOnce());
      garbage = false
    } finally {
      collecting = false
    }
  }
  const checkNamespace = (kind: Kind, namespace: string | undefined, name: string) => {
    if (!kind.namespaced) return
    const found = entries.get(`/namespaces//${namespace ?? ""}`)
    if (found === undefined) throw notFound(namespaceKind, namespace ?? "")
    if (found.object.metadata.deletionTimestamp !== undefined)
      throw new Refusal({
        status: 403,
        reason: "Forbidden",
        message: `${pluralOf(kind)} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
        causes: [
          {
            reason: "NamespaceTerminating",
            message: `namespace ${namespace} is being terminated`,
            field: "metadata.namespace"
          }
        ],
        about: { name, kind: kind.plural }
      })
  }

  return {
    version: () => version,
    remembers: (from) => from >= compactedTo,
    since: (from) =>
      from < compactedTo ? undefined : history.slice(history.findLastIndex((change) => change.version <= from) + 1),
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    all: (kind, namespace) =>
      [...ofKind(kind)]
        .filter(({ object }) => namespace === undefined || object.metadata.namespace === namespace)
        .map(({ object }) => object),
    get: (kind, namespace, name) => entryOf(kind, namespace, name).object,
    create: (kind, namespace, given) => {
      const { name } = given.metadata
      checkNamespace(kind, namespace, name)
      checkMeta(kind, given)
      const key = keyOf(kind, namespace, name)
      if (entries.has(key)) throw alreadyExists(kind, name)
      uids += 1
      const uid = `00000000-0000-4000-8000-${String(uids).padStart(12, "0")}`
      const metadata = {
        ...given.metadata,
        ...(namespace === undefined ? {} : { namespace }),
        uid,
        creationTimestamp: now(),
        ...(kind.generation === true ? { generation: 1 } : {})
      }
      const object = stamped({ apiVersion: apiVersionOf(kind), kind: kind.kind, ...given, metadata })
      const entry = { kind, object }
      entries.set(key, entry)
      ofKind(kind).add(entry)
      uidsThere.add(uid)
      lookAt(object)
      tell("ADDED", kind, object)
      collect()
      return object
    },
    update: (kind, namespace, name, change) => {
      const key = keyOf(kind, namespace, name)
      const entry = entryOf(kind, namespace, name)
      const { metadata } = entry.object
      const next = change(entry.object)
      if (next.metadata.resourceVersion !== undefined && next.metadata.resourceVersion !== metadata.resourceVersion)
        throw conflict(
          kind,
          name,
          "the object has been modified; please apply your changes to the latest version and try again"
        )
      checkChange(kind, entry.object, next)
      const { resourceVersion: _, ...kept } = next.metadata
      const { resourceVersion: __, ...was } = metadata
      const { uid } = metadata
      const isSame = isDeepStrictEqual(
        { ...next, metadata: { ...kept, name, ...(uid === undefined ? {} : { uid }) } },
        { ...entry.object, metadata: was }
      )
      if (isSame) return entry.object
      put(entry, {
        ...next,
        metadata: {
          ...next.metadata,
          name,
          ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
          ...generationOf(kind, entry.object, next)
        }
      })
      if (
        entry.object.metadata.deletionTimestamp !== undefined &&
        (entry.object.metadata.finalizers ?? []).length === 0 &&
        !(podsHeld && kind.plural === "pods")
      )
        drop(key, entry)
      collect()
      return entry.object
    },
    remove: (kind, namespace, name, deletion = {}) => {
      const key = keyOf(kind, namespace, name)
      const entry = entryOf(kind, namespace, name)
      const { metadata } = entry.object
      if (deletion.uid !== undefined && deletion.uid !== metadata.uid)
        throw conflict(
          kind,
          name,
          `the UID in the precondition (${deletion.uid}) does not match the UID in record (${metadata.uid}).`
        )
      if (deletion.resourceVersion !== undefined && deletion.resourceVersion !== metadata.resourceVersion)
        throw conflict(
          kind,
          name,
          `the ResourceVersion in the precondition (${deletion.resourceVersion}) does not match the one in record.`
        )
      if (deletion.propagation === "Orphan")
        for (const [, dependant] of dependants(entry.object)) {
          const { ownerReferences = [], ...others } = dependant.object.metadata
          const left = ownerReferences.filter((reference) => !owns(entry.object)(reference))
          put(dependant, {
            ...dependant.object,
            metadata: { ...others, ...(left.length === 0 ? {} : { ownerReferences: left }) }
          })
        }
      if (kind.plural === "namespaces") {
        if (metadata.deletionTimestamp === undefined)
          put(entry, {
            ...entry.object,
            metadata: { ...metadata, deletionTimestamp: now() },
            status: { phase: "Terminating" }
          })
      } else if (deletion.propagation === "Foreground" && metadata.finalizers?.includes(foreground) !== true) {
        const deletionTimestamp = metadata.deletionTimestamp ?? now()
        put(entry, {
          ...entry.object,
          metadata: { ...metadata, deletionTimestamp, finalizers: [...(metadata.finalizers ?? []), foreground] }
        })
      } else if (deletion.propagation !== "Foreground") {
        if (entry.kind.plural === "pods" && metadata.deletionTimestamp !== undefined) drop(key, entry)
        else destroy(key, entry)
      }
      if (kind.plural === "namespaces") for (const [inner, content] of contentsOf(name)) destroy(inner, content)
      const last = entry.object
      collect()
      return last
    },
    compact: () => {
      history = []
      compactedTo = version
    },
    holdCollection: (hold) => {
      collectionHeld = hold
      collect()
    },
    holdPods: (hold) => {
      podsHeld = hold
    }
  }
}
