/**
 * Creates one object under its deterministic name, or finds out what holds the name: our own earlier attempt is adopted, one in deletion
 * is waited for, a foreign one is never touched. Reference: cluster-objects.md, "Launching".
 */
import { Clock, Effect } from "effect"
import { defined } from "../../../values/defined.ts"
import type { KubeClient } from "../client/client.ts"
import type { KubeError } from "../client/kube-error.ts"
import type { KubeObject, Resource } from "../client/resources.ts"
import type { ClusterOptions } from "../cluster-options.ts"
import { isOurs } from "./identity.ts"

/** the name belongs to somebody else */
export interface NameTaken {
  readonly _tag: "NameTaken"
  readonly name: string
}
/** the object that holds the name is being deleted and did not go within the time */
export interface NameHeld {
  readonly _tag: "NameHeld"
  readonly name: string
}

const rounds = 5
const patienceMillis = 60_000
const pollMillis = 1000

type Problem = KubeError | NameTaken | NameHeld

const isClass =
  (name: KubeError["class"]) =>
  (error: Problem): error is KubeError =>
    error._tag === "KubeError" && error.class === name

/** `adopt`: may this object of ours stay in the place of the wanted one? If not it is replaced. */
export const placeObject = (
  client: KubeClient["Type"],
  resource: Resource,
  wanted: KubeObject & { readonly metadata: { readonly namespace?: string } },
  adopt: (found: KubeObject) => boolean,
  options: ClusterOptions
): Effect.Effect<KubeObject, Problem> => {
  const { name, namespace } = wanted.metadata
  const target = { resource, name, lane: "launch" as const, ...defined({ namespace }) }
  const create = client.create(target, wanted)

  const untilGone = (uid: string | undefined, deadline: number): Effect.Effect<void, Problem> =>
    Effect.gen(function* () {
      const found = yield* Effect.catchIf(client.get(target), isClass("not_found"), () => Effect.void)
      if (found === undefined || found.metadata.uid !== uid) return
      if ((yield* Clock.currentTimeMillis) >= deadline) return yield* Effect.fail<NameHeld>({ _tag: "NameHeld", name })
      yield* Clock.sleep(pollMillis)
      return yield* untilGone(uid, deadline)
    })

  const settle = (round: number, conflict: KubeError): Effect.Effect<KubeObject, Problem> =>
    Effect.gen(function* () {
      if (round >= rounds) return yield* conflict
      const found = yield* Effect.catchIf(client.get(target), isClass("not_found"), () => Effect.void)
      if (found === undefined) return yield* attempt(round + 1)
      if (!isOurs(found, options)) return yield* Effect.fail<NameTaken>({ _tag: "NameTaken", name })
      const { uid, deletionTimestamp } = found.metadata
      if (deletionTimestamp === undefined && adopt(found)) return found
      if (deletionTimestamp === undefined) {
        const gone = (error: KubeError) =>
          error.class === "not_found" || error.class === "conflict" || error.status === 422
        yield* Effect.catchIf(
          client.remove(target, { propagation: "Background", ...defined({ uid }) }),
          gone,
          () => Effect.void
        )
      }
      yield* untilGone(uid, (yield* Clock.currentTimeMillis) + patienceMillis)
      return yield* attempt(round + 1)
    })
  const attempt = (round: number): Effect.Effect<KubeObject, Problem> =>
    Effect.catchIf(create, isClass("conflict"), (conflict) => settle(round, conflict))
  return attempt(1)
}
