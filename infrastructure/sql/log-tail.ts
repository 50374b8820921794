/**
 * Following the change log of a PostgreSQL that several servers write to. Numbers are handed out before their transactions commit, so
 * a lower number may appear after a higher one: the tail stops at a gap until every transaction that could still fill it has ended.
 * NOTIFY only says "look"; it is sent after the commit, in batches, because a transaction that notifies commits alone.
 */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Deferred, Duration, Effect, Random, Schedule, type Scope, Stream } from "effect"
import type { Unavailable } from "../../application/errors.ts"
import type { Change } from "../../application/ports/change-feed.ts"
import type { TaskKind } from "../../application/ports/task-queue.ts"
import type { ChangeHub } from "../memory/change-hub.ts"
import type { TaskSignals } from "../memory/task-signals.ts"
import type { Database } from "./client.ts"
import type { Session } from "./session.ts"

const channel = "evald_commits"
const page = 1000
/** looking without being told: what a lost notification costs at most */
const poll = Duration.seconds(1)
const gapPause = Duration.millis(5)
const notifyPause = Duration.millis(10)
const pingEvery = Duration.seconds(5)
/** a transaction of this service ends within its time-outs; nobody waits longer for one */
const patience = Duration.seconds(30)

export const highest = (session: Session) =>
  Effect.map(session.query<{ latest: number | string | null }>("SELECT max(sequence) AS latest FROM changes", []), ([row]) => Number(row?.latest ?? 0))

interface TailRow {
  readonly sequence: string
  readonly tenant: string
  readonly job_id: string
  readonly kind: Change["kind"]
  /** transactions below have ended / have begun when the row was read */
  readonly ended: string
  readonly begun: string
}

const horizon = "pg_snapshot_xmin(pg_current_snapshot())::text AS ended, pg_snapshot_xmax(pg_current_snapshot())::text AS begun"
const tailText = `SELECT sequence, tenant, job_id, kind, ${horizon} FROM changes WHERE sequence > ? ORDER BY sequence LIMIT ${page}`

/** a gap below `upTo` is final once every transaction begun before `begun` has ended */
interface Doubt {
  readonly begun: number
  readonly upTo: number
}

interface Tail {
  position: number
  doubt: Doubt | undefined
}

/** moves the tail over rows that are settled and returns them; false: stopped at a gap that may still be filled */
export const settle = (tail: Tail, rows: ReadonlyArray<TailRow>): readonly [ReadonlyArray<Change>, boolean] => {
  const settled: Array<Change> = []
  for (const row of rows) {
    const sequence = Number(row.sequence)
    const contiguous = sequence === tail.position + 1
    const final = tail.doubt !== undefined && sequence <= tail.doubt.upTo && Number(row.ended) >= tail.doubt.begun
    if (!contiguous && !final) {
      if (tail.doubt === undefined || tail.doubt.upTo < sequence) tail.doubt = { begun: Number(row.begun), upTo: Number(rows.at(-1)?.sequence ?? sequence) }
      return [settled, false]
    }
    settled.push({ sequence, tenant: row.tenant, jobId: row.job_id, kind: row.kind })
    tail.position = sequence
  }
  return [settled, true]
}

/** the last number once all transactions open at this moment have ended, or patience has */
const start = (database: typeof Database.Service) =>
  Effect.gen(function* () {
    const begin = yield* Clock.currentTimeMillis
    const [first] = yield* database.read("tailStart", (session) =>
      session.query<{ latest: string | null; begun: string }>(`SELECT (SELECT max(sequence) FROM changes) AS latest, ${horizon}`, [])
    )
    const ended = database.read("tailHorizon", (session) => session.query<{ ended: string }>(`SELECT ${horizon}`, []))
    const open = Effect.map(ended, ([row]) => Number(row?.ended ?? 0) < Number(first?.begun ?? 0))
    while (yield* open) {
      if ((yield* Clock.currentTimeMillis) - begin > Duration.toMillis(patience)) break
      yield* Effect.sleep("20 millis")
    }
    return Number(first?.latest ?? 0)
  })

/** a wish, kept while nobody waits for it; the same wish twice is one */
const makeLatch = () => {
  let raised = false
  let wake: (() => void) | undefined
  return {
    raise: () => {
      raised = true
      wake?.()
    },
    take: Effect.async<void>((resume) => {
      const done = () => {
        raised = false
        wake = undefined
        resume(Effect.void)
      }
      if (raised) return done()
      wake = done
      return Effect.sync(() => {
        wake = undefined
      })
    })
  }
}

const isTaskKind: { readonly [Kind in TaskKind]: true } = { launch: true, cleanup: true }

/** the kind of task that a notification names */
const kindIn = (payload: string): TaskKind | undefined => {
  const word = payload.split(" ")[1] ?? ""
  return Object.hasOwn(isTaskKind, word) ? (word as TaskKind) : undefined
}

/** what others say; the driver's listen stays silent for ever after its connection died, so a ping through the database proves the path */
const heard = (pg: PgClient.PgClient, ping: Effect.Effect<void>, name: string): Stream.Stream<string> =>
  pg.listen(channel).pipe(
    Stream.merge(Stream.drain(Stream.repeatEffectWithSchedule(ping, Schedule.spaced(pingEvery)))),
    Stream.timeoutFail(() => "silent" as const, Duration.times(pingEvery, 3)),
    Stream.retry(Schedule.jittered(Schedule.spaced("1 second"))),
    Stream.catchAll(() => Stream.empty),
    Stream.filter((payload) => !payload.startsWith(`${name} `))
  )

export interface LogTail {
  readonly changed: () => void
  readonly tasked: (kind: TaskKind) => void
  readonly settled: Effect.Effect<number, Unavailable>
}

export const make = (
  database: typeof Database.Service,
  pg: PgClient.PgClient,
  hub: typeof ChangeHub.Service,
  signals: typeof TaskSignals.Service
): Effect.Effect<LogTail, never, Scope.Scope> =>
  Effect.gen(function* () {
    const name = (yield* Random.nextInt).toString(36)
    const [look, speak] = [makeLatch(), makeLatch()]
    const unsaid = new Set<string>()
    const tail: Tail = { position: 0, doubt: undefined }
    const started = yield* Deferred.make<void>()
    const say = (payload: string) =>
      Effect.ignore(database.read("notify", (session) => session.query("SELECT pg_notify(?, ?)", [channel, `${name} ${payload}`])))

    const speaking = Effect.gen(function* () {
      yield* speak.take
      const words = [...unsaid]
      unsaid.clear()
      yield* Effect.forEach(words, say, { discard: true })
      yield* Effect.sleep(notifyPause)
    })
    /** true: there may be more at once */
    const once = Effect.map(
      database.read("tailChanges", (session) => session.query<TailRow>(tailText, [tail.position])),
      (rows) => {
        const [changes, whole] = settle(tail, rows)
        for (const change of changes) hub.publish(change)
        return whole ? (rows.length === page ? "more" : "idle") : "gap"
      }
    )
    const looking = Effect.flatMap(
      Effect.catchAll(once, (error) => Effect.as(Effect.logWarning("the change log cannot be read", error), "idle" as const)),
      (state) => {
        if (state === "more") return Effect.void
        return state === "gap" ? Effect.sleep(gapPause) : Effect.asVoid(Effect.timeoutOption(look.take, poll))
      }
    )
    const begin = start(database).pipe(
      Effect.retry(Schedule.spaced(poll)),
      Effect.tap((position) => {
        tail.position = position
        return Deferred.succeed(started, undefined)
      })
    )
    yield* Effect.forkScoped(Effect.zipRight(begin, Effect.forever(looking)))
    yield* Effect.forkScoped(Effect.forever(speaking))
    yield* Effect.forkScoped(
      Stream.runForEach(heard(pg, say("ping"), name), (payload) =>
        Effect.sync(() => {
          const kind = kindIn(payload)
          if (kind === undefined) look.raise()
          else signals.raise(kind)
        })
      )
    )
    const tell = (word: string) => {
      unsaid.add(word)
      speak.raise()
    }
    return {
      changed: () => {
        look.raise()
        tell("changes")
      },
      tasked: (kind) => {
        signals.raise(kind)
        tell(kind)
      },
      settled: Effect.map(Deferred.await(started), () => tail.position)
    }
  })
