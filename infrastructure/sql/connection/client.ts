/**
 * The database: which driver, how it is set up, and the two ways of using it. `read` sees committed data, `write` is one
 * transaction. SQLite files have one connection for the group-commit writer, another for short reads, and one in a thread of its own for
 * lists, so that nobody waits for them; memory has one connection for both; PostgreSQL has a pool.
 */
import * as Reactivity from "@effect/experimental/Reactivity"
import type { SqlConnection, SqlError } from "@effect/sql"
import { Context, Deferred, Effect, Exit, Layer, Option, Redacted, Schedule, type Scope } from "effect"
import type { Unavailable } from "../../../application/errors.ts"
import { defined } from "../../../values/defined.ts"
import * as Checkpoints from "./checkpoints.ts"
import { makePrivate, watched } from "./database-files.ts"
import * as GroupCommit from "./group-commit.ts"
import { type DatabaseConfig, DatabaseRefused, type Location, locate, serverUrl } from "./location.ts"
import * as ReaderThread from "./reader-thread.ts"
import { makeRotatingClient, type RotatingClient } from "./rotating-client.ts"
import { run } from "./run.ts"
import * as ServerLock from "./server-lock.ts"
import * as Session from "./session.ts"
import { commit, type Together, type Write } from "./transaction.ts"
import { watchedSocket } from "./watched-socket.ts"

type Body<A, E> = (session: Session.Session) => Effect.Effect<A, E | SqlError.SqlError>
type Use = <A, E>(operation: string, body: Body<A, E>) => Effect.Effect<A, Exclude<E, SqlError.SqlError> | Unavailable>

export class Database extends Context.Tag("evald/infrastructure/sql/Database")<
  Database,
  {
    readonly dialect: Session.Dialect
    /** file, server or memory, as messages and metrics name it; never with credentials */
    readonly kind: Location["_tag"]
    /** committed data; several statements of one body may see different moments */
    readonly read: Use
    /** `read` for what may take long: on a file in a thread of its own, so that nobody else waits for it */
    readonly readLong: Use
    /**
     * One transaction. The body may run more than once and must be free of time and randomness; when it fails after a statement
     * of `session.write`, nothing is stored. Writes that lock the same rows name a line (a job's id): they wait for each other here
     * rather than in the database, and share transactions; SQLite has one line anyway.
     */
    readonly write: <A, E>(
      operation: string,
      body: Body<A, E>,
      line?: string
    ) => Effect.Effect<A, Exclude<E, SqlError.SqlError> | Unavailable>
    /**
     * `write` of so many rows that others must not wait behind several of them: one such transaction at a time on SQLite, and in lines of
     * their own on PostgreSQL. Those that lock the same rows name a line.
     */
    readonly writeLong: <A, E>(
      operation: string,
      body: Body<A, E>,
      line: string
    ) => Effect.Effect<A, Exclude<E, SqlError.SqlError> | Unavailable>
    /** for a long write between two of its statements: lets short ones go first where they can (PostgreSQL), for a moment */
    readonly giveWay: Effect.Effect<void>
    /**
     * `write` in a line, where writes that share a transaction may also share statements; `state` is what `how` prepared for all of them,
     * undefined where statements cost nothing (SQLite).
     */
    readonly writeTogether: <A, E, Want, State>(
      operation: string,
      line: string,
      together: { readonly how: Together<Want, State>; readonly want: Want },
      body: (session: Session.Session, state: State | undefined) => Effect.Effect<A, E | SqlError.SqlError>
    ) => Effect.Effect<A, Exclude<E, SqlError.SqlError> | Unavailable>
    /** one statement of `session.write` that is a transaction by itself, and no totals: on PostgreSQL it goes out without BEGIN and COMMIT */
    readonly writeOne: Use
    /** fails when what the connections use is not what is named any more: a file that was removed or replaced */
    readonly present: Effect.Effect<void, Unavailable>
    /** LISTEN and NOTIFY; absent on SQLite, where one process owns the database */
    readonly pg?: Pick<RotatingClient, "listen" | "url">
  }
>() {}

const refused = (message: string) => new DatabaseRefused({ message })

const reasonText = (defect: unknown): string => (defect instanceof Error ? defect.message : "it cannot be opened")

/** `synchronous = FULL` on each start: the driver's default for WAL is NORMAL, which loses acknowledged commits in a power cut */
const pragmas = [
  // the driver waits in the thread that serves everybody: briefly, and `run` tries again
  "busy_timeout = 250",
  "synchronous = FULL",
  "temp_store = MEMORY",
  "journal_size_limit = 67108864",
  // a log that nobody brings into the file (checkpoints.ts) does not grow for ever
  `wal_autocheckpoint = ${Checkpoints.lastResortPages}`
]

/** page caches; records are kept above them, so that short reads need little, and the index that lists search names in needs much */
const [writerKib, readerKib, listsKib] = [16_000, 4000, 16_000]

const readerPragmas = ["busy_timeout = 250", "query_only = ON", `cache_size = -${listsKib}`, "temp_store = MEMORY"]

const sqliteConnection = (
  filename: string,
  readonly: boolean
): Effect.Effect<SqlConnection.Connection, DatabaseRefused, Scope.Scope> =>
  Effect.gen(function* () {
    const { make } = yield* Effect.promise(() => import("@effect/sql-sqlite-node/SqliteClient"))
    const sql = yield* make({
      filename,
      readonly,
      disableWAL: readonly,
      prepareCacheSize: 500,
      prepareCacheTTL: "24 hours"
    })
    const connection = yield* sql.reserve
    for (const pragma of [...pragmas, `cache_size = -${readonly ? readerKib : writerKib}`])
      yield* connection.execute(`PRAGMA ${pragma}`, [], undefined)
    yield* connection.execute("SELECT count(*) FROM sqlite_schema", [], undefined)
    return connection
  }).pipe(
    Effect.provide(Reactivity.layer),
    Effect.mapError((error) => refused(`the database ${filename} cannot be used: ${reasonText(error.cause)}.`)),
    Effect.catchAllDefect((defect) =>
      Effect.fail(
        refused(
          `the database ${filename} cannot be opened: ${reasonText(defect)}. Does its folder exist, and is it writable?`
        )
      )
    )
  )

const sqliteFile = (path: string) =>
  Effect.gen(function* () {
    yield* Effect.sync(() => makePrivate(path))
    yield* ServerLock.acquire(path)
    const writer = yield* sqliteConnection(path, false)
    const reader = yield* sqliteConnection(path, true)
    const checkpoints = yield* Checkpoints.make(path, writer)
    const { short: write, long } = yield* GroupCommit.make((batch, isLong) =>
      Effect.zipRight(commit(writer, "sqlite", batch), checkpoints.after(batch.length, isLong))
    )
    const present = yield* watched(path)
    const served = Session.make(reader, "sqlite").query
    const aside = Session.reading("sqlite", yield* ReaderThread.make(path, readerPragmas, served))
    return Database.of({
      dialect: "sqlite",
      kind: "File",
      present,
      read: (operation, body) =>
        run(
          operation,
          Effect.suspend(() => body(Session.make(reader, "sqlite")))
        ),
      readLong: (operation, body) =>
        run(
          operation,
          Effect.suspend(() => body(aside))
        ),
      write: (operation, body) => run(operation, write(body)),
      writeLong: (operation, body) => run(operation, long(body)),
      giveWay: Effect.void,
      writeOne: (operation, body) => run(operation, write(body)),
      writeTogether: (operation, _line, _together, body) =>
        run(
          operation,
          write((session) => body(session, undefined))
        )
    })
  })

/** one transaction on a connection of its own */
const alone = <A, E>(
  connection: SqlConnection.Connection,
  dialect: Session.Dialect,
  body: Body<A, E>
): Effect.Effect<A, E | SqlError.SqlError> =>
  Effect.flatMap(Deferred.make<A, E | SqlError.SqlError>(), (done) =>
    Effect.zipRight(
      commit(connection, dialect, [
        { body, done: (exit) => Deferred.unsafeDone(done, exit as Exit.Exit<A, E | SqlError.SqlError>) }
      ]),
      Deferred.await(done)
    )
  )

const sqliteMemory = Effect.gen(function* () {
  const connection = yield* sqliteConnection(":memory:", false)
  const turn = yield* Effect.makeSemaphore(1)
  const write: Use = (operation, body) => run(operation, turn.withPermits(1)(alone(connection, "sqlite", body)))
  const read: Use = (operation, body) =>
    run(operation, turn.withPermits(1)(Effect.suspend(() => body(Session.make(connection, "sqlite")))))
  return Database.of({
    dialect: "sqlite",
    kind: "Memory",
    present: Effect.void,
    read,
    readLong: read,
    write,
    writeLong: write,
    giveWay: Effect.void,
    writeOne: write,
    writeTogether: (operation, _line, _together, body) => write(operation, (session) => body(session, undefined))
  })
})

/** its one statement is the transaction */
const unwrapped = <A, E>(
  connection: SqlConnection.Connection,
  body: Body<A, E>
): Effect.Effect<A, E | SqlError.SqlError> =>
  Effect.suspend(() => {
    const session = Session.make(connection, "pg")
    return Effect.tap(body(session), () =>
      Effect.sync(() => {
        if (session.counts.length > 0) throw new Error("a statement without a transaction writes its totals itself")
        for (const hook of session.hooks) hook()
      })
    )
  })

/** time-outs travel as start-up parameters in the URL; there is no option for them */
const timed = (url: URL, millis: number): URL => {
  const next = new URL(url.href)
  next.searchParams.set("statement_timeout", String(millis))
  next.searchParams.set("lock_timeout", String(millis))
  next.searchParams.set("idle_in_transaction_session_timeout", String(2 * millis))
  next.searchParams.set("application_name", next.searchParams.get("application_name") ?? "evald")
  return next
}

/** at most half of the pool is for lines, so that readers always find a connection */
const lineCount = (poolSize: number): number => Math.max(1, Math.min(4, Math.floor(poolSize / 2)))

/** of the other half, where it is large enough: 0 where long writes share the lines */
const longLineCount = (poolSize: number): number => Math.min(2, Math.floor(poolSize / 6))

/** looks of a long write for short ones under way, and the time between two: together far less than a statement may wait for a lock */
const [looks, lookMillis] = [20, 1]

/** waits while something short is written, for twenty milliseconds at most: it may wait for the long write itself */
const givenWay = (isBusy: () => boolean): Effect.Effect<void> => {
  const look = (left: number): Effect.Effect<void> =>
    Effect.suspend(() =>
      left > 0 && isBusy() ? Effect.zipRight(Effect.sleep(lookMillis), look(left - 1)) : Effect.void
    )
  return look(looks)
}

/** the same line for the same text; ids end in random digits */
const lineOf = (text: string, lines: number): number => {
  let sum = 0
  for (let position = Math.max(0, text.length - 8); position < text.length; position++)
    sum = (sum * 31 + text.charCodeAt(position)) >>> 0
  return sum % lines
}

/** rows are locked in the same order by every server, or two of them would wait for each other */
const inLockOrder = (batch: ReadonlyArray<Write>): ReadonlyArray<Write> =>
  batch.toSorted((a, b) => (a.line === b.line ? 0 : (a.line ?? "") < (b.line ?? "") ? -1 : 1))

/** one transaction of several lines; a connection that cannot be had is the outcome of all its writes */
const flushOn = (sql: RotatingClient) => (batch: ReadonlyArray<Write>) =>
  Effect.scoped(Effect.flatMap(sql.reserve, (connection) => commit(connection, "pg", inLockOrder(batch)))).pipe(
    Effect.catchAllCause((cause) =>
      Effect.sync(() => {
        for (const write of batch) write.done(Exit.failCause(cause))
      })
    )
  )

const patience = Schedule.exponential("200 millis").pipe(Schedule.intersect(Schedule.recurs(6)))

const postgres = (url: URL, config: DatabaseConfig) =>
  Effect.gen(function* () {
    let tries = 0
    const { make } = yield* Effect.promise(() => import("@effect/sql-pg/PgClient"))
    const timedUrl = (plain: URL) => Redacted.make(timed(plain, config.statementTimeoutMillis).href)
    const sql = yield* makeRotatingClient({
      url: timedUrl(url),
      ...defined({
        reread:
          config.reread === undefined
            ? undefined
            : Effect.map(
                config.reread,
                Option.flatMap((text) => Option.map(serverUrl(Redacted.value(text)), timedUrl))
              )
      }),
      connect: (current) =>
        make({
          url: current,
          maxConnections: config.poolSize,
          // without it a statement that waits for a connection while the pool closes never returns
          connectTimeout: "5 seconds",
          stream: watchedSocket(config.statementTimeoutMillis)
        }),
      statementMillis: config.statementTimeoutMillis
    }).pipe(
      Effect.tapError((error) =>
        Effect.when(
          Effect.logWarning(
            `PostgreSQL at ${url.host} does not answer yet: ${reasonText(error.cause)}; trying again for a while`
          ),
          () => tries++ === 0
        )
      ),
      Effect.retry(patience),
      Effect.mapError((error) => refused(`PostgreSQL at ${url.host} cannot be reached: ${reasonText(error.cause)}.`))
    )
    const writers = (count: number) => Effect.all(Array.from({ length: count }, () => GroupCommit.make(flushOn(sql))))
    const lines = yield* writers(lineCount(config.poolSize))
    const longLines = yield* writers(longLineCount(config.poolSize))
    const apart = <A, E>(body: Body<A, E>) =>
      Effect.scoped(Effect.flatMap(sql.reserve, (connection) => alone(connection, "pg", body)))
    const writerOf = (line: string) => lines[lineOf(line, lines.length)]?.short
    const longWriterOf = (line: string) => {
      const some = longLines.length > 0 ? longLines : lines
      return some[lineOf(line, some.length)]?.long
    }
    const read: Use = (operation, body) =>
      run(operation, Effect.scoped(Effect.flatMap(sql.reserve, (connection) => body(Session.make(connection, "pg")))))
    return Database.of({
      dialect: "pg",
      kind: "Server",
      present: Effect.void,
      pg: sql,
      read,
      readLong: read,
      write: (operation, body, line) => {
        const write = line === undefined ? undefined : writerOf(line)
        return run(operation, write === undefined ? apart(body) : write(body, line))
      },
      writeLong: (operation, body, line) => run(operation, (longWriterOf(line) ?? apart)(body, line)),
      giveWay: givenWay(() => lines.some(({ isBusy }) => isBusy())),
      writeTogether: (operation, line, together, body) => {
        const write = writerOf(line)
        // whoever prepares knows what it prepared
        const shared = together as unknown as NonNullable<Write["together"]>
        const shareBody = body as (session: Session.Session, state: unknown) => ReturnType<typeof body>
        return run(
          operation,
          write === undefined ? apart((session) => body(session, undefined)) : write(shareBody, line, shared)
        )
      },
      writeOne: (operation, body) =>
        run(operation, Effect.scoped(Effect.flatMap(sql.reserve, (connection) => unwrapped(connection, body))))
    })
  })

/** a database file from outside: without the lock of a server, and without its writer */
export const openReadOnly = (path: string) =>
  Effect.map(sqliteConnection(path, true), (reader) => {
    const read: Use = (operation, body) =>
      run(
        operation,
        Effect.suspend(() => body(Session.make(reader, "sqlite")))
      )
    return Database.of({
      dialect: "sqlite",
      kind: "File",
      present: Effect.void,
      read,
      readLong: read,
      write: read,
      writeLong: read,
      giveWay: Effect.void,
      writeOne: read,
      writeTogether: (operation, _line, _together, body) => read(operation, (session) => body(session, undefined))
    })
  })

/** gives the space of removed rows back to the disk; refused while a server uses the file */
export const compactFile = (path: string): Effect.Effect<void, DatabaseRefused> =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* ServerLock.acquire(path)
      const connection = yield* sqliteConnection(path, false)
      yield* Effect.mapError(connection.execute("VACUUM", [], undefined), (error) =>
        refused(
          `the database ${path} cannot be compacted: ${reasonText(error.cause)}. It needs room for a second copy.`
        )
      )
    })
  )

export const open = (config: DatabaseConfig) =>
  Effect.flatMap(
    Effect.try({
      try: () => locate(config),
      catch: (error) => (error instanceof DatabaseRefused ? error : refused("database.url cannot be read."))
    }),
    (location) => {
      if (location._tag === "Memory") return sqliteMemory
      return location._tag === "File" ? sqliteFile(location.path) : postgres(location.url, config)
    }
  )

/** an opened database, not yet migrated: `migrate.ts` does */
export const layer = (config: DatabaseConfig): Layer.Layer<Database, DatabaseRefused> =>
  Layer.scoped(Database, open(config))
