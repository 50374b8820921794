/** Watching changes of jobs in a database. */
import { Effect, Layer, Schedule } from "effect"
import { type Change, ChangeFeed } from "../../application/ports/change-feed.ts"
import { type ChangeFilter, ChangeHub } from "../memory/change-hub.ts"
import { type ChangeLog, followChanges } from "../memory/follow-changes.ts"
import { Announcements } from "./announcements.ts"
import { Database } from "./client.ts"
import type { Session } from "./session.ts"

/** changes kept for watchers that come back; older ones are forgotten */
const kept = 100_000

interface ChangeRow {
  readonly sequence: number | string
  readonly tenant: string
  readonly job_id: string
  readonly kind: Change["kind"]
}

const toChange = (row: ChangeRow): Change => ({ sequence: Number(row.sequence), tenant: row.tenant, jobId: row.job_id, kind: row.kind })

const readLog = (session: Session, filter: ChangeFilter, after: number, upTo: number, page: number) => {
  const job = filter.jobId === undefined ? "" : " AND job_id = ?"
  return Effect.map(
    session.query<ChangeRow>(
      `SELECT sequence, tenant, job_id, kind FROM changes WHERE sequence > ? AND sequence <= ? AND tenant = ?${job} ORDER BY sequence LIMIT ?`,
      [...[after, upTo, filter.tenant], ...(filter.jobId === undefined ? [] : [filter.jobId]), page]
    ),
    (rows) => rows.map(toChange)
  )
}

const make = Effect.gen(function* () {
  const database = yield* Database
  const hub = yield* ChangeHub
  const { settled } = yield* Announcements
  const log: ChangeLog = {
    read: (filter, after, page) => Effect.flatMap(settled, (upTo) => database.read("readChanges", (session) => readLog(session, filter, after, upTo, page))),
    latest: settled
  }

  const prune = Effect.flatMap(settled, (newest) =>
    database.write("pruneChanges", (session) => session.write("DELETE FROM changes WHERE sequence <= ?", [newest - kept]))
  )
  yield* prune.pipe(Effect.ignoreLogged, Effect.repeat(Schedule.spaced("1 minute")), Effect.forkScoped)

  return ChangeFeed.of({ subscribe: (filter, after) => followChanges(hub, log, filter, after), latest: settled })
})

export const layer = Layer.scoped(ChangeFeed, make)
