/**
 * SQLite: files have one connection for the group-commit writer, another for short reads, and one in a thread of its own for lists, so that
 * nobody waits for them; memory has one connection for all.
 */
import * as Reactivity from "@effect/experimental/Reactivity"
import type { SqlConnection } from "@effect/sql"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { Effect, Exit, type Scope } from "effect"
import { defined } from "../../../values/defined.ts"
import { breath } from "../../in-process/in-steps.ts"
import { shortWork, tellShortWork } from "../../in-process/short-work.ts"
import { alone } from "./alone.ts"
import { Database, type Use } from "./client.ts"
import { makePrivate, watched } from "./database-files.ts"
import * as GroupCommit from "./group-commit.ts"
import { DatabaseRefused, reasonText } from "./location.ts"
import * as ReaderThread from "./reader-thread.ts"
import { run } from "./run.ts"
import * as ServerLock from "./server-lock.ts"
import * as Session from "./session.ts"
import * as Checkpoints from "./sqlite-log/checkpoints.ts"
import * as LogFlush from "./sqlite-log/flush.ts"
import { commit, type Write } from "./transaction.ts"

const refused = (message: string) => new DatabaseRefused({ message })

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
    const sql = yield* SqliteClient.make({
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

/**
 * Whether the writer's COMMITs flush, set between two transactions: within one it is refused. The driver obeys while it prepares the statement, which it does
 * anew each time it runs, and not when one that was prepared earlier runs first.
 */
const flushing = (writer: SqlConnection.Connection) => {
  let isFull = true
  return (full: boolean) =>
    Effect.suspend(() =>
      full === isFull
        ? Effect.void
        : Effect.map(writer.execute(`PRAGMA synchronous = ${full ? "FULL" : "NORMAL"}`, [], undefined), () => {
            isFull = full
          })
    )
}

/** whether a COMMIT of these flushes: one that needs it is enough, and long ones are flushed beside this thread */
const flushes = (batch: ReadonlyArray<Write>, isLong: boolean): boolean =>
  !isLong && batch.some(({ isUnflushed }) => isUnflushed !== true)

/** transactions of the writer; long ones do not flush in this thread where there is a log */
const transactions = (writer: SqlConnection.Connection, log: LogFlush.LogFlush | undefined) => {
  const setFlushing = flushing(writer)
  const refuse = (batch: ReadonlyArray<Write>, exit: Exit.Exit<unknown, unknown>) => {
    for (const write of batch) write.done(exit)
  }
  return (batch: ReadonlyArray<Write>, isLong: boolean) =>
    Effect.gen(function* () {
      if (log === undefined) return yield* commit(writer, "sqlite", batch)
      const failure = log.failure()
      if (failure !== undefined) return refuse(batch, Exit.fail(failure))
      const set = yield* Effect.exit(setFlushing(flushes(batch, isLong)))
      if (Exit.isFailure(set)) return refuse(batch, set)
      yield* commit(writer, "sqlite", batch.map(isLong ? log.answered : log.watched))
    })
}

/** `flush`: how the log is flushed for long writes */
export const sqliteFile = (path: string, flush?: LogFlush.Flush) =>
  Effect.gen(function* () {
    yield* Effect.sync(() => makePrivate(path))
    yield* ServerLock.acquire(path)
    const writer = yield* sqliteConnection(path, false)
    const reader = yield* sqliteConnection(path, true)
    const checkpoints = yield* Checkpoints.make(path, writer)
    let isShortWaiting = () => false
    const log = yield* LogFlush.make(path, {
      ...defined({ flush }),
      isHeld: () => isShortWaiting()
    })
    const transaction = transactions(writer, log)
    const flushed = Effect.suspend(() => log?.failure() ?? Effect.void)
    const flushBatch = (batch: ReadonlyArray<Write>, isLong: boolean) =>
      Effect.zipRight(
        transaction(batch, isLong),
        Effect.suspend(() => {
          if (!isLong) log?.resume()
          // nothing is copied from a log of which nobody knows what is left
          return Effect.ignore(
            Effect.zipRight(flushed, checkpoints.after(batch.length, { isLong, hasFlushed: flushes(batch, isLong) }))
          )
        })
      )
    const writers = yield* GroupCommit.make(flushBatch, tellShortWork(shortWork))
    isShortWaiting = writers.isShortWaiting
    const { short: write, unflushed, long, giveWay } = writers
    const present = yield* watched(path)
    const served = Session.make(reader, "sqlite").query
    const aside = Session.reading("sqlite", yield* ReaderThread.make(path, readerPragmas, served))
    return Database.of({
      dialect: "sqlite",
      kind: "File",
      present: Effect.zipRight(flushed, present),
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
      giveWay,
      pause: breath,
      writeOne: (operation, body) => run(operation, write(body)),
      writeUnflushed: (operation, body) => run(operation, unflushed(body)),
      writeTogether: (operation, _line, _together, body) =>
        run(
          operation,
          write((session) => body(session, undefined))
        )
    })
  })

export const sqliteMemory = Effect.gen(function* () {
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
    pause: breath,
    writeOne: write,
    writeUnflushed: write,
    writeTogether: (operation, _line, _together, body) => write(operation, (session) => body(session, undefined))
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
      pause: breath,
      writeOne: read,
      writeUnflushed: read,
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
