/** Pods by list and watch, for ever: what is there, then every change. */
import { Effect, Ref, Stream } from "effect"
import type { KubeClient } from "../../../infrastructure/kubernetes/client/client.ts"
import { type KubeObject, pods } from "../../../infrastructure/kubernetes/client/resources.ts"

const lane = "observe" as const
const watchSeconds = 120

/** `seen` is called in order, with `gone` for deleted objects; objects that went away between two lists are told as well */
export const followPods = (
  client: KubeClient["Type"],
  fieldSelector: string,
  seen: (pod: KubeObject, gone: boolean) => Effect.Effect<void>
): Effect.Effect<never> =>
  Effect.gen(function* () {
    const known = yield* Ref.make<ReadonlyMap<string, KubeObject>>(new Map())
    const key = ({ metadata }: KubeObject) => metadata.uid ?? ""
    const tell = (pod: KubeObject, gone: boolean) =>
      Effect.zipRight(
        Ref.update(known, (all) => {
          const next = new Map(all)
          if (gone) next.delete(key(pod))
          else next.set(key(pod), pod)
          return next
        }),
        seen(pod, gone)
      )
    const watchFrom = (resourceVersion: string): Effect.Effect<string, unknown> =>
      Effect.map(
        Stream.runFoldEffect(
          client.watch({ resource: pods, lane, fieldSelector }, { resourceVersion, timeoutSeconds: watchSeconds }),
          resourceVersion,
          (version, event) => {
            if (event.type === "UNREADABLE") return Effect.succeed(version)
            if (event.type === "BOOKMARK") return Effect.succeed(event.resourceVersion)
            return Effect.as(
              tell(event.object, event.type === "DELETED"),
              event.object.metadata.resourceVersion ?? version
            )
          }
        ),
        (version) => version
      )
    const round = Effect.gen(function* () {
      const { items, resourceVersion } = yield* client.list({ resource: pods, lane, fieldSelector })
      const now = new Set(items.map(key))
      const before = yield* Ref.get(known)
      yield* Effect.forEach(
        [...before.values()].filter((pod) => !now.has(key(pod))),
        (pod) => tell(pod, true)
      )
      yield* Effect.forEach(items, (pod) => tell(pod, false))
      let version = resourceVersion
      for (;;) version = yield* watchFrom(version)
    })
    return yield* Effect.forever(Effect.zipRight(Effect.ignore(round), Effect.sleep(200)))
  })
