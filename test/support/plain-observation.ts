/** An observation for tests of launching and removing: it tells nothing by itself, and looks for a unit's Job when it is asked. */
import { Effect, Layer, Stream } from "effect"
import { Unavailable } from "../../application/errors.ts"
import { KubeClient } from "../../infrastructure/kubernetes/client/client.ts"
import { jobs } from "../../infrastructure/kubernetes/client/resources.ts"
import type { ClusterOptions } from "../../infrastructure/kubernetes/cluster-options.ts"
import { Observation } from "../../infrastructure/kubernetes/observation.ts"
import { instanceSelector, unitOfObject } from "../../infrastructure/kubernetes/unit/identity.ts"
import { unitKey } from "../../infrastructure/unit/names.ts"

export const plainObservation = (
  options: Pick<ClusterOptions, "domain" | "instance">
): Layer.Layer<Observation, never, KubeClient> =>
  Layer.effect(
    Observation,
    Effect.map(KubeClient, (client) => ({
      facts: Stream.never,
      launched: () => Effect.void,
      observe: (units) =>
        Effect.forEach(new Set(units.map(({ tenant }) => tenant)), (namespace) =>
          client.list({ resource: jobs, namespace, lane: "observe", labelSelector: instanceSelector(options) })
        ).pipe(
          Effect.map((pages) => {
            const found = pages.flatMap(({ items }) =>
              items.flatMap((object) => unitOfObject(object, options.domain) ?? [])
            )
            const alive = new Set(found.map(unitKey))
            return units.map((unit) => ({
              unit,
              status: alive.has(unitKey(unit)) ? ("Alive" as const) : ("Gone" as const)
            }))
          }),
          Effect.mapError((cause) => new Unavailable({ peer: "cluster", operation: cause.operation, cause }))
        )
    }))
  )
