/** Binds pods of the namespaces it was given to the one node there is. */
import { Effect, type Scope } from "effect"
import type { KubeClient } from "../../../infrastructure/kubernetes/client/client.ts"
import { pathOf, pods } from "../../../infrastructure/kubernetes/client/resources.ts"
import { followPods } from "./followed.ts"

export interface Scheduler {
  /** pods of this namespace run from now on; those that wait are bound, too */
  readonly take: (namespace: string) => Effect.Effect<void>
}

export const startScheduler = (
  client: KubeClient["Type"],
  node: string
): Effect.Effect<Scheduler, never, Scope.Scope> =>
  Effect.gen(function* () {
    const taken = new Set<string>()
    const bind = (namespace: string, name: string) =>
      Effect.ignore(
        client.send(
          {
            method: "POST",
            path: `${pathOf(pods, namespace, name)}/binding`,
            body: {
              apiVersion: "v1",
              kind: "Binding",
              metadata: { name },
              target: { apiVersion: "v1", kind: "Node", name: node }
            }
          },
          "launch"
        )
      )
    yield* Effect.forkScoped(
      followPods(client, "spec.nodeName=", ({ metadata: { namespace = "", name, deletionTimestamp } }, gone) =>
        gone || deletionTimestamp !== undefined || !taken.has(namespace)
          ? Effect.void
          : Effect.asVoid(Effect.forkDaemon(bind(namespace, name)))
      )
    )
    return {
      take: (namespace) =>
        Effect.gen(function* () {
          taken.add(namespace)
          const { items } = yield* client.list({
            resource: pods,
            namespace,
            lane: "launch",
            fieldSelector: "spec.nodeName="
          })
          yield* Effect.forEach(items, ({ metadata }) => bind(namespace, metadata.name))
        }).pipe(Effect.ignore)
    }
  })
