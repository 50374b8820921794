/** Live progress of a job: bars that redraw on a terminal, one plain line per change otherwise. Pure: text in, text out. */
import type { BenchmarkStatus, JobView } from "./job-view.ts"

/** when a benchmark was first seen running and how far it was then, to compute a rate; milliseconds on a monotonic clock */
export interface Sighting {
  readonly atMs: number
  readonly completed: number
}

export type Sightings = ReadonlyMap<number, Sighting>

export const observe = (sightings: Sightings, job: JobView, nowMs: number): Sightings => {
  const next = new Map(sightings)
  for (const { benchmark_index, status, progress } of job.status.benchmarks) {
    if (status === "running" && !next.has(benchmark_index))
      next.set(benchmark_index, { atMs: nowMs, completed: progress?.completed_steps ?? 0 })
  }
  return next
}

const duration = (seconds: number): string =>
  seconds < 60
    ? `${Math.max(0, Math.round(seconds))} s`
    : `${Math.floor(seconds / 60)} min ${String(Math.round(seconds % 60)).padStart(2, "0")} s`

const bar = (share: number, width: number): string => {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * width)
  return `${"█".repeat(filled)}${"░".repeat(width - filled)}`
}

/** `12/20  4.1/s  ETA 2 s`, as far as it is known */
export const figures = (
  { benchmark_index, progress }: BenchmarkStatus,
  sightings: Sightings,
  nowMs: number
): string => {
  const { completed_steps: completed, total_steps: total } = progress ?? {}
  if (completed === undefined) return ""
  const start = sightings.get(benchmark_index)
  const seconds = start === undefined ? 0 : (nowMs - start.atMs) / 1000
  const rate = start === undefined || seconds < 0.2 ? 0 : (completed - start.completed) / seconds
  const left = total === undefined || rate <= 0 ? undefined : (total - completed) / rate
  return [
    total === undefined ? String(completed) : `${completed}/${total}`,
    ...(rate > 0 ? [`${rate >= 10 ? rate.toFixed(0) : rate.toFixed(1)}/s`] : []),
    ...(left === undefined || left <= 0 ? [] : [`ETA ${duration(left)}`])
  ].join("  ")
}

const share = ({ status, progress }: BenchmarkStatus): number => {
  if (status === "completed" || status === "failed" || status === "cancelled") return 1
  return progress?.total_steps === undefined || progress.total_steps === 0
    ? 0
    : (progress.completed_steps ?? 0) / progress.total_steps
}

const shownState = ({ status, phase, error_message }: BenchmarkStatus): string =>
  status === "failed"
    ? `failed: ${error_message?.message_code ?? "benchmark_failed"}`
    : status === "running" && phase !== undefined
      ? phase.replaceAll("_", " ")
      : status

/** one line per benchmark for a terminal; cut to `columns` */
export const bars = (job: JobView, sightings: Sightings, nowMs: number, columns: number): ReadonlyArray<string> => {
  const width = Math.max(...job.status.benchmarks.map(({ id }) => id.length))
  return job.status.benchmarks.map((benchmark) =>
    `  ${benchmark.id.padEnd(width)}  ${bar(share(benchmark), 20)}  ${benchmark.status === "running" ? figures(benchmark, sightings, nowMs) || shownState(benchmark) : shownState(benchmark)}`.slice(
      0,
      Math.max(20, columns - 1)
    )
  )
}

/** lines for what changed since the last look, for logs and pipes */
export const changes = (
  before: JobView | undefined,
  job: JobView,
  sightings: Sightings,
  nowMs: number
): ReadonlyArray<string> =>
  job.status.benchmarks.flatMap((benchmark) => {
    const old = before?.status.benchmarks.find(({ benchmark_index }) => benchmark_index === benchmark.benchmark_index)
    const stateChanged = old === undefined ? benchmark.status !== "pending" : old.status !== benchmark.status
    if (stateChanged) return [`${benchmark.id}: ${shownState(benchmark)}`]
    const done = benchmark.progress?.completed_steps
    const total = benchmark.progress?.total_steps
    if (benchmark.status !== "running" || done === undefined || total === undefined || total === 0) return []
    const quarter = (value: number) => Math.floor((4 * value) / total)
    return quarter(done) > quarter(old?.progress?.completed_steps ?? 0)
      ? [`${benchmark.id}: ${figures(benchmark, sightings, nowMs)}`]
      : []
  })
