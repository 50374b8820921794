/**
 * Hardware profiles read from the cluster: each when a request names it, never from memory, because administrators change and disable
 * them at any time. Reference: cluster-objects.md, "Hardware profiles", "Resources".
 */
import { Effect, Either, Layer } from "effect"
import { Unavailable } from "../../application/errors.ts"
import { HardwareProfiles } from "../../application/ports/hardware-profiles.ts"
import { profileNotFound, readHardwareProfile } from "../../domain/hardware/hardware-profile.ts"
import type { Path } from "../../domain/path.ts"
import { KubeClient } from "./client/client.ts"
import type { KubeError } from "./client/kube-error.ts"
import type { Resource } from "./client/resources.ts"

export interface HardwareProfilesOptions {
  /** `hardware_profiles.namespace`; absent or empty: no profile can be found, and the answer says why */
  readonly namespace: string | undefined
  /** `api_groups.platform` */
  readonly group: string
  /** `platform_domain` */
  readonly platformDomain: string
}

export const profileKind = (group: string): Resource => ({
  group,
  version: "v1",
  plural: "hardwareprofiles",
  kind: "HardwareProfile"
})

/** where the request names the profile is known to whoever judges the request */
const path: Path = []

export const make = ({
  namespace,
  group,
  platformDomain
}: HardwareProfilesOptions): Effect.Effect<HardwareProfiles["Type"], never, KubeClient> =>
  Effect.map(KubeClient, (client) => {
    const resource = profileKind(group)
    const notFound = (name: string) => Effect.succeed(Either.left([profileNotFound(name, namespace, path)]))
    const failed = (name: string) => (error: KubeError) =>
      error.class === "not_found"
        ? notFound(name)
        : Effect.fail(new Unavailable({ peer: "cluster", operation: `read hardware profile ${name}`, cause: error }))
    return {
      find: (name) =>
        namespace === undefined || namespace === ""
          ? notFound(name)
          : client.get({ resource, namespace, name, lane: "review" }).pipe(
              Effect.map((object) => readHardwareProfile(object, { name, platformDomain, path })),
              Effect.catchAll(failed(name))
            )
    }
  })

export const layer = (options: HardwareProfilesOptions): Layer.Layer<HardwareProfiles, never, KubeClient> =>
  Layer.effect(HardwareProfiles, make(options))
