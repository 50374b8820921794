/** Whether a tenant has room for the benchmarks of a new job, asked in the transaction that stores it. */
import { Effect } from "effect"
import { TenantFull } from "../../../application/errors.ts"
import type { Job } from "../../../domain/job/job.ts"
import { roomForBenchmarks, type TenantLimits } from "../../../domain/tenant/limits.ts"
import type { Session } from "../connection/session.ts"

/** any number, the same in every server */
const lockSpace = 727_001

const unfinished =
  "SELECT sum(pending) AS pending, sum(running) AS running FROM jobs WHERE tenant = ? AND state IN ('pending', 'running')"

/** submissions of one tenant wait for each other on PostgreSQL, or two of them would take the last place */
export const requireRoom = (session: Session, job: Job, limits: TenantLimits) =>
  Effect.gen(function* () {
    if (limits.maxQueued === undefined) return
    if (session.dialect === "pg")
      yield* session.query("SELECT pg_advisory_xact_lock(?, hashtext(?))", [lockSpace, job.tenant])
    const [row] = yield* session.query<{ pending: number | string | null; running: number | string | null }>(
      unfinished,
      [job.tenant]
    )
    const over = roomForBenchmarks(
      limits,
      { pending: Number(row?.pending ?? 0), running: Number(row?.running ?? 0) },
      job.counts.pending
    )
    if (over !== undefined) return yield* new TenantFull({ tenant: job.tenant, over })
  })
