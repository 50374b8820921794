/** Does the database say the same thing everywhere? One line per contradiction, none when it is sound. */
import { Effect } from "effect"
import type { JobState } from "../../../domain/job/job.ts"
import { aggregate } from "../../../domain/job/job-state.ts"
import { Database } from "./client.ts"
import type { Session } from "./session.ts"

type Count = number | string

const integrity = (session: Session) =>
  session.dialect === "pg"
    ? Effect.succeed([])
    : Effect.map(session.query<{ integrity_check: string }>("PRAGMA integrity_check", []), (rows) =>
        rows.map((row) => row.integrity_check).filter((line) => line !== "ok")
      )

interface CountsRow {
  readonly key: number
  readonly id: string
  readonly state: JobState
  readonly pending: number
  readonly running: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  readonly actual: string | null
}

/** counts in the order of the columns, from the job's row and from its benchmarks */
const countsText = `SELECT j.key, j.id, j.state, j.pending, j.running, j.completed, j.failed, j.cancelled,
  (SELECT sum(CASE WHEN b.state = 'pending' THEN 1 ELSE 0 END) || '/' || sum(CASE WHEN b.state = 'running' THEN 1 ELSE 0 END) || '/' ||
    sum(CASE WHEN b.state = 'completed' THEN 1 ELSE 0 END) || '/' || sum(CASE WHEN b.state = 'failed' THEN 1 ELSE 0 END) || '/' ||
    sum(CASE WHEN b.state = 'cancelled' THEN 1 ELSE 0 END) FROM job_benchmarks b WHERE b.job_key = j.key) AS actual
  FROM jobs j WHERE j.key > ? ORDER BY j.key LIMIT ?`

const page = 1000

const contradictions = (row: CountsRow): ReadonlyArray<string> => {
  const { pending, running, completed, failed, cancelled } = row
  const counted = [pending, running, completed, failed, cancelled].join("/")
  const state = aggregate({ pending, running, completed, failed, cancelled })
  return [
    ...(counted === row.actual
      ? []
      : [
          `job ${row.id}: counts ${counted}, but its benchmarks are ${row.actual ?? "missing"} (pending/running/completed/failed/cancelled)`
        ]),
    ...(state === row.state ? [] : [`job ${row.id}: is ${row.state}, but its counts say ${state}`])
  ]
}

const jobs = (session: Session) =>
  Effect.gen(function* () {
    const problems: Array<string> = []
    let after = 0
    for (;;) {
      const rows = yield* session.query<CountsRow>(countsText, [after, page])
      for (const row of rows) problems.push(...contradictions(row))
      const last = rows.at(-1)
      if (last === undefined || rows.length < page) return problems
      after = last.key
    }
  })

interface TotalRow {
  readonly tenant: string
  readonly state: string
  readonly kept: Count
  readonly actual: Count
}

const totalsText = `SELECT tenant, state, sum(kept) AS kept, sum(actual) AS actual FROM (
    SELECT tenant, state, jobs AS kept, 0 AS actual FROM job_counts UNION ALL SELECT tenant, state, 0 AS kept, 1 AS actual FROM jobs
  ) totals GROUP BY tenant, state HAVING sum(kept) <> sum(actual) ORDER BY tenant, state`

const totals = (session: Session) =>
  Effect.map(session.query<TotalRow>(totalsText, []), (rows) =>
    rows.map(
      (row) =>
        `tenant ${row.tenant}: the total of ${row.state} jobs is kept as ${row.kept}, but there are ${row.actual}`
    )
  )

const orphans: ReadonlyArray<readonly [string, string]> = [
  [
    "jobs without their request",
    "SELECT count(*) AS n FROM jobs j WHERE NOT EXISTS (SELECT 1 FROM job_requests r WHERE r.job_key = j.key)"
  ],
  [
    "requests without their job",
    "SELECT count(*) AS n FROM job_requests r WHERE NOT EXISTS (SELECT 1 FROM jobs j WHERE j.key = r.job_key)"
  ],
  [
    "benchmarks without their job",
    "SELECT count(*) AS n FROM job_benchmarks b WHERE NOT EXISTS (SELECT 1 FROM jobs j WHERE j.key = b.job_key)"
  ],
  [
    "list entries without their job",
    "SELECT count(*) AS n FROM job_labels l WHERE NOT EXISTS (SELECT 1 FROM jobs j WHERE j.key = l.job_key)"
  ]
]

const strays = (session: Session) =>
  Effect.map(
    Effect.forEach(orphans, ([name, text]) =>
      Effect.map(session.query<{ n: Count }>(text, []), ([row]) => ({ name, count: Number(row?.n ?? 0) }))
    ),
    (found) => found.filter(({ count }) => count > 0).map(({ name, count }) => `${count} ${name}`)
  )

/** reads everything; a server may be running meanwhile on PostgreSQL only with the risk of seeing two moments */
export const checkDatabase = Effect.flatMap(Database, (database) =>
  database.read("check", (session) =>
    Effect.map(Effect.all([integrity(session), jobs(session), totals(session), strays(session)]), (parts) =>
      parts.flat()
    )
  )
)
