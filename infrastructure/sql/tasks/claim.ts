/**
 * Claiming tasks: tenants in turn, beginning after the one served last, and within a tenant by rank, so that a tenant with many jobs
 * does not hold up the others. One statement finds whose turn it is and how many tasks each has; then each tenant's share is claimed.
 */
import type { SqlError } from "@effect/sql"
import { Effect } from "effect"
import { farthestMillis, type Task, type TaskKind } from "../../../application/ports/task-queue.ts"
import { inTurns } from "../../in-process/turns.ts"
import { timeParam, timeText } from "../connection/database-time.ts"
import type { Dialect, Param, Session } from "../connection/session.ts"
import { launchedOf, lockLaunches } from "./launched.ts"

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

export interface Claim {
  readonly kind: TaskKind
  readonly holder: string
  readonly limit: number
  /** benchmarks of one tenant that may be launched and unfinished; absent: any number */
  readonly mostLaunched?: number | undefined
  /** this server's clock, in milliseconds since 1970; PostgreSQL goes by its own */
  readonly now: number
  readonly leaseMillis: number
}

/** a time that is further away was written before the clock was set back */
const isDue = (dialect: Dialect): string => {
  const time = timeText(dialect)
  return `buried_at IS NULL AND (due_at <= ${time} OR due_at > ${time}) AND (lease_until IS NULL OR lease_until <= ${time} OR lease_until > ${time})`
}

const dueTimes = ({ dialect }: Session, now: number): ReadonlyArray<Param> => {
  const [over, farthest] = [timeParam(dialect, now), timeParam(dialect, now, farthestMillis)]
  return [over, farthest, over, farthest]
}

/** one text per database, so that it stays prepared */
const perDialect = (text: (dialect: Dialect) => string): { readonly [D in Dialect]: string } => ({
  sqlite: text("sqlite"),
  pg: text("pg")
})

/**
 * Tenants with due tasks, in the order of their turns: from the one after the last served to the end (lap 0), then from the beginning
 * to the last served (lap 1). Each step is one seek in the index, whatever a tenant has waiting; the steps end with the outer LIMIT.
 * The inner ORDER BY are what leads the planner to the tenant's part of the index.
 */
const turnsText = perDialect(
  (dialect) => `WITH RECURSIVE places (start, lap, tenant) AS (
    SELECT last, 0, last FROM (SELECT coalesce(?, (SELECT tenant FROM task_clocks WHERE kind = ?), '') AS last) served
    UNION ALL
    SELECT start, CASE WHEN places.tenant IS NULL THEN 1 ELSE lap END,
      (SELECT t.tenant FROM tasks t WHERE t.kind = ? AND t.buried_at IS NULL AND t.tenant > coalesce(places.tenant, '') ORDER BY t.tenant LIMIT 1)
    FROM places WHERE lap = 0 OR places.tenant < start)
  SELECT start, tenant,
    (SELECT count(*) FROM (SELECT 1 FROM tasks t WHERE t.kind = ? AND t.tenant = places.tenant AND ${isDue(dialect)} ORDER BY rank, key LIMIT ?) found) AS due
  FROM places WHERE ((lap = 0 AND tenant > start) OR (lap = 1 AND tenant <= start))
    AND (SELECT 1 FROM tasks t WHERE t.kind = ? AND t.tenant = places.tenant AND ${isDue(dialect)} ORDER BY rank, key LIMIT 1) = 1
  LIMIT ?`
)

interface Turn {
  /** the tenant served last */
  readonly start: string
  readonly tenant: string
  /** tasks that may be claimed, at most as many as are asked for */
  readonly due: number | string
}

/** several servers claim at once: rows that another one is claiming are passed over */
const claimText = perDialect(
  (dialect) => `WITH due AS MATERIALIZED (
    SELECT kind AS due_kind, key AS due_key FROM tasks WHERE kind = ? AND tenant = ? AND ${isDue(dialect)}
    ORDER BY rank, key LIMIT ? ${dialect === "pg" ? "FOR UPDATE SKIP LOCKED" : ""})
  UPDATE tasks SET lease_until = ${timeText(dialect)}, holder = ?, term = term + 1, attempts = attempts + 1 FROM due WHERE kind = due_kind AND key = due_key
  RETURNING kind, key, tenant, job_id, idx, rank, term, attempts`
)

const tick = `INSERT INTO task_clocks (kind, rank, tenant) VALUES (?, ?, ?)
  ON CONFLICT (kind) DO UPDATE SET tenant = excluded.tenant,
    rank = CASE WHEN excluded.rank > task_clocks.rank THEN excluded.rank ELSE task_clocks.rank END`

const claimOfTenant = (session: Session, { kind, holder, now, leaseMillis }: Claim, tenant: string, share: number) =>
  Effect.map(
    session.write<TaskRow>(claimText[session.dialect], [
      ...[kind, tenant, ...dueTimes(session, now), share],
      ...[timeParam(session.dialect, now, leaseMillis), holder]
    ]),
    (rows) => rows.toSorted((a, b) => a.rank - b.rank || (a.key < b.key ? -1 : 1))
  )

interface Round {
  /** the tenant served last, unless nobody has the turn */
  readonly start: string | undefined
  readonly next: string | null
  /** tasks that were there when they were listed */
  readonly planned: number
  readonly rows: ReadonlyArray<TaskRow>
}

/** tenants that one listing looks at where some of them may have no room: none is passed over for good, because their turns go round */
const mostTenants = 10_000

/** each tenant with as many tasks as it has room for; those without any have no turn */
const withRoom = (session: Session, { limit, mostLaunched, now }: Claim, turns: ReadonlyArray<Turn>) =>
  Effect.gen(function* () {
    if (mostLaunched === undefined) return turns
    const roomy: Array<Turn> = []
    for (const turn of turns) {
      if (roomy.length === limit) break
      const room = mostLaunched - (yield* launchedOf(session, turn.tenant, now))
      if (room > 0) roomy.push({ ...turn, due: Math.min(Number(turn.due), room) })
    }
    return roomy
  })

/** the shares of one listing; `after` is the tenant that had the turn before, by default the one served last */
const round = (session: Session, request: Claim, after: string | null): Effect.Effect<Round, SqlError.SqlError> =>
  Effect.gen(function* () {
    const { kind, limit, now } = request
    const listed = yield* session.query<Turn>(turnsText[session.dialect], [
      ...[after, kind, kind, kind, ...dueTimes(session, now), limit],
      ...[kind, ...dueTimes(session, now), request.mostLaunched === undefined ? limit : mostTenants]
    ])
    const turns = yield* withRoom(session, request, listed)
    const shares = inTurns(
      turns.map(({ tenant, due }) => Array.from({ length: Number(due) }, () => tenant)),
      limit
    )
    const claimed = yield* Effect.forEach(turns, ({ tenant }) =>
      claimOfTenant(
        session,
        request,
        tenant,
        shares.reduce((sum, one) => (one === tenant ? sum + 1 : sum), 0)
      )
    )
    return {
      start: listed[0]?.start,
      next: turns.at(-1)?.tenant ?? null,
      planned: shares.length,
      rows: inTurns(claimed, limit)
    }
  })

/** what other servers took between listing and claiming is made up for so many times; a claim after this one finds the rest */
const mostRounds = 3

export const claim = (session: Session, request: Claim) =>
  Effect.gen(function* () {
    if (request.mostLaunched !== undefined) yield* lockLaunches(session)
    const rows: Array<TaskRow> = []
    let after: string | null = null
    let start: string | undefined
    for (let count = 0; count < mostRounds && rows.length < request.limit; count++) {
      const found: Round = yield* round(session, { ...request, limit: request.limit - rows.length }, after)
      rows.push(...found.rows)
      after = found.next
      start ??= found.start
      if (found.rows.length === found.planned) break
    }
    const [last, fresh] = [rows.at(-1), rows.filter((row) => row.attempts === 1)]
    if (last !== undefined && (fresh.length > 0 || last.tenant !== start))
      yield* session.write(tick, [request.kind, Math.max(0, ...fresh.map((row) => row.rank)), last.tenant])
    return rows.map((row): Task => {
      const task = {
        kind: row.kind,
        key: row.key,
        tenant: row.tenant,
        jobId: row.job_id,
        term: row.term,
        attempts: row.attempts
      }
      return row.idx === null ? task : { ...task, index: row.idx }
    })
  })
