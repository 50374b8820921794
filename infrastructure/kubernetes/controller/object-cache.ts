/**
 * What a controller knows of one kind without asking: all objects that a selector chooses, kept up to date by a list and a watch. Whoever
 * listens is told what changed; a change that was missed is found by the next list.
 */

import { Deferred, Effect, type Scope } from "effect"
import { defined } from "../../../values/defined.ts"
import { steadyMillis } from "../../../values/steady-millis.ts"
import type { KubeClient, Selection } from "../client/client.ts"
import { follow, type Notice } from "../client/follow.ts"
import type { KubeObject } from "../client/resources.ts"
import { type KnownObjects, makeKnownObjects } from "./known-objects.ts"

export interface ObjectCache {
  readonly get: (namespace: string | undefined, name: string) => KubeObject | undefined
  /** in no order; with `namespace` only those there */
  readonly all: (namespace?: string) => ReadonlyArray<KubeObject>
  /** resolves once everything has been listed, or the cluster has refused to */
  readonly synced: Effect.Effect<void>
  /** why nothing can be known: the kind is not installed, or may not be read */
  readonly refusal: () => "forbidden" | "not_found" | undefined
  /** when the cluster was last heard, by the steady clock */
  readonly heardAt: () => number
  /** watches that ended or broke so far */
  readonly restarts: () => number
}

export interface CacheOptions {
  readonly client: KubeClient["Type"]
  readonly selection: Selection
  /** everything is listed again so often */
  readonly resyncMillis?: number
  /** what of an object is kept; default all */
  readonly keep?: (object: KubeObject) => KubeObject
  /** an object is new (no `before`), other than it was, or gone (no `after`) */
  readonly changed: (before: KubeObject | undefined, after: KubeObject | undefined) => void
  /** the kind can be read from now on, or no longer */
  readonly availability?: (refusal: ReturnType<ObjectCache["refusal"]>) => void
}

const keyOf = ({ metadata: { namespace = "", name } }: KubeObject): string => `${namespace}/${name}`
const sameState = (left: KubeObject | undefined, right: KubeObject): boolean =>
  left !== undefined &&
  left.metadata.uid === right.metadata.uid &&
  left.metadata.resourceVersion === right.metadata.resourceVersion

/** a watch of a kind is begun again after a second at the earliest */
const firstPauseMillis = 2000

const identity = (object: KubeObject): KubeObject => object

/** what an object that was seen, or is gone, means for what is known */
const entriesOf = (
  objects: KnownObjects,
  changed: CacheOptions["changed"],
  keep: (object: KubeObject) => KubeObject
) => {
  const put = (object: KubeObject) => {
    const before = objects.get(object.metadata)
    if (sameState(before, object)) return
    const kept = keep(object)
    objects.put(kept)
    // the object that had the name before is gone, whoever watches it
    if (before !== undefined && before.metadata.uid !== kept.metadata.uid) changed(before, undefined)
    changed(before?.metadata.uid === kept.metadata.uid ? before : undefined, kept)
  }
  const drop = ({ metadata }: KubeObject) => {
    const before = objects.get(metadata)
    if (before === undefined) return
    objects.drop(metadata)
    changed(before, undefined)
  }
  return { put, drop }
}

/** follows the kind until the scope closes */
export const makeCache = (options: CacheOptions): Effect.Effect<ObjectCache, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { client, selection, resyncMillis, keep = identity, changed, availability } = options
    const objects = makeKnownObjects()
    const { put, drop } = entriesOf(objects, changed, keep)
    const listed = yield* Deferred.make<void>()
    let refusal: ReturnType<ObjectCache["refusal"]>
    let heardAt = yield* steadyMillis
    let restarts = 0

    const available = (now: typeof refusal) => {
      if (refusal === now) return
      refusal = now
      availability?.(now)
    }
    const take = (notice: Notice) => {
      switch (notice._tag) {
        case "Listed": {
          const found = new Set(notice.objects.map(keyOf))
          for (const object of objects.all()) if (!found.has(keyOf(object))) drop(object)
          for (const object of notice.objects) put(object)
          return available(undefined)
        }
        case "Changed":
          return put(notice.object)
        case "Deleted": {
          // told late: another object has the name by now
          if (objects.get(notice.object.metadata)?.metadata.uid === notice.object.metadata.uid) drop(notice.object)
          return
        }
        case "Refused": {
          // a kind that is gone took its objects with it; what may not be read any more may still be there
          if (notice.why === "not_found") for (const object of objects.all()) drop(object)
          return available(notice.why)
        }
      }
    }
    const tell = (notice: Notice) =>
      Effect.gen(function* () {
        heardAt = yield* steadyMillis
        take(notice)
        if (notice._tag === "Listed" || notice._tag === "Refused") yield* Deferred.succeed(listed, undefined)
      })
    yield* Effect.forkScoped(
      follow({
        client,
        selection,
        firstPauseMillis,
        ...defined({ resyncMillis }),
        tell,
        ended: () => {
          restarts += 1
        }
      })
    )
    return {
      get: (namespace, name) => objects.get({ namespace, name }),
      all: objects.all,
      synced: Deferred.await(listed),
      refusal: () => refusal,
      heardAt: () => heardAt,
      restarts: () => restarts
    }
  })
