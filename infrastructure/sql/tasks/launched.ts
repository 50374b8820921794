/**
 * How many benchmarks of a tenant are launched and unfinished: all that have not ended, without those whose launch task waits for a claim.
 * Costs one look-up for each unfinished benchmark of the tenant, and is asked only where `tenants.max_running` is set.
 */
import { Effect } from "effect"
import { farthestMillis } from "../../../application/ports/task-queue.ts"
import { timeParam, timeText } from "../connection/database-time.ts"
import type { Dialect, Session } from "../connection/session.ts"

/** keys of launch tasks are `<job id>/<index>/<attempt>`; "0" comes after "/" */
const text = (dialect: Dialect): string => {
  const time = timeText(dialect)
  return `SELECT count(*) AS launched FROM jobs j JOIN job_benchmarks b ON b.job_key = j.key
    WHERE j.tenant = ? AND j.state IN ('pending', 'running') AND b.state IN ('pending', 'running') AND NOT EXISTS (
      SELECT 1 FROM tasks t WHERE t.kind = 'launch' AND t.key > j.id || '/' || b.idx || '/' AND t.key < j.id || '/' || b.idx || '0'
        AND t.buried_at IS NULL AND (t.lease_until IS NULL OR t.lease_until <= ${time} OR t.lease_until > ${time}))`
}

const texts = { sqlite: text("sqlite"), pg: text("pg") } as const

/** any number, the same in every server: claims of launches are counted one after the other */
const launchLock = 7_270_010_132

export const lockLaunches = (session: Session) =>
  session.dialect === "pg" ? Effect.asVoid(session.query("SELECT pg_advisory_xact_lock(?)", [launchLock])) : Effect.void

/** `now`: this server's clock in milliseconds, for a database that has none of its own */
export const launchedOf = (session: Session, tenant: string, now: number) =>
  Effect.map(
    session.query<{ launched: number | string }>(texts[session.dialect], [
      tenant,
      timeParam(session.dialect, now),
      timeParam(session.dialect, now, farthestMillis)
    ]),
    ([row]) => Number(row?.launched ?? 0)
  )
