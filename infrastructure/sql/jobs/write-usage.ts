/** The row of a benchmark's usage, in the transaction that ends it or that is told more of it. */
import { Effect } from "effect"
import { isTerminal } from "../../../domain/job/benchmark-state.ts"
import type { Benchmark, JobHead } from "../../../domain/job/job.ts"
import type { Session } from "../connection/session.ts"

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

const write = `INSERT INTO model_usage (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})
  ON CONFLICT (job_id, idx) DO UPDATE SET ${[...sums, "cost"].map((name) => `${name} = excluded.${name}`).join(", ")}`

/** of a benchmark that goes, in whatever state it is */
export const keepUsage = (session: Session, head: JobHead, { entry, index, state, usage }: Benchmark, at: string) =>
  usage === undefined
    ? Effect.void
    : session.write(write, [
        ...[head.tenant, at, head.model.name, entry.providerId, entry.id, head.id, index, state],
        ...[usage.requests, usage.retries, usage.replayed, usage.inputTokens, usage.outputTokens],
        ...[usage.reasoningTokens, usage.estimatedTokens, usage.cost ?? null]
      ])

/** nothing while it runs, nor when nothing new is known */
export const writeUsage = (session: Session, head: JobHead, before: Benchmark | undefined, after: Benchmark) =>
  isTerminal(after.state) && (before?.usage !== after.usage || before?.state !== after.state)
    ? keepUsage(session, head, after, head.updatedAt)
    : Effect.void
