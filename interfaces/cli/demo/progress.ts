/** Live progress of a job: bars that redraw on a terminal, one plain line per change otherwise. Pure: text in, text out. */
import { plain } from "../client/screen.ts"
import { cut, widthOf } from "../table-text.ts"
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

export interface Room {
  readonly columns: number
  /** of the terminal; a line that has left its top can not be drawn again */
  readonly rows: number
}

/** what a bar leaves for the state of a benchmark */
const stateRoom = 14

/** those that are worth a look where not all have room: what runs, what failed, what comes next */
const order = ["running", "failed", "pending", "completed", "cancelled"]
const rank = ({ status }: BenchmarkStatus): number => order.indexOf(status)

const watched = (all: ReadonlyArray<BenchmarkStatus>, most: number): ReadonlyArray<BenchmarkStatus> =>
  all
    .toSorted((one, other) => rank(one) - rank(other) || one.benchmark_index - other.benchmark_index)
    .slice(0, most)
    .toSorted((one, other) => one.benchmark_index - other.benchmark_index)

/** `and 970 more: 12 running, 958 pending` */
const others = (all: ReadonlyArray<BenchmarkStatus>, shown: ReadonlyArray<BenchmarkStatus>): string => {
  const counts = new Map<string, number>()
  for (const { status } of all.filter((one) => !shown.includes(one))) counts.set(status, (counts.get(status) ?? 0) + 1)
  return `  and ${all.length - shown.length} more: ${[...counts].map(([state, count]) => `${count} ${state}`).join(", ")}`
}

/** one line per benchmark for a terminal, cut to its columns; where they have no room in its rows, some of them and a line for the others */
export const bars = (
  { status: { benchmarks } }: JobView,
  sightings: Sightings,
  nowMs: number,
  { columns, rows }: Room
): ReadonlyArray<string> => {
  const room = Math.max(20, columns - 1)
  // the line of the cursor, and the one above that says which job it is
  const most = Math.max(2, rows - 2)
  const shown = benchmarks.length <= most ? benchmarks : watched(benchmarks, most - 1)
  const names = shown.map(({ id }) => plain(id))
  const longest = Math.max(...names.map(widthOf))
  const forBoth = room - stateRoom - 6
  const width = Math.min(longest, Math.max(8, forBoth - 20))
  const barWidth = Math.min(20, Math.max(6, forBoth - width))
  const lines = shown.map((benchmark, at) => {
    const name = cut(names[at] ?? "", width)
    const state = benchmark.status === "running" ? figures(benchmark, sightings, nowMs) : ""
    return `  ${name}${" ".repeat(width - widthOf(name))}  ${bar(share(benchmark), barWidth)}  ${plain(state || shownState(benchmark))}`
  })
  return [...lines, ...(shown === benchmarks ? [] : [others(benchmarks, shown)])].map((line) => cut(line, room))
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
