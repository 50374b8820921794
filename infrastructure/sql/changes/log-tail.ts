/**
 * Following the change log of a PostgreSQL that several servers write to, whose numbers may appear out of order (`log-gaps.ts`).
 * NOTIFY only says "look"; it is sent after the commit, in batches, because a transaction that notifies commits alone.
 */
import { Clock, Deferred, Duration, Effect, Random, Schedule, type Scope, Stream } from "effect"
import type { Unavailable } from "../../../application/errors.ts"
import type { TaskKind } from "../../../application/ports/task-queue.ts"
import type { ChangeHub } from "../../in-process/change-hub.ts"
import type { TaskSignals } from "../../in-process/task-signals.ts"
import type { Database } from "../connection/client.ts"
import type { RotatingClient } from "../connection/rotating-client.ts"
import type { Session } from "../connection/session.ts"
import { doubted, gapPause, settle, type Tail, type TailRow, type Writers } from "./log-gaps.ts"

const channel = "evald_commits"
const page = 1000
/** looking without being told: what a lost notification costs at most */
const poll = Duration.seconds(1)
const notifyPause = Duration.millis(10)
const pingEvery = Duration.seconds(5)
/** a transaction of this service ends within its time-outs; nobody waits longer for one */
const patienceMillis = 30_000

export const highest = (session: Session) =>
  Effect.map(
    session.query<{ latest: number | string | null }>("SELECT max(sequence) AS latest FROM changes", []),
    ([row]) => Number(row?.latest ?? 0)
  )

const tailText = `SELECT sequence, tenant, job_id, kind FROM changes WHERE sequence > ? ORDER BY sequence LIMIT ${page}`

/**
 * Who holds the write lock of the log. Every writer took it before its number and lets go of it after its commit can be seen, so that
 * nothing else can fill a gap.
 */
const writersText = `SELECT DISTINCT virtualtransaction AS writer FROM pg_locks
  WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND granted AND relation = 'changes'::regclass
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

const readWriters = (database: typeof Database.Service): Effect.Effect<Writers, Unavailable> =>
  Effect.map(
    database.read("tailWriters", (session) => session.query<{ writer: string }>(writersText, [])),
    (rows) => new Set(rows.map(({ writer }) => writer))
  )

const isAnyLeft = (before: Writers, now: Writers): boolean => [...before].some((writer) => now.has(writer))

/** a number below which everything is told, but what transactions may still write that nobody waits for any longer */
interface Position {
  readonly position: number
  readonly owing: Writers
}

const nobody: Writers = new Set()

/** the last number once all transactions that write to the log at this moment have ended, or patience has */
const start = (database: typeof Database.Service): Effect.Effect<Position, Unavailable> =>
  Effect.gen(function* () {
    const begin = yield* Clock.currentTimeMillis
    const position = yield* database.read("tailStart", highest)
    const writers = yield* readWriters(database)
    for (let looks = 0; writers.size > 0 && isAnyLeft(writers, yield* readWriters(database)); looks++) {
      if ((yield* Clock.currentTimeMillis) - begin > patienceMillis) return { position, owing: writers }
      yield* Effect.sleep(gapPause(looks))
    }
    return { position, owing: nobody }
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

const isTaskKind: { readonly [Kind in TaskKind]: true } = {
  launch: true,
  cleanup: true,
  samples: true,
  gate: true,
  notify: true
}

/** the kind of task that a notification names */
const kindIn = (payload: string): TaskKind | undefined => {
  const word = payload.split(" ")[1] ?? ""
  return Object.hasOwn(isTaskKind, word) ? (word as TaskKind) : undefined
}

/** what others say; the driver's listen stays silent for ever after its connection died, so a ping through the database proves the path */
const heard = (pg: Pick<RotatingClient, "listen">, ping: Effect.Effect<void>, name: string): Stream.Stream<string> =>
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

/** reads on from where the tail is, tells what it reads, and knows how long to wait before it looks again */
const follow = (
  database: typeof Database.Service,
  hub: typeof ChangeHub.Service,
  tail: Tail,
  owed: Writers,
  told: Effect.Effect<void>
): Effect.Effect<void> => {
  let owing = owed
  let looks = 0
  /** what came late has a number that watchers are beyond: they begin anew */
  const settleOwing = Effect.gen(function* () {
    if (owing.size === 0 || isAnyLeft(owing, yield* readWriters(database))) return
    owing = nobody
    hub.miss()
  })
  /** remembers who may still fill the gap; whoever takes too long is not waited for */
  const doubt = (rows: ReadonlyArray<TailRow>) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const next = doubted(tail, rows, yield* readWriters(database), now)
      const isOver = next.writers.size > 0 && now - next.since > patienceMillis
      tail.doubt = isOver ? { ...next, writers: nobody } : next
      if (!isOver) return
      owing = new Set([...owing, ...next.writers])
      yield* Effect.logWarning(
        `${next.writers.size} transactions have held up the change log for ${patienceMillis / 1000} seconds; watchers go on without them`
      )
    })
  const once = Effect.gen(function* () {
    yield* settleOwing
    const rows = yield* database.read("tailChanges", (session) => session.query<TailRow>(tailText, [tail.position]))
    const [changes, whole] = settle(tail, rows)
    for (const change of changes) hub.publish(change)
    if (whole) return rows.length === page ? ("more" as const) : ("idle" as const)
    yield* doubt(rows)
    if (changes.length > 0) looks = 0
    return tail.doubt?.writers.size === 0 ? ("more" as const) : ("gap" as const)
  })
  const looking = Effect.flatMap(
    Effect.catchAll(once, (error) =>
      Effect.as(Effect.logWarning("the change log cannot be read", error), "idle" as const)
    ),
    (state) => {
      if (state === "gap") return Effect.sleep(gapPause(looks++))
      looks = 0
      return state === "more" ? Effect.void : Effect.asVoid(Effect.timeoutOption(told, poll))
    }
  )
  return Effect.forever(looking)
}

export const make = (
  database: typeof Database.Service,
  pg: Pick<RotatingClient, "listen">,
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
      Effect.ignore(
        database.read("notify", (session) => session.query("SELECT pg_notify(?, ?)", [channel, `${name} ${payload}`]))
      )

    const speaking = Effect.gen(function* () {
      yield* speak.take
      const words = [...unsaid]
      unsaid.clear()
      yield* Effect.forEach(words, say, { discard: true })
      yield* Effect.sleep(notifyPause)
    })
    const begin = start(database).pipe(
      Effect.retry(Schedule.spaced(poll)),
      Effect.tap(({ position }) => {
        tail.position = position
        return Deferred.succeed(started, undefined)
      })
    )
    yield* Effect.forkScoped(Effect.flatMap(begin, ({ owing }) => follow(database, hub, tail, owing, look.take)))
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
