/**
 * Profiles and queues of the cluster by their names, as they were within the last half minute. What the cluster does not know is none; what
 * may not be read, or not now, is left open. Reference: cluster-objects.md, "Hardware profiles", "Queue".
 */
import { Cache, Effect, Either, Layer, Option } from "effect"
import { Placements } from "../../application/ports/placements.ts"
import { readHardwareProfile } from "../../domain/hardware/hardware-profile.ts"
import { defined } from "../../values/defined.ts"
import { KubeClient } from "./client/client.ts"
import type { KubeError } from "./client/kube-error.ts"
import { type HardwareProfilesOptions, profileKind } from "./hardware-profiles.ts"
import { servedVersion } from "./observe/judge/queue-conditions.ts"

export interface PlacementsOptions extends HardwareProfilesOptions {
  /** `queue.domain` */
  readonly queueDomain: string
}

const freshness = "30 seconds"
const tenants = 1000

/** whoever asks what there is does not wait for a cluster that does not answer */
const patience = "2 seconds"

/** undefined: not known */
const orOpen = (names: Effect.Effect<ReadonlyArray<string>, KubeError>) =>
  names.pipe(
    Effect.catchIf(
      (error) => error.class === "not_found",
      () => Effect.succeed([])
    ),
    Effect.timeout(patience),
    Effect.option,
    Effect.map((found) => Option.getOrUndefined(found)?.toSorted())
  )

export const make = ({
  namespace,
  group,
  platformDomain,
  queueDomain
}: PlacementsOptions): Effect.Effect<Placements["Type"], never, KubeClient> =>
  Effect.gen(function* () {
    const client = yield* KubeClient
    const queuesOf = (tenant: string) =>
      Effect.gen(function* () {
        const version = yield* servedVersion(client, queueDomain)
        if (version === undefined) return []
        const resource = { group: queueDomain, version, plural: "localqueues", kind: "LocalQueue" }
        const { items } = yield* client.list({ resource, namespace: tenant, lane: "review", metadataOnly: true })
        return items.map(({ metadata }) => metadata.name)
      })
    const usable =
      namespace === undefined || namespace === ""
        ? Effect.succeed([])
        : Effect.map(client.list({ resource: profileKind(group), namespace, lane: "review" }), ({ items }) =>
            items.flatMap((object) => {
              const { name } = object.metadata
              return Either.isRight(readHardwareProfile(object, { name, platformDomain, path: [] })) ? [name] : []
            })
          )
    const profiles = yield* Effect.cachedWithTTL(orOpen(usable), freshness)
    const queues = yield* Cache.make({
      capacity: tenants,
      timeToLive: freshness,
      lookup: (tenant: string) => orOpen(queuesOf(tenant))
    })
    return {
      offered: (tenant) =>
        Effect.map(Effect.all([profiles, queues.get(tenant)], { concurrency: 2 }), ([hardwareProfiles, found]) =>
          defined({ hardwareProfiles, queues: found })
        )
    }
  })

export const layer = (options: PlacementsOptions): Layer.Layer<Placements, never, KubeClient> =>
  Layer.effect(Placements, make(options))
