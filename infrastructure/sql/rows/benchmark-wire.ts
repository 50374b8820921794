/** One benchmark's entries in `status.benchmarks` and `results.benchmarks`, as they go out. Reference: states-and-scores.md, "Job states", "Job score". */
import { isTerminal } from "../../../domain/job/benchmark-state.ts"
import type { Benchmark, BenchmarkTest, Message, MetricDescription, Progress } from "../../../domain/job/job.ts"
import { present } from "./present.ts"
import { usageWire } from "./usage-wire.ts"

/** names of other vendors that are emitted beside the spec's neutral ones (`compat.vendor_aliases`) */
export interface WireOptions {
  readonly vendorAliases: boolean
}

export const messageWire = ({ message, code, origin }: Message) => ({
  message,
  message_code: code,
  message_origin: origin
})

const optionalMessage = (message: Message | undefined) => (message === undefined ? undefined : messageWire(message))

const progress = (value: Progress | undefined) =>
  value === undefined
    ? undefined
    : present({ message: value.message, completed_steps: value.completed, total_steps: value.total })

const carriedFrom = ({ carried }: Benchmark) =>
  carried === undefined ? undefined : { job: carried.job, benchmark_index: carried.index }

const statusEntry = (benchmark: Benchmark) =>
  present({
    provider_id: benchmark.entry.providerId,
    id: benchmark.entry.id,
    benchmark_index: benchmark.index,
    status: benchmark.state,
    phase: benchmark.phase,
    progress: progress(benchmark.progress),
    error_message: optionalMessage(benchmark.error),
    warning_message: optionalMessage(benchmark.warning),
    started_at: benchmark.startedAt,
    completed_at: benchmark.completedAt,
    carried_from: carriedFrom(benchmark)
  })

/** existing clients raise on any other (adapter-contract.md, "Events") */
const shownTypes: ReadonlySet<string | undefined> = new Set([
  "numeric",
  "categorical",
  "array_ordered",
  "array_unordered",
  "time_series"
])

const metricWire = (metric: MetricDescription) =>
  present({
    name: metric.name,
    type: shownTypes.has(metric.type) ? metric.type : undefined,
    unit: metric.unit,
    lower_is_better: metric.lowerIsBetter,
    n: metric.n,
    stderr: metric.stderr,
    ci: metric.ci,
    ci_level: metric.ciLevel,
    ci_method: metric.ciMethod,
    successes: metric.successes,
    clusters: metric.clusters
  })

const testWire = (test: BenchmarkTest | undefined) =>
  test === undefined
    ? undefined
    : present({
        primary_score: test.primaryScore,
        primary_score_metric: test.metric,
        lower_is_better: test.lowerIsBetter,
        threshold: test.threshold,
        pass: test.pass,
        decided: test.decided,
        interval: test.interval,
        bounds: test.bounds
      })

export const statusWire = (benchmark: Benchmark): string => JSON.stringify(statusEntry(benchmark))

/** null until the benchmark has reported something to show */
export const resultWire = (benchmark: Benchmark, options: WireOptions): string | null => {
  const { result = { metrics: {} } } = benchmark
  // of one that runs it is in the sum of the job alone: an entry without a result would look like one
  const usage = isTerminal(benchmark.state) ? benchmark.usage : undefined
  if (benchmark.result === undefined && usage === undefined) return null
  return JSON.stringify({
    id: benchmark.entry.id,
    provider_id: benchmark.entry.providerId,
    benchmark_index: benchmark.index,
    metrics: result.metrics,
    ...present({
      metrics_schema: result.metricsSchema?.map(metricWire),
      artifacts: result.artifacts,
      additional_info: result.additionalInfo,
      tracker_run_id: result.trackerRunId,
      mlflow_run_id: options.vendorAliases ? result.trackerRunId : undefined,
      logs_path: result.logsPath,
      validity: result.validity,
      early_stopped: result.earlyStopped,
      samples: result.samples,
      test: testWire(result.test),
      notes: result.notes,
      usage: usageWire(usage),
      carried_from: carriedFrom(benchmark)
    })
  })
}
