/** Durable work in a database: leases, fencing and fair order. Storing tasks is in `enqueue.ts`, within the causing transaction. */
import { Clock, Effect, Layer } from "effect"
import { farthestMillis, type Task, type TaskKind, TaskQueue } from "../../application/ports/task-queue.ts"
import { TaskSignals } from "../memory/task-signals.ts"
import { Database } from "./client.ts"
import type { Session } from "./session.ts"

interface TaskRow {
  readonly kind: TaskKind
  readonly key: string
  readonly tenant: string
  readonly job_id: string
  readonly idx: number | null
  readonly rank: number
  readonly term: number
  readonly attempts: number
}

const iso = (millis: number): string => new Date(millis).toISOString()

/** several servers claim at once: rows that another one is claiming are passed over */
const claimText = (session: Session) => `WITH due AS MATERIALIZED (
    SELECT kind AS due_kind, key AS due_key FROM tasks
    WHERE kind = ? AND buried_at IS NULL AND (due_at <= ? OR due_at > ?) AND (lease_until IS NULL OR lease_until <= ? OR lease_until > ?)
    ORDER BY rank, key LIMIT ? ${session.dialect === "pg" ? "FOR UPDATE SKIP LOCKED" : ""})
  UPDATE tasks SET lease_until = ?, holder = ?, term = term + 1, attempts = attempts + 1 FROM due WHERE kind = due_kind AND key = due_key
  RETURNING kind, key, tenant, job_id, idx, rank, term, attempts`

const tick = `INSERT INTO task_clocks (kind, rank) VALUES (?, ?)
  ON CONFLICT (kind) DO UPDATE SET rank = CASE WHEN excluded.rank > task_clocks.rank THEN excluded.rank ELSE task_clocks.rank END`

const claim = (session: Session, kind: TaskKind, holder: string, limit: number, millis: number, leaseMillis: number) =>
  Effect.gen(function* () {
    const now = iso(millis)
    const farthest = iso(millis + farthestMillis)
    const claimed = yield* session.write<TaskRow>(claimText(session), [kind, now, farthest, now, farthest, limit, iso(millis + leaseMillis), holder])
    const rows = [...claimed].sort((a, b) => a.rank - b.rank || (a.key < b.key ? -1 : 1))
    const last = rows.findLast((row) => row.attempts === 1)
    if (last !== undefined) yield* session.write(tick, [kind, last.rank])
    return rows.map((row): Task => {
      const task = { kind: row.kind, key: row.key, tenant: row.tenant, jobId: row.job_id, term: row.term, attempts: row.attempts }
      return row.idx === null ? task : { ...task, index: row.idx }
    })
  })

const held = "WHERE kind = ? AND key = ? AND holder = ? AND term = ?"
const holding = (task: Task, holder: string) => [task.kind, task.key, holder, task.term]

interface StatsRow {
  readonly kind: TaskKind
  readonly waiting: number | string
  readonly leased: number | string
  readonly buried: number | string
  readonly oldest: string | null
}

const statsText = `SELECT kind,
    sum(CASE WHEN buried_at IS NULL AND (lease_until IS NULL OR lease_until <= ?) THEN 1 ELSE 0 END) AS waiting,
    sum(CASE WHEN buried_at IS NULL AND lease_until > ? THEN 1 ELSE 0 END) AS leased,
    sum(CASE WHEN buried_at IS NOT NULL THEN 1 ELSE 0 END) AS buried,
    min(CASE WHEN buried_at IS NULL AND due_at <= ? AND (lease_until IS NULL OR lease_until <= ?) THEN due_at END) AS oldest
  FROM tasks GROUP BY kind ORDER BY kind`

const make = Effect.gen(function* () {
  const database = yield* Database
  const signals = yield* TaskSignals
  return TaskQueue.of({
    claim: (kind, holder, limit, leaseMillis) =>
      limit <= 0
        ? Effect.succeed([])
        : Effect.flatMap(Clock.currentTimeMillis, (now) => database.write("claimTasks", (session) => claim(session, kind, holder, limit, now, leaseMillis))),
    renew: (task, holder, leaseMillis) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.map(
          database.write("renewTask", (session) =>
            session.write<{ key: string }>(`UPDATE tasks SET lease_until = ? ${held} RETURNING key`, [iso(now + leaseMillis), ...holding(task, holder)])
          ),
          (rows) => rows.length === 1
        )
      ),
    complete: (task, holder) => Effect.asVoid(database.write("completeTask", (session) => session.write(`DELETE FROM tasks ${held}`, holding(task, holder)))),
    retry: (task, holder, dueAt, reason) =>
      Effect.asVoid(
        database.write("retryTask", (session) => {
          session.afterCommit(() => signals.raise(task.kind))
          return session.write(`UPDATE tasks SET due_at = ?, reason = ?, lease_until = NULL, holder = NULL ${held}`, [dueAt, reason, ...holding(task, holder)])
        })
      ),
    bury: (task, holder, reason) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.asVoid(
          database.write("buryTask", (session) =>
            session.write(`UPDATE tasks SET buried_at = ?, reason = ?, lease_until = NULL, holder = NULL ${held}`, [iso(now), reason, ...holding(task, holder)])
          )
        )
      ),
    stats: Effect.flatMap(Clock.currentTimeMillis, (millis) => {
      const now = iso(millis)
      return Effect.map(
        database.read("taskStats", (session) => session.query<StatsRow>(statsText, [now, now, now, now])),
        (rows) =>
          rows.map((row) => ({
            kind: row.kind,
            waiting: Number(row.waiting),
            leased: Number(row.leased),
            buried: Number(row.buried),
            lagSeconds: row.oldest === null ? 0 : Math.max(0, (millis - Date.parse(row.oldest)) / 1000)
          }))
      )
    }),
    awaitWork: signals.wait
  })
})

export const layer: Layer.Layer<TaskQueue, never, Database | TaskSignals> = Layer.effect(TaskQueue, make)
