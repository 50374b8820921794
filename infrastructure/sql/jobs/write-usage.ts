/** The rows of the usage of benchmarks, in the transaction that ends them or that is told more of them. */
import { Effect } from "effect"
import type { Usage } from "../../../domain/budget/usage.ts"
import { isTerminal } from "../../../domain/job/benchmark-state.ts"
import type { Benchmark, JobHead } from "../../../domain/job/job.ts"
import { type Param, type Session, tuples } from "../connection/session.ts"

const sums = [
  "requests",
  "retries",
  "replayed",
  "input_tokens",
  "output_tokens",
  "reasoning_tokens",
  "estimated_tokens"
]
const names = [
  ...["tenant", "ended_at", "model", "provider_id", "benchmark_id", "job_id", "idx", "state"],
  ...[...sums, "cost"]
]

const insertOf = (rows: number) => `INSERT INTO model_usage (${names.join(", ")}) VALUES ${tuples(rows, names.length)}
  ON CONFLICT (job_id, idx) DO UPDATE SET ${[...sums, "cost"].map((name) => `${name} = excluded.${name}`).join(", ")}`

const insertOne = insertOf(1)

/** rows per statement: bounded by the number of parameters a statement may have */
const chunk = 200

const rowOf = (head: JobHead, { entry, index, state }: Benchmark, usage: Usage, at: string): ReadonlyArray<Param> => [
  ...[head.tenant, at, head.model.name, entry.providerId, entry.id, head.id, index, state],
  ...[usage.requests, usage.retries, usage.replayed, usage.inputTokens, usage.outputTokens],
  ...[usage.reasoningTokens, usage.estimatedTokens, usage.cost ?? null]
]

/** of benchmarks that go, in whatever state they are */
export const keepUsage = (session: Session, head: JobHead, benchmarks: ReadonlyArray<Benchmark>, at: string) => {
  const rows = benchmarks.flatMap((one) => (one.usage === undefined ? [] : [rowOf(head, one, one.usage, at)]))
  if (rows.length === 0) return Effect.void
  return Effect.forEach(
    Array.from({ length: Math.ceil(rows.length / chunk) }, (_, part) => rows.slice(part * chunk, (part + 1) * chunk)),
    (part) => session.write(part.length === 1 ? insertOne : insertOf(part.length), part.flat()),
    { discard: true }
  )
}

/** nothing of one that runs, nor of one of which nothing new is known */
export const writeUsage = (
  session: Session,
  head: JobHead,
  changes: ReadonlyArray<readonly [before: Benchmark | undefined, after: Benchmark]>
) => {
  const told = changes.flatMap(([before, after]) =>
    isTerminal(after.state) && (before?.usage !== after.usage || before?.state !== after.state) ? [after] : []
  )
  return keepUsage(session, head, told, head.updatedAt)
}
