/** Watching changes of jobs in a database. */
import { Effect, Layer, Schedule } from "effect"
import { type Change, ChangeFeed } from "../../../application/ports/change-feed.ts"
import { type ChangeFilter, ChangeHub } from "../../in-process/change-hub.ts"
import { type ChangeLog, followChanges } from "../../in-process/follow-changes.ts"
import { Database } from "../connection/client.ts"
import type { Session } from "../connection/session.ts"
import { Announcements } from "./announcements.ts"

/** changes kept for watchers that come back; older ones are forgotten */
const kept = 100_000

/** up to which number changes were forgotten, so that a watcher who needs them is told */
const forgottenKey = "changes_forgotten"

const note = `INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value
  WHERE CAST(settings.value AS BIGINT) < CAST(excluded.value AS BIGINT)`

const forget = (session: Session, upTo: number) =>
  Effect.zipRight(
    session.write("DELETE FROM changes WHERE sequence <= ?", [upTo]),
    session.write(note, [forgottenKey, String(upTo)])
  )

interface BoundsRow {
  readonly newest: number | string | null
  readonly forgotten: string | null
}

/** the whole log, also what is not settled yet: another server may have told its watchers already */
const boundsText =
  "SELECT (SELECT max(sequence) FROM changes) AS newest, (SELECT value FROM settings WHERE name = ?) AS forgotten"

const readBounds = (session: Session) =>
  Effect.map(session.query<BoundsRow>(boundsText, [forgottenKey]), ([row]) => ({
    newest: Number(row?.newest ?? 0),
    forgotten: Number(row?.forgotten ?? 0)
  }))

interface ChangeRow {
  readonly sequence: number | string
  readonly tenant: string
  readonly job_id: string
  readonly kind: Change["kind"]
}

const toChange = (row: ChangeRow): Change => ({
  sequence: Number(row.sequence),
  tenant: row.tenant,
  jobId: row.job_id,
  kind: row.kind
})

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
    read: (filter, after, page) =>
      Effect.flatMap(settled, (upTo) =>
        database.read("readChanges", (session) => readLog(session, filter, after, upTo, page))
      ),
    latest: settled,
    bounds: database.read("changeBounds", readBounds)
  }

  const forgetAllBut = (count: number) =>
    Effect.flatMap(settled, (newest) =>
      newest <= count
        ? Effect.void
        : Effect.asVoid(database.write("forgetChanges", (session) => forget(session, newest - count)))
    )
  yield* forgetAllBut(kept).pipe(Effect.ignoreLogged, Effect.repeat(Schedule.spaced("1 minute")), Effect.forkScoped)

  return ChangeFeed.of({
    subscribe: (filter, after) => followChanges(hub, log, filter, after),
    latest: settled,
    forgetAllBut
  })
})

export const layer = Layer.scoped(ChangeFeed, make)
