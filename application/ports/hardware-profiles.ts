/**
 * Hardware profiles of the cluster, looked up by name in the configured namespace. The default knows none: it stands where profiles do
 * not matter (local mode, which never asks). Reference: cluster-objects.md, "Hardware profiles".
 */
import { Context, Effect, type Either } from "effect"
import type { HardwareProfile } from "../../domain/hardware/hardware-profile.ts"
import type { Violation } from "../../domain/violation.ts"
import type { Unavailable } from "../errors.ts"

export class HardwareProfiles extends Context.Reference<HardwareProfiles>()(
  "evald/application/ports/HardwareProfiles",
  {
    defaultValue: (): {
      /** undefined: no such profile; left: it exists and cannot be used (disabled, malformed) */
      readonly find: (
        name: string
      ) => Effect.Effect<Either.Either<HardwareProfile, ReadonlyArray<Violation>> | undefined, Unavailable>
    } => ({ find: () => Effect.sync(() => undefined) })
  }
) {}
