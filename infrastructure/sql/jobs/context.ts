/** What every statement about jobs needs beside its session. */
import { Effect } from "effect"
import type { JobHead, JobState } from "../../../domain/job/job.ts"
import type { OnChange } from "../change-log.ts"
import type { OnTask } from "../enqueue.ts"
import type { WireOptions } from "../rows/benchmark-wire.ts"
import type { Label } from "../rows/job-labels.ts"
import { type Session, tuples } from "../session.ts"

export interface JobContext {
  readonly wire: WireOptions
  /** the clock when the operation began: tasks without a time of their own are due from then on */
  readonly now: string
  readonly onChange: OnChange
  readonly onTask: OnTask
}

/** counters per tenant and state are split on PostgreSQL, where writers run at the same moment */
const shards = { sqlite: 1, pg: 16 } as const

/** keeps the exact totals of lists; entries in the order of their states, so that transactions lock them in one order */
export const countJobs = (session: Session, head: Pick<JobHead, "tenant">, jobKey: number, deltas: ReadonlyArray<readonly [JobState, number]>) => {
  const shard = jobKey % shards[session.dialect]
  const rows = [...deltas].sort(([a], [b]) => (a < b ? -1 : 1)).map(([state, delta]) => [head.tenant, state, shard, delta])
  return Effect.asVoid(
    session.write(
      `INSERT INTO job_counts (tenant, state, shard, jobs) VALUES ${tuples(rows.length, 4)} ON CONFLICT (tenant, state, shard) DO UPDATE SET jobs = job_counts.jobs + excluded.jobs`,
      rows.flat()
    )
  )
}

export const insertLabels = (session: Session, jobKey: number, head: Pick<JobHead, "id" | "tenant" | "createdAt">, labels: ReadonlyArray<Label>) =>
  Effect.asVoid(
    session.write(
      `INSERT INTO job_labels (tenant, kind, value, created_at, id, job_key) VALUES ${tuples(labels.length, 6)} ON CONFLICT (tenant, kind, value, created_at, id) DO NOTHING`,
      labels.flatMap(({ kind, value }) => [head.tenant, kind, value, head.createdAt, head.id, jobKey])
    )
  )
