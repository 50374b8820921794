/** Figures of the store, from totals that are kept and from the index of live jobs: neither grows with what is finished. */
import { Effect, Layer } from "effect"
import { StoreStatistics } from "../../application/ports/stores/store-statistics.ts"
import type { JobState } from "../../domain/job/job.ts"
import { Activity } from "./connection/activity.ts"
import { Database } from "./connection/client.ts"
import type { Session } from "./connection/session.ts"

type Count = number | string | null

const stored = (session: Session) =>
  Effect.gen(function* () {
    const jobs = yield* session.query<{ state: JobState; jobs: Count }>(
      "SELECT state, sum(jobs) AS jobs FROM job_counts GROUP BY state ORDER BY state",
      []
    )
    const [live] = yield* session.query<{ pending: Count; running: Count }>(
      "SELECT sum(pending) AS pending, sum(running) AS running FROM jobs WHERE state IN ('pending', 'running')",
      []
    )
    return {
      jobs: jobs.map(({ state, jobs: count }) => ({ state, count: Number(count) })),
      live: { pending: Number(live?.pending ?? 0), running: Number(live?.running ?? 0) }
    }
  })

const make = Effect.gen(function* () {
  const database = yield* Database
  const { current } = yield* Activity
  return StoreStatistics.of({ stored: database.read("storeStatistics", stored), activity: current })
})

export const layer: Layer.Layer<StoreStatistics, never, Database | Activity> = Layer.effect(StoreStatistics, make)
