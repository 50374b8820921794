/** Further dependencies that readiness reports, such as the tracking server; the database and the runtime are always asked. */
import { Context, type Effect } from "effect"

export interface Dependency {
  readonly name: string
  /** not ready without it; others are only reported */
  readonly required: boolean
  /** fails with a reason for people; no addresses, no driver texts */
  readonly check: Effect.Effect<void, string>
}

export class Dependencies extends Context.Reference<Dependencies>()("evald/interfaces/http/Dependencies", {
  defaultValue: (): ReadonlyArray<Dependency> => []
}) {}
