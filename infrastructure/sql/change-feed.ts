/** Watching changes: first what the log has, then what this process hears of. */
import { Chunk, Effect, Layer, Schedule, Stream } from "effect"
import type { Unavailable } from "../../application/errors.ts"
import { type Change, ChangeFeed } from "../../application/ports/change-feed.ts"
import { type ChangeFilter, ChangeHub } from "../memory/change-hub.ts"
import { Database } from "./client.ts"
import type { Session } from "./session.ts"

/** changes kept for watchers that come back; older ones are forgotten */
const kept = 100_000

/** changes read from the log at once */
const page = 500

interface ChangeRow {
  readonly sequence: number | string
  readonly tenant: string
  readonly job_id: string
  readonly kind: Change["kind"]
}

const toChange = (row: ChangeRow): Change => ({ sequence: Number(row.sequence), tenant: row.tenant, jobId: row.job_id, kind: row.kind })

const readLog = (session: Session, filter: ChangeFilter, after: number) => {
  const job = filter.jobId === undefined ? "" : " AND job_id = ?"
  return Effect.map(
    session.query<ChangeRow>(`SELECT sequence, tenant, job_id, kind FROM changes WHERE sequence > ? AND tenant = ?${job} ORDER BY sequence LIMIT ${page}`, [
      ...[after, filter.tenant],
      ...(filter.jobId === undefined ? [] : [filter.jobId])
    ]),
    (rows) => rows.map(toChange)
  )
}

const latestIn = (session: Session) =>
  Effect.map(session.query<{ latest: number | string | null }>("SELECT max(sequence) AS latest FROM changes", []), ([row]) => Number(row?.latest ?? 0))

const make = Effect.gen(function* () {
  const database = yield* Database
  const hub = yield* ChangeHub
  const latest = database.read("latestChange", latestIn)

  const subscribe = (filter: ChangeFilter, after: number | undefined): Stream.Stream<Change, Unavailable> =>
    Stream.unwrapScoped(
      Effect.gen(function* () {
        // listening begins before the log is read: what is in both is recognised by its number, nothing falls between
        const next = yield* hub.listen(filter)
        let last = after ?? (yield* latest)
        let replaying = after !== undefined
        const advance = (changes: ReadonlyArray<Change>): Chunk.Chunk<Change> => {
          const fresh = changes.filter((change) => change.sequence > last)
          last = fresh.at(-1)?.sequence ?? last
          return Chunk.unsafeFromArray(fresh)
        }
        const pull: Effect.Effect<Chunk.Chunk<Change>, Unavailable> = Effect.suspend(() => {
          if (!replaying) {
            return Effect.map(next, (heard) => {
              if (heard._tag === "Changes") return advance(heard.changes)
              replaying = true
              return Chunk.empty()
            })
          }
          return Effect.map(
            database.read("readChanges", (session) => readLog(session, filter, last)),
            (changes) => {
              replaying = changes.length === page
              return advance(changes)
            }
          )
        })
        return Stream.repeatEffectChunk(pull)
      })
    )

  const prune = Effect.flatMap(latest, (newest) =>
    database.write("pruneChanges", (session) => session.write("DELETE FROM changes WHERE sequence <= ?", [newest - kept]))
  )
  yield* prune.pipe(Effect.ignoreLogged, Effect.repeat(Schedule.spaced("1 minute")), Effect.forkScoped)

  return ChangeFeed.of({ subscribe, latest })
})

export const layer = Layer.scoped(ChangeFeed, make)
