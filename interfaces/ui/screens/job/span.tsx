/** When a benchmark waited and when it ran, on the time of its job. */
import type { Benchmark, Job } from "../../data/job.ts"
import { duration, localTime, utcTime } from "../../format.ts"
import { Nothing } from "../../parts/nothing.tsx"

const width = 120
const height = 12

const instant = (text: string | undefined): number | undefined => (text === undefined ? undefined : Date.parse(text))

/** from the job's creation to its last event, or to now while it runs */
const rangeOf = ({ resource, status }: Job): readonly [from: number, to: number] => {
  const from = Date.parse(resource.created_at)
  const ends = status.benchmarks.map(({ completed_at }) => instant(completed_at) ?? Date.now())
  return [from, Math.max(from + 1, ...ends)]
}

export const Span = ({ job, benchmark }: { readonly job: Job; readonly benchmark: Benchmark }) => {
  const started = instant(benchmark.started_at)
  if (benchmark.carried_from !== undefined) return <span class="muted">taken over</span>
  if (started === undefined) return <Nothing says={benchmark.status === "pending" ? "waits" : "–"} />
  const [from, to] = rangeOf(job)
  const ended = instant(benchmark.completed_at) ?? to
  const at = (time: number) => Math.max(0, Math.min(1, (time - from) / (to - from))) * width
  const begin = benchmark.started_at ?? ""
  const said = `waited ${duration(started - from)}, ran ${duration(ended - started)} from ${localTime(begin)} (${utcTime(begin)})`
  return (
    <span class="score" title={said}>
      <svg class="span" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={said}>
        <line class="waited" x1={0} x2={at(started)} y1={6} y2={6} />
        <rect class="ran" x={at(started)} y={2} width={Math.max(2, at(ended) - at(started))} height={8} rx={2} />
      </svg>
      <span class="number">{duration(ended - started)}</span>
    </span>
  )
}
