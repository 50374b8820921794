/** One transaction on a connection of its own. */
import type { SqlConnection, SqlError } from "@effect/sql"
import { Deferred, Effect, type Exit } from "effect"
import type { Body } from "./client.ts"
import type * as Session from "./session.ts"
import { commit } from "./transaction.ts"

export const alone = <A, E>(
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
