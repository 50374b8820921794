/**
 * The metrics of the server, made from `metric-table.ts`. The registry belongs to the layer, so that several servers can live in one
 * process. What is counted elsewhere, such as tasks and the database, is collected when somebody scrapes, at most every few seconds.
 */
import { Context, type Duration, Effect, Layer } from "effect"
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client"
import type { CatalogReloads } from "../../../application/ports/catalog.ts"
import type { ClusterActivity } from "../../../application/ports/cluster-statistics.ts"
import type { DatabaseActivity } from "../../../application/ports/stores/store-statistics.ts"
import { metricTable } from "./metric-table.ts"
import { RequestHistogram } from "./request-histogram.ts"

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])

/** a counter whose total is kept elsewhere: it is set, and rises there */
const setTotal = <L extends string>(
  counter: Counter<L>,
  values: ReadonlyArray<readonly [Partial<Record<L, string>>, number]>
): void => {
  counter.reset()
  for (const [labels, total] of values) counter.inc(labels, total)
}

const setAll = <L extends string>(
  gauge: Gauge<L>,
  values: ReadonlyArray<readonly [Partial<Record<L, string>>, number]>
): void => {
  gauge.reset()
  for (const [labels, value] of values) gauge.set(labels, value)
}

const shapeOf = <L extends string>({
  name,
  help,
  labels
}: {
  readonly name: string
  readonly help: string
  readonly labels: ReadonlyArray<L>
}) => ({
  name,
  help,
  labelNames: [...labels]
})

const instruments = (registry: Registry) => {
  const registers = [registry]
  const gauge = <L extends string>(shape: {
    readonly name: string
    readonly help: string
    readonly labels: ReadonlyArray<L>
  }) => new Gauge<L>({ ...shapeOf(shape), registers })
  const counter = <L extends string>(shape: {
    readonly name: string
    readonly help: string
    readonly labels: ReadonlyArray<L>
  }) => new Counter<L>({ ...shapeOf(shape), registers })
  return {
    duration: new RequestHistogram({
      name: metricTable.requestDuration.name,
      help: metricTable.requestDuration.help,
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers
    }),
    inFlight: gauge(metricTable.requestsInFlight),
    watchers: gauge(metricTable.watchers),
    events: counter(metricTable.events),
    jobs: gauge(metricTable.jobs),
    benchmarks: gauge(metricTable.benchmarks),
    benchmarksEnded: counter(metricTable.benchmarksEnded),
    tasks: gauge(metricTable.tasks),
    taskLag: gauge(metricTable.taskLag),
    cleanupPending: gauge(metricTable.cleanupPending),
    clusterCalls: counter(metricTable.clusterCalls),
    clusterWaiting: gauge(metricTable.clusterWaiting),
    clusterUnreadable: counter(metricTable.clusterUnreadable),
    databaseUp: gauge(metricTable.databaseUp),
    databaseConnections: gauge(metricTable.databaseConnections),
    databaseInFlight: gauge(metricTable.databaseInFlight),
    databaseOperations: counter(metricTable.databaseOperations),
    databaseSeconds: counter(metricTable.databaseSeconds),
    catalogDefinitions: gauge(metricTable.catalogDefinitions),
    catalogProblems: gauge(metricTable.catalogProblems),
    catalogReloads: counter(metricTable.catalogReloads),
    catalogLoadedAt: gauge(metricTable.catalogLoadedAt),
    spansDropped: counter(metricTable.spansDropped)
  }
}

type Instruments = ReturnType<typeof instruments>

/** figures of the work, which are kept elsewhere */
const workSetters = (all: Instruments) => ({
  jobs: (states: ReadonlyArray<{ readonly state: string; readonly count: number }>) =>
    setAll(
      all.jobs,
      states.map(({ state, count }) => [{ state }, count])
    ),
  benchmarks: (live: { readonly pending: number; readonly running: number }) =>
    setAll(all.benchmarks, [
      [{ state: "pending" }, live.pending],
      [{ state: "running" }, live.running]
    ]),
  tasks: (
    kinds: ReadonlyArray<{
      readonly kind: string
      readonly waiting: number
      readonly leased: number
      readonly buried: number
      readonly lagSeconds: number
    }>
  ) => {
    setAll(
      all.tasks,
      kinds.flatMap(({ kind, waiting, leased, buried }) => [
        [{ kind, state: "waiting" }, waiting],
        [{ kind, state: "leased" }, leased],
        [{ kind, state: "buried" }, buried]
      ])
    )
    all.cleanupPending.set(
      kinds
        .filter(({ kind }) => kind === "cleanup")
        .reduce((sum, { waiting, leased, buried }) => sum + waiting + leased + buried, 0)
    )
    setAll(
      all.taskLag,
      kinds.map(({ kind, lagSeconds }) => [{ kind }, lagSeconds])
    )
  }
})

/** figures of what the server stands on: cluster, database, definitions, traces */
const systemSetters = (all: Instruments) => ({
  cluster: ({ calls, waiting, unreadableLines }: ClusterActivity) => {
    setTotal(
      all.clusterCalls,
      calls.map(({ lane, outcome, count }) => [{ lane, outcome }, count])
    )
    setAll(
      all.clusterWaiting,
      waiting.map(({ lane, count }) => [{ lane }, count])
    )
    setTotal(all.clusterUnreadable, [[{}, unreadableLines]])
  },
  databaseUp: (up: boolean) => all.databaseUp.set(up ? 1 : 0),
  database: ({ inFlight, connections, operations }: DatabaseActivity) => {
    all.databaseInFlight.set(inFlight)
    all.databaseConnections.set(connections)
    setTotal(
      all.databaseOperations,
      operations.flatMap(({ operation, succeeded, failed }) => [
        [{ operation, outcome: "succeeded" }, succeeded],
        [{ operation, outcome: "failed" }, failed]
      ])
    )
    setTotal(
      all.databaseSeconds,
      operations.map(({ operation, seconds }) => [{ operation }, seconds])
    )
  },
  catalog: (definitions: { readonly providers: number; readonly collections: number }) =>
    setAll(all.catalogDefinitions, [
      [{ kind: "provider" }, definitions.providers],
      [{ kind: "collection" }, definitions.collections]
    ]),
  catalogReloads: ({ applied, refused, loadedAt, problems: { error, warning, info } }: CatalogReloads) => {
    setTotal(all.catalogReloads, [
      [{ result: "applied" }, applied],
      [{ result: "refused" }, refused]
    ])
    setAll(all.catalogProblems, [
      [{ severity: "error" }, error],
      [{ severity: "warning" }, warning],
      [{ severity: "info" }, info]
    ])
    all.catalogLoadedAt.set(loadedAt / 1000)
  },
  spansDropped: (total: number) => setTotal(all.spansDropped, [[{}, total]])
})

/** how long collected figures count as current */
const freshFor: Duration.DurationInput = "2 seconds"

const make = Effect.gen(function* () {
  const registry = new Registry()
  const all = instruments(registry)
  const collectors: Array<Effect.Effect<void>> = []
  collectDefaultMetrics({ register: registry, prefix: "evald_" })
  yield* Effect.addFinalizer(() => Effect.sync(() => registry.clear()))
  const collected = Effect.suspend(() => Effect.all(collectors, { concurrency: "unbounded", discard: true }))
  const collect = yield* Effect.cachedWithTTL(collected, freshFor)
  return {
    started: () => all.inFlight.inc(),
    closed: () => all.inFlight.dec(),
    finished: (method: string, route: string, status: number, millis: number) =>
      all.duration.count(methods.has(method) ? method : "OTHER", route, status, millis / 1000),
    /** applied, repeated or refused */
    event: (outcome: "applied" | "repeated" | "refused") => all.events.inc({ outcome }),
    watching: (change: 1 | -1) => all.watchers.inc(change),
    benchmarkEnded: (state: string) => all.benchmarksEnded.inc({ state }),
    contentType: registry.contentType,
    /** the exposition text */
    text: Effect.zipRight(
      collect,
      Effect.promise(() => registry.metrics())
    ),
    /** run before a scrape is answered; sets what is counted elsewhere, and must be quick */
    onScrape: (collector: Effect.Effect<void>) => {
      collectors.push(collector)
    },
    /** what collectors set */
    set: { ...workSetters(all), ...systemSetters(all) }
  }
})

export class Metrics extends Context.Tag("evald/interfaces/http/Metrics")<
  Metrics,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer = Layer.scoped(Metrics, make)
}
