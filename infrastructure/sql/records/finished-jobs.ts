/** Finished jobs for retention. Ids begin with the time, so that the search ends at the jobs that are too young. */
import { Effect, Layer } from "effect"
import { FinishedJobs } from "../../../application/ports/stores/finished-jobs.ts"
import { Database } from "../connection/client.ts"

const text = `SELECT tenant, id FROM jobs
  WHERE id < ? AND updated_at < ? AND state NOT IN ('pending', 'running') ORDER BY id LIMIT ?`

/** the smallest id that a job made at this time can have */
const firstIdAt = (time: string): string => {
  const millis = Date.parse(time).toString(16).padStart(12, "0")
  return `${millis.slice(0, 8)}-${millis.slice(8)}`
}

const make = Effect.map(Database, (database) =>
  FinishedJobs.of({
    unchangedSince: (before, limit) =>
      database.read("finishedJobs", (session) =>
        session.query<{ tenant: string; id: string }>(text, [firstIdAt(before), before, limit])
      )
  })
)

export const layer: Layer.Layer<FinishedJobs, never, Database> = Layer.effect(FinishedJobs, make)
