/** Durable work in a database: leases and fencing. Storing tasks is in `enqueue.ts`, within the causing transaction; `claim.ts` has the fair order. */
import { Clock, Effect, Layer } from "effect"
import { type Task, type TaskKind, TaskQueue } from "../../../application/ports/task-queue.ts"
import { TaskSignals } from "../../in-process/task-signals.ts"
import { Database } from "../connection/client.ts"
import { timeParam, timeText } from "../connection/database-time.ts"
import type { Dialect } from "../connection/session.ts"
import { claim } from "./claim.ts"

const held = "WHERE kind = ? AND key = ? AND holder = ? AND term = ?"
const holding = (task: Task, holder: string) => [task.kind, task.key, holder, task.term]

interface StatsRow {
  readonly kind: TaskKind
  readonly waiting: number | string
  readonly leased: number | string
  readonly buried: number | string
  readonly oldest: string | null
  readonly now: string
}

const statsText = (dialect: Dialect) => `WITH clock AS (SELECT ${timeText(dialect)} AS now)
  SELECT kind,
    sum(CASE WHEN buried_at IS NULL AND (lease_until IS NULL OR lease_until <= now) THEN 1 ELSE 0 END) AS waiting,
    sum(CASE WHEN buried_at IS NULL AND lease_until > now THEN 1 ELSE 0 END) AS leased,
    sum(CASE WHEN buried_at IS NOT NULL THEN 1 ELSE 0 END) AS buried,
    min(CASE WHEN buried_at IS NULL AND due_at <= now AND (lease_until IS NULL OR lease_until <= now) THEN due_at END) AS oldest,
    max(now) AS now
  FROM tasks CROSS JOIN clock GROUP BY kind ORDER BY kind`

/** answered from the index of waiting tasks alone, while the figures above read every task */
const countText = "SELECT count(*) AS tasks FROM tasks WHERE kind = ? AND buried_at IS NULL"

const make = Effect.gen(function* () {
  const database = yield* Database
  const signals = yield* TaskSignals
  const { dialect } = database
  const [time, stats] = [timeText(dialect), statsText(dialect)]
  return TaskQueue.of({
    claim: (kind, holder, limit, leaseMillis, mostLaunched) =>
      limit <= 0
        ? Effect.succeed([])
        : Effect.flatMap(Clock.currentTimeMillis, (now) =>
            // a database file has one server, so that nobody else claims what this COMMIT shows; a loss of power that takes it away takes the holder and
            // its processes too, and the task is claimed again as after the end of a lease
            database.writeUnflushed("claimTasks", (session) =>
              claim(session, { kind, holder, limit, now, leaseMillis, mostLaunched })
            )
          ),
    renew: (task, holder, leaseMillis) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.map(
          database.writeOne("renewTask", (session) =>
            session.write<{ key: string }>(`UPDATE tasks SET lease_until = ${time} ${held} RETURNING key`, [
              timeParam(dialect, now, leaseMillis),
              ...holding(task, holder)
            ])
          ),
          (rows) => rows.length === 1
        )
      ),
    complete: (task, holder) =>
      Effect.asVoid(
        database.writeOne("completeTask", (session) =>
          session.write(`DELETE FROM tasks ${held}`, holding(task, holder))
        )
      ),
    retry: (task, holder, delayMillis, reason) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.asVoid(
          database.writeOne("retryTask", (session) => {
            session.afterCommit(() => signals.raise(task.kind))
            return session.write(
              `UPDATE tasks SET due_at = ${time}, reason = ?, lease_until = NULL, holder = NULL ${held}`,
              [...[timeParam(dialect, now, delayMillis), reason], ...holding(task, holder)]
            )
          })
        )
      ),
    bury: (task, holder, reason) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.asVoid(
          database.writeOne("buryTask", (session) =>
            session.write(
              `UPDATE tasks SET buried_at = ${time}, reason = ?, lease_until = NULL, holder = NULL ${held}`,
              [...[timeParam(dialect, now), reason], ...holding(task, holder)]
            )
          )
        )
      ),
    stats: Effect.flatMap(Clock.currentTimeMillis, (own) =>
      Effect.map(
        database.read("taskStats", (session) => session.query<StatsRow>(stats, [timeParam(dialect, own)])),
        (rows) =>
          rows.map((row) => ({
            kind: row.kind,
            waiting: Number(row.waiting),
            leased: Number(row.leased),
            buried: Number(row.buried),
            lagSeconds: row.oldest === null ? 0 : Math.max(0, (Date.parse(row.now) - Date.parse(row.oldest)) / 1000)
          }))
      )
    ),
    count: (kind) =>
      Effect.map(
        database.read("countTasks", (session) => session.query<{ tasks: number | string }>(countText, [kind])),
        ([row]) => Number(row?.tasks ?? 0)
      ),
    awaitWork: signals.wait
  })
})

export const layer: Layer.Layer<TaskQueue, never, Database | TaskSignals> = Layer.effect(TaskQueue, make)
