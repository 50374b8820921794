/**
 * What jobs of a tenant may name to be placed by: hardware profiles of the installation, queues of the tenant. The default knows none: it
 * stands where nothing is placed (local mode). Reference: api.md, "Service routes".
 */
import { Context, Effect } from "effect"

/** names, sorted; absent where they can not be found out */
export interface Offered {
  readonly hardwareProfiles?: ReadonlyArray<string>
  readonly queues?: ReadonlyArray<string>
}

export class Placements extends Context.Reference<Placements>()("evald/application/ports/Placements", {
  defaultValue: (): { readonly offered: (tenant: string) => Effect.Effect<Offered> } => ({
    offered: () => Effect.succeed({})
  })
}) {}
