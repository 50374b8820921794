/**
 * Storing tasks in the transaction that causes them. The rank of a task is where its tenant's queue stands (the lowest rank
 * that waits, else the last one claimed of the kind) plus its position in its job: start-time fair queueing, so that a new small job
 * does not wait behind all of a big one. Ranks of different tenants are never compared: tenants take turns.
 */
import { Effect } from "effect"
import type { NewTask, TaskKind } from "../../../application/ports/task-queue.ts"
import { timeParam, timeText } from "../connection/database-time.ts"
import { type Dialect, type Param, type Session, textByRows } from "../connection/session.ts"

export type OnTask = (kind: TaskKind) => void

/** where the queue of a tenant stands; takes kind, tenant, kind */
export const standing = `SELECT coalesce(
  (SELECT rank FROM tasks WHERE kind = ? AND tenant = ? AND buried_at IS NULL AND attempts = 0 ORDER BY rank, key LIMIT 1),
  (SELECT rank FROM task_clocks WHERE kind = ?), 0) AS rank`

/** rows per statement: bounded by the number of parameters a statement may have */
const chunk = 500

export const insertedColumns = "kind, key, tenant, job_id, idx, rank, due_at, term, attempts"

/** a task that is there already becomes due again and its holder, if any, loses it */
export const dueAgain = `ON CONFLICT (kind, key) DO UPDATE SET
  due_at = excluded.due_at, lease_until = NULL, holder = NULL, attempts = 0, reason = NULL, buried_at = NULL, term = tasks.term + 1`

const insertIn = (dialect: Dialect) => {
  const row = `(?, ?, ?, ?, ?, ?, ${timeText(dialect)}, 0, 0)`
  return textByRows(
    (rows) =>
      `INSERT INTO tasks (${insertedColumns}) VALUES ${Array.from({ length: rows }, () => row).join(", ")} ${dueAgain}`
  )
}

const insert = { sqlite: insertIn("sqlite"), pg: insertIn("pg") }

/** `now`: ISO time of this server's clock, for a database that has none of its own */
export const enqueue = (session: Session, tasks: ReadonlyArray<NewTask>, now: string, onTask: OnTask) =>
  Effect.gen(function* () {
    const own = Date.parse(now)
    const atOnce = timeParam(session.dialect, own)
    for (const kind of new Set(tasks.map((task) => task.kind))) {
      const ofKind = tasks.filter((task) => task.kind === kind)
      for (const tenant of new Set(ofKind.map((task) => task.tenant))) {
        const [row] = yield* session.query<{ rank: number }>(standing, [kind, tenant, kind])
        const base = row?.rank ?? 0
        const rows = ofKind
          .filter((task) => task.tenant === tenant)
          .map(
            (task): ReadonlyArray<Param> => [
              kind,
              task.key,
              tenant,
              task.jobId,
              task.index ?? null,
              base + task.order,
              task.delayMillis === undefined ? atOnce : timeParam(session.dialect, own, task.delayMillis)
            ]
          )
        for (let start = 0; start < rows.length; start += chunk) {
          const part = rows.slice(start, start + chunk)
          yield* session.write(insert[session.dialect](part.length), part.flat())
        }
      }
      session.afterCommit(() => onTask(kind))
    }
  })
