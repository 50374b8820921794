/**
 * Several writes in one transaction, acknowledged after its COMMIT. A write that fails without having written leaves its neighbours
 * alone; one that fails halfway sends all of them into transactions of their own, so that nobody pays for somebody else's failure.
 */
import type { SqlConnection, SqlError } from "@effect/sql"
import { Effect, Exit } from "effect"
import * as Session from "./session.ts"

export interface Write {
  /** may run more than once; must not look at time or randomness */
  readonly body: (session: Session.Session) => Effect.Effect<unknown, unknown>
  readonly done: (exit: Exit.Exit<unknown, unknown>) => void
}

const statement = (connection: SqlConnection.Connection, text: string) => Effect.asVoid(connection.execute(text, [], undefined))

/** a failed ROLLBACK means that there is no transaction any more, which is what was wanted */
const rollback = (connection: SqlConnection.Connection) => Effect.ignore(statement(connection, "ROLLBACK"))

const refuseAll = (writes: ReadonlyArray<Write>, error: SqlError.SqlError) => {
  for (const write of writes) write.done(Exit.fail(error))
}

/** never fails: every write hears about its own outcome */
export const commit = (connection: SqlConnection.Connection, dialect: Session.Dialect, writes: ReadonlyArray<Write>): Effect.Effect<void> =>
  Effect.gen(function* () {
    const begun = yield* Effect.either(statement(connection, dialect === "sqlite" ? "BEGIN IMMEDIATE" : "BEGIN"))
    if (begun._tag === "Left") return refuseAll(writes, begun.left)
    const finished: Array<readonly [Write, Exit.Exit<unknown, unknown>, ReadonlyArray<() => void>]> = []
    for (const write of writes) {
      const session = Session.make(connection, dialect)
      const exit = yield* Effect.exit(Effect.suspend(() => write.body(session)))
      // PostgreSQL refuses everything after a failed statement, so there any failure ends the transaction
      if (Exit.isFailure(exit) && (session.written() || dialect === "pg")) {
        yield* rollback(connection)
        if (writes.length === 1) return write.done(exit)
        yield* Effect.forEach(writes, (one) => commit(connection, dialect, [one]), { discard: true })
        return
      }
      finished.push([write, exit, session.hooks])
    }
    const committed = yield* Effect.either(statement(connection, "COMMIT"))
    if (committed._tag === "Left") {
      yield* rollback(connection)
      return refuseAll(writes, committed.left)
    }
    for (const [write, exit, hooks] of finished) {
      if (Exit.isSuccess(exit)) for (const hook of hooks) hook()
      write.done(exit)
    }
  })
