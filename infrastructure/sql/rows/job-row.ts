/** A job's head as columns, in the order the table has them, and back. */
import type { Usage } from "../../../domain/budget/usage.ts"
import type { Job, JobHead, JobState, JobTest, Message, ModelRef } from "../../../domain/job/job.ts"
import type { Param } from "../connection/session.ts"
import { messageWire } from "./benchmark-wire.ts"

export interface JobRow {
  readonly key: number
  readonly id: string
  readonly tenant: string
  readonly owner: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly name: string
  readonly state: JobState
  readonly version: number
  readonly pending: number
  readonly running: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  readonly message: string
  readonly model: string
  readonly threshold: number
  readonly test: string | null
  readonly tracker_experiment_id: string | null
  readonly tracker_experiment_url: string | null
  readonly usage: string | null
}

const names = [
  ...[
    "id",
    "tenant",
    "owner",
    "created_at",
    "updated_at",
    "name",
    "name_key",
    "state",
    "version",
    "pending",
    "running",
    "completed",
    "failed"
  ],
  ...["cancelled", "message", "model", "threshold", "test", "tracker_experiment_id", "tracker_experiment_url", "usage"]
]

export const insertedColumns = names.join(", ")
export const insertedCount = names.length

/** columns of a `JobRow`, of the table called `alias` */
export const selectedColumns = (alias: string): string =>
  ["key", ...names.filter((name) => name !== "name_key")].map((name) => `${alias}.${name}`).join(", ")

/** a name as lists search in it; both databases get it from here, so that case folding is the same */
export const nameKey = (name: string): string => name.toLowerCase()

const columnOf = (text: string | undefined): string | null => text ?? null

/** what events change, in the order of `changedNames` */
export const changedColumns = (head: JobHead): ReadonlyArray<Param> => [
  head.updatedAt,
  head.state,
  head.counts.pending,
  head.counts.running,
  head.counts.completed,
  head.counts.failed,
  head.counts.cancelled,
  JSON.stringify(messageWire(head.message)),
  head.test === undefined ? null : JSON.stringify(head.test),
  columnOf(head.trackerExperimentId),
  columnOf(head.trackerExperimentUrl),
  head.usage === undefined ? null : JSON.stringify(head.usage)
]

/** columns that events change, in the order of `changedColumns` */
export const changedNames = [
  ...["updated_at", "state", "pending", "running", "completed", "failed", "cancelled"],
  ...["message", "test", "tracker_experiment_id", "tracker_experiment_url", "usage"]
]

/** those of them that are numbers */
export const countNames: ReadonlySet<string> = new Set(["pending", "running", "completed", "failed", "cancelled"])

export const changedAssignments = `${changedNames.map((name) => `${name} = ?`).join(", ")}, version = version + 1`

export const insertedValues = (job: Job): ReadonlyArray<Param> => {
  const [updatedAt, state, pending, running, completed, failed, cancelled, message, test, ...tracked] =
    changedColumns(job)
  return [
    ...[
      job.id,
      job.tenant,
      columnOf(job.owner),
      job.createdAt,
      updatedAt ?? null,
      job.name,
      nameKey(job.name),
      state ?? null,
      1
    ],
    ...[
      pending ?? null,
      running ?? null,
      completed ?? null,
      failed ?? null,
      cancelled ?? null,
      message ?? null,
      JSON.stringify(job.model),
      job.threshold
    ],
    ...[test ?? null, ...tracked]
  ]
}

const messageOf = (text: string): Message => {
  const { message, message_code, message_origin } = JSON.parse(text) as ReturnType<typeof messageWire>
  return { message, code: message_code, origin: message_origin }
}

export const headOfRow = (row: JobRow): JobHead => ({
  id: row.id,
  tenant: row.tenant,
  ...(row.owner === null ? undefined : { owner: row.owner }),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  name: row.name,
  state: row.state,
  message: messageOf(row.message),
  counts: {
    pending: row.pending,
    running: row.running,
    completed: row.completed,
    failed: row.failed,
    cancelled: row.cancelled
  },
  model: JSON.parse(row.model) as ModelRef,
  threshold: row.threshold,
  ...(row.tracker_experiment_id === null ? undefined : { trackerExperimentId: row.tracker_experiment_id }),
  ...(row.tracker_experiment_url === null ? undefined : { trackerExperimentUrl: row.tracker_experiment_url }),
  ...(row.test === null ? undefined : { test: JSON.parse(row.test) as JobTest }),
  ...(row.usage === null ? undefined : { usage: JSON.parse(row.usage) as Usage })
})
