import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Unavailable } from "../../../../../application/errors.ts"
import { cancelJob } from "../../../../../application/jobs/cancel-job.ts"
import { Catalog } from "../../../../../application/ports/catalog.ts"
import { ClusterStatistics } from "../../../../../application/ports/cluster-statistics.ts"
import { JobStore } from "../../../../../application/ports/stores/job-store.ts"
import { StoreStatistics } from "../../../../../application/ports/stores/store-statistics.ts"
import { TaskQueue } from "../../../../../application/ports/task-queue.ts"
import { applyTo } from "../../../../../application/runtime/apply.ts"
import { decideFailure } from "../../../../../domain/job/runtime-fact.ts"
import { metricTable } from "../../../../../interfaces/http/metrics/metric-table.ts"
import { Metrics } from "../../../../../interfaces/http/metrics/metrics.ts"
import * as ServerMetrics from "../../../../../interfaces/http/metrics/server-metrics.ts"
import { sampleCatalog } from "../../../../support/http-app.ts"
import { sqliteMemory } from "../../../../support/storage.ts"
import { jobId, launchTasks, makeJob } from "../../../../support/stored-jobs.ts"

const catalog = Layer.succeed(Catalog, {
  current: Effect.succeed(sampleCatalog),
  reloads: Effect.succeed({
    applied: 3,
    refused: 1,
    loadedAt: 1_700_000_000_500,
    problems: { error: 2, warning: 5, info: 0 }
  })
})
const cluster = Layer.succeed(ClusterStatistics, {
  activity: Effect.succeed({
    calls: [{ lane: "launch", outcome: "ok", count: 7 }],
    waiting: [{ lane: "signal", count: 2 }],
    unreadableLines: 3
  })
})
const observed = Layer.mergeAll(ServerMetrics.layer, ServerMetrics.layerCountedJobs).pipe(
  Layer.provideMerge(Layer.mergeAll(sqliteMemory, catalog, cluster, Metrics.layer))
)

const fail = (id: string, index: number) =>
  applyTo({ jobId: id, index }, (head, benchmark, now) =>
    decideFailure(head, benchmark, { attempt: 1, code: "launch_failed", message: "no" }, now)
  )

it.effect("jobs, benchmarks, tasks, database and catalogue are seen by a scrape", () =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const queue = yield* TaskQueue
    const [first, second] = [
      makeJob({ id: jobId(1), tenant: "a", benchmarks: 2 }),
      makeJob({ id: jobId(2), tenant: "b", benchmarks: 3 })
    ]
    for (const job of [first, second]) yield* store.insert(job, launchTasks(job))
    yield* fail(first.id, 0)
    // a second failure changes nothing and is not counted again
    yield* fail(first.id, 0)
    yield* cancelJob({ tenant: "b", owner: "me" }, second.id)
    const [claimed] = yield* queue.claim("launch", "me", 1, 60_000)
    if (claimed !== undefined) yield* queue.bury(claimed, "me", "never works")
    const { text } = yield* Metrics
    const lines = (yield* text).split("\n")
    const expected = [
      "evald_cleanup_pending 1",
      'evald_cluster_calls_total{lane="launch",outcome="ok"} 7',
      'evald_cluster_calls_waiting{lane="signal"} 2',
      "evald_cluster_unreadable_lines_total 3",
      'evald_jobs{state="pending"} 0',
      'evald_jobs{state="running"} 1',
      'evald_jobs{state="cancelled"} 1',
      'evald_benchmarks{state="pending"} 1',
      'evald_benchmarks{state="running"} 0',
      'evald_benchmarks_ended_total{state="failed"} 1',
      'evald_benchmarks_ended_total{state="cancelled"} 3',
      'evald_tasks{kind="launch",state="waiting"} 4',
      'evald_tasks{kind="launch",state="buried"} 1',
      'evald_tasks{kind="cleanup",state="waiting"} 1',
      'evald_task_lag_seconds{kind="launch"} 0',
      "evald_database_up 1",
      "evald_database_operations_in_flight 0",
      'evald_catalog_definitions{kind="provider"} 1',
      'evald_catalog_definitions{kind="collection"} 2',
      'evald_catalog_reload_total{result="applied"} 3',
      'evald_catalog_reload_total{result="refused"} 1',
      'evald_catalog_problems{severity="error"} 2',
      'evald_catalog_problems{severity="warning"} 5',
      "evald_catalog_loaded_timestamp_seconds 1700000000.5"
    ]
    assert.deepStrictEqual(
      expected.filter((line) => !lines.includes(line)),
      [],
      lines.filter((line) => /^evald_(jobs|bench|task|data|cata)/.test(line)).join("\n")
    )
    assert.isTrue(
      lines.some((line) =>
        /^evald_database_operations_total\{operation="claimTasks",outcome="succeeded"\} 1$/.test(line)
      )
    )
  }).pipe(Effect.provide(observed))
)

const away = Effect.fail(new Unavailable({ peer: "database", operation: "storeStatistics" }))

it.effect("a database that is away does not keep a scrape from its answer", () =>
  Effect.gen(function* () {
    const { text } = yield* Metrics
    const exposed = yield* text
    assert.match(exposed, /^evald_database_up 0$/m)
    assert.match(exposed, /^evald_catalog_definitions\{kind="provider"\} 1$/m)
    assert.notMatch(exposed, /^evald_jobs\{/m)
  }).pipe(
    Effect.provide(
      ServerMetrics.layer.pipe(
        Layer.provideMerge(Metrics.layer),
        Layer.provide([
          catalog,
          Layer.succeed(StoreStatistics, {
            stored: away,
            activity: Effect.succeed({ inFlight: 0, connections: 1, operations: [] })
          }),
          Layer.mock(TaskQueue, { stats: away })
        ])
      )
    )
  )
)

it.effect("every metric of the table is declared under its name, with its help", () =>
  Effect.gen(function* () {
    const { text } = yield* Metrics
    const exposed = yield* text
    const missing = Object.values(metricTable).filter(
      ({ name, help, kind }) => !exposed.includes(`# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n`)
    )
    assert.deepStrictEqual(
      missing.map(({ name }) => name),
      []
    )
  }).pipe(Effect.provide(Metrics.layer))
)
