/** Finished jobs in memory, for retention. */
import { Effect, Layer } from "effect"
import { FinishedJobs } from "../../application/ports/stores/finished-jobs.ts"
import { isTerminalJob } from "../../domain/job/job-state.ts"
import { step, Tables } from "./tables.ts"

const make = Effect.map(Tables, (tables) =>
  FinishedJobs.of({
    unchangedSince: (before, limit) =>
      step(() =>
        Effect.sync(() =>
          [...tables.jobs.values()]
            .filter(({ job }) => isTerminalJob(job.state) && job.updatedAt < before)
            .map(({ job: { tenant, id } }) => ({ tenant, id }))
            .sort((a, b) => (a.id < b.id ? -1 : 1))
            .slice(0, limit)
        )
      )
  })
)

export const layer: Layer.Layer<FinishedJobs, never, Tables> = Layer.effect(FinishedJobs, make)
