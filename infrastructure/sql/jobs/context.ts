/** What every statement about jobs needs beside its session. */
import { Effect } from "effect"
import type { JobHead } from "../../../domain/job/job.ts"
import type { OnChange } from "../changes/change-log.ts"
import { type Session, textByRows, tuples } from "../connection/session.ts"
import type { WireOptions } from "../rows/benchmark-wire.ts"
import type { Label } from "../rows/job-labels.ts"
import type { OnTask } from "../tasks/enqueue.ts"

export interface JobContext {
  readonly wire: WireOptions
  /** the clock when the operation began: tasks without a time of their own are due from then on */
  readonly now: string
  /** whether PostgreSQL has its index over names */
  readonly hasNameIndex: () => boolean
  readonly onChange: OnChange
  readonly onTask: OnTask
}

export const labelColumns = "tenant, kind, value, created_at, id, job_key"

const insertText = textByRows(
  (rows) =>
    `INSERT INTO job_labels (${labelColumns}) VALUES ${tuples(rows, 6)} ON CONFLICT (tenant, kind, value, created_at, id) DO NOTHING`
)

export const insertLabels = (
  session: Session,
  jobKey: number,
  head: Pick<JobHead, "id" | "tenant" | "createdAt">,
  labels: ReadonlyArray<Label>
) =>
  Effect.asVoid(
    session.write(
      insertText(labels.length),
      labels.flatMap(({ kind, value }) => [head.tenant, kind, value, head.createdAt, head.id, jobKey])
    )
  )
