/** How much is kept of each tenant, for its limit. */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../../errors.ts"

export class StoredBytes extends Context.Tag("evald/application/ports/StoredBytes")<
  StoredBytes,
  {
    /**
     * Bytes of each tenant's jobs with their results, samples and captured logs, as they lie in the database; a tenant without jobs is absent. Reads
     * something of every job, in short steps: for a worker, not for a request.
     */
    readonly measure: Effect.Effect<ReadonlyMap<string, number>, Unavailable>
  }
>() {}
