/** The row of a benchmark's usage, in the transaction that ends it. */
import { Effect } from "effect"
import type { Benchmark, JobHead } from "../../../domain/job/job.ts"
import type { Session } from "../connection/session.ts"

const insert = `INSERT INTO model_usage (tenant, ended_at, model, provider_id, benchmark_id, requests, retries, replayed, input_tokens,
  output_tokens, reasoning_tokens, estimated_tokens, cost) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** nothing unless the benchmark has just got its usage */
export const writeUsage = (session: Session, head: JobHead, before: Benchmark, { entry, usage }: Benchmark) =>
  usage === undefined || before.usage !== undefined
    ? Effect.void
    : session.write(insert, [
        ...[head.tenant, head.updatedAt, head.model.name, entry.providerId, entry.id],
        ...[usage.requests, usage.retries, usage.replayed, usage.inputTokens, usage.outputTokens],
        ...[usage.reasoningTokens, usage.estimatedTokens, usage.cost ?? null]
      ])
