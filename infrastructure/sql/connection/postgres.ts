/** PostgreSQL: a pool, of which a part is for lines of writes that share transactions. */
import type { SqlConnection, SqlError } from "@effect/sql"
import { Effect, Exit, Option, Redacted, Schedule } from "effect"
import { defined } from "../../../values/defined.ts"
import { shortWork, tellShortWork } from "../../in-process/short-work.ts"
import { alone } from "./alone.ts"
import { type Body, Database, type Use } from "./client.ts"
import { givingWay } from "./giving-way.ts"
import * as GroupCommit from "./group-commit.ts"
import { type DatabaseConfig, DatabaseRefused, reasonText, serverUrl } from "./location.ts"
import { makeRotatingClient, type RotatingClient } from "./rotating-client.ts"
import { run } from "./run.ts"
import * as Session from "./session.ts"
import { commit, type Write } from "./transaction.ts"
import { watchedSocket } from "./watched-socket.ts"

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

export const postgres = (url: URL, config: DatabaseConfig) =>
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
      Effect.mapError(
        (error) =>
          new DatabaseRefused({ message: `PostgreSQL at ${url.host} cannot be reached: ${reasonText(error.cause)}.` })
      )
    )
    const writers = (count: number) =>
      Effect.all(Array.from({ length: count }, () => GroupCommit.make(flushOn(sql), tellShortWork(shortWork))))
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
    const write: Database["Type"]["write"] = (operation, body, line) =>
      run(operation, ((line === undefined ? undefined : writerOf(line)) ?? apart)(body, line))
    return Database.of({
      dialect: "pg",
      kind: "Server",
      present: Effect.void,
      pg: sql,
      read,
      readLong: read,
      write,
      writeUnflushed: write,
      writeLong: (operation, body, line) => run(operation, (longWriterOf(line) ?? apart)(body, line)),
      ...givingWay(() => lines.some((line) => line.isBusy())),
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
