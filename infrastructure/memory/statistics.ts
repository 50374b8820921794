/** Figures of the store in memory; there is no database to be busy. */
import { Effect, Layer } from "effect"
import { StoreStatistics } from "../../application/ports/stores/store-statistics.ts"
import type { JobState } from "../../domain/job/job.ts"
import { step, Tables } from "./tables.ts"

const make = Effect.map(Tables, (tables) =>
  StoreStatistics.of({
    stored: step(() =>
      Effect.sync(() => {
        const counts = new Map<JobState, number>()
        const live = { pending: 0, running: 0 }
        for (const { job } of tables.jobs.values()) {
          counts.set(job.state, (counts.get(job.state) ?? 0) + 1)
          for (const { state } of job.benchmarks) if (state === "pending" || state === "running") live[state]++
        }
        return {
          jobs: [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([state, count]) => ({ state, count })),
          live
        }
      })
    ),
    activity: Effect.succeed({ inFlight: 0, connections: 0, operations: [] })
  })
)

export const layer: Layer.Layer<StoreStatistics, never, Tables> = Layer.effect(StoreStatistics, make)
