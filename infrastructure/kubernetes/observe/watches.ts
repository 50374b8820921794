/** The watches of Jobs and pods in every scope in use, and the feeds of what happens to its jobs. Reference: cluster-objects.md, "Observing". */
import { Effect, FiberMap, Schedule, type Scope, Stream } from "effect"
import type { ChangeFeed } from "../../../application/ports/change-feed.ts"
import type { KubeClient } from "../client/client.ts"
import { follow, type Notice } from "../client/follow.ts"
import { jobs, pods } from "../client/resources.ts"
import { instanceSelector } from "../unit/identity.ts"
import type { ObserveOptions } from "./observe-options.ts"
import type { WatchedKind } from "./watch-memory.ts"

export interface Watches {
  /** a namespace is in use from now on; nothing happens when it is watched already */
  readonly use: (tenant: string) => Effect.Effect<void>
  readonly close: (scope: string) => Effect.Effect<void>
}

export interface WatchesOptions {
  readonly client: KubeClient["Type"]
  readonly feed: ChangeFeed["Type"]
  readonly options: Pick<ObserveOptions, "instance" | "resyncMillis" | "domain">
  readonly scopeOf: (tenant: string) => string
  readonly tell: (scope: string, kind: WatchedKind, notice: Notice) => Effect.Effect<void>
  /** something happened to a job */
  readonly changed: (jobId: string) => void
}

const resources = { jobs, pods }
const patiently = Schedule.spaced("1 second")

export const makeWatches = ({
  client,
  feed,
  options,
  scopeOf,
  tell,
  changed
}: WatchesOptions): Effect.Effect<Watches, never, Scope.Scope> =>
  Effect.gen(function* () {
    const watches = yield* FiberMap.make<string>()
    const feeds = yield* FiberMap.make<string>()
    const watch = (scope: string, kind: WatchedKind) => {
      const selection = {
        resource: resources[kind],
        lane: "observe",
        labelSelector: instanceSelector(options),
        ...(scope === "" ? {} : { namespace: scope })
      } as const
      const watching = follow({
        client,
        selection,
        resyncMillis: options.resyncMillis,
        tell: (notice) => tell(scope, kind, notice)
      })
      return FiberMap.run(watches, `${scope}/${kind}`, watching, { onlyIfMissing: true })
    }
    const followChanges = (tenant: string) => {
      // what was missed is made up for by the next signal of the same job
      const changes = Stream.runForEach(feed.subscribe({ tenant }, undefined), (change) =>
        change.kind === "missed" ? Effect.void : Effect.sync(() => changed(change.jobId))
      )
      return FiberMap.run(feeds, tenant, Effect.retry(changes, patiently), { onlyIfMissing: true })
    }
    return {
      use: (tenant) => {
        const scope = scopeOf(tenant)
        return Effect.all([watch(scope, "jobs"), watch(scope, "pods"), followChanges(tenant)], { discard: true })
      },
      close: (scope) =>
        Effect.all(
          [
            FiberMap.remove(watches, `${scope}/jobs`),
            FiberMap.remove(watches, `${scope}/pods`),
            FiberMap.remove(feeds, scope)
          ],
          { discard: true }
        )
    }
  })
