/** Fills the metrics that are counted elsewhere: store, tasks, database, catalogue. A store that is away leaves its last figures out. */
import { Effect, Layer } from "effect"
import { Catalog } from "../../../application/ports/catalog.ts"
import { ClusterStatistics } from "../../../application/ports/cluster-statistics.ts"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import { StoreStatistics } from "../../../application/ports/stores/store-statistics.ts"
import { TaskQueue } from "../../../application/ports/task-queue.ts"
import { isTerminal } from "../../../domain/job/benchmark-state.ts"
import { Metrics } from "./metrics.ts"

/** a scrape must not wait for a database that is away */
const patience = "2 seconds"

const collect = Effect.gen(function* () {
  const { set, onScrape } = yield* Metrics
  const { stored, activity } = yield* StoreStatistics
  const { stats } = yield* TaskQueue
  const store = Effect.all([stored, stats]).pipe(
    // a statement of the database cannot be interrupted: it is left to its end
    Effect.disconnect,
    Effect.timeoutFail({ duration: patience, onTimeout: () => "late" as const }),
    Effect.match({
      onFailure: () => {
        set.databaseUp(false)
        set.jobs([])
        set.tasks([])
      },
      onSuccess: ([{ jobs, live }, tasks]) => {
        set.databaseUp(true)
        set.jobs(jobs)
        set.benchmarks(live)
        set.tasks(tasks)
      }
    })
  )
  const { current, reloads } = yield* Catalog
  onScrape(store)
  onScrape(
    Effect.map(current, ({ providers, collections }) =>
      set.catalog({ providers: providers.length, collections: collections.length })
    )
  )
  if (reloads !== undefined) onScrape(Effect.map(reloads, set.catalogReloads))
  onScrape(Effect.map(activity, set.database))
  onScrape(Effect.map((yield* ClusterStatistics).activity, set.cluster))
})

/** figures appear in the metrics for as long as these live */
export const layer: Layer.Layer<never, never, Metrics | StoreStatistics | TaskQueue | Catalog> =
  Layer.effectDiscard(collect)

/** the job store, counting the benchmarks that end by its changes */
export const layerCountedJobs: Layer.Layer<JobStore, never, JobStore | Metrics> = Layer.effect(
  JobStore,
  Effect.gen(function* () {
    const store = yield* JobStore
    const { benchmarkEnded } = yield* Metrics
    return JobStore.of({
      ...store,
      changeBenchmark: (target, decide, score) => {
        let ended = false
        return Effect.tap(
          store.changeBenchmark(
            target,
            (head, benchmark) => {
              ended = !isTerminal(benchmark.state)
              return decide(head, benchmark)
            },
            score
          ),
          ({ applied, benchmark }) => {
            if (applied && ended && isTerminal(benchmark.state)) benchmarkEnded(benchmark.state)
            return Effect.void
          }
        )
      },
      changeJob: (tenant, id, decide) => {
        let ended: ReadonlyArray<string> = []
        return Effect.tap(
          store.changeJob(tenant, id, (job, etag) => {
            const decision = decide(job, etag)
            const live = new Set(job.benchmarks.filter(({ state }) => !isTerminal(state)).map(({ index }) => index))
            ended =
              decision._tag === "Left"
                ? []
                : decision.right.benchmarks.flatMap(({ index, state }) =>
                    live.has(index) && isTerminal(state) ? [state] : []
                  )
            return decision
          }),
          () => {
            for (const state of ended) benchmarkEnded(state)
            return Effect.void
          }
        )
      }
    })
  })
)
