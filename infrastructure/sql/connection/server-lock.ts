/**
 * One server per database file. The lock is an exclusive SQLite lock on a file beside the database: the operating system releases
 * it when the process ends, however it ends.
 */

import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { Effect, type Scope } from "effect"
import { makePrivate } from "./database-files.ts"
import { DatabaseRefused } from "./location.ts"
import { reasonOf } from "./run.ts"

/** held until the scope closes; a second server, in this process or another, is refused at once */
export const acquire = (databasePath: string): Effect.Effect<void, DatabaseRefused, Scope.Scope> =>
  Effect.gen(function* () {
    yield* Effect.sync(() => makePrivate(`${databasePath}.lock`))
    const sql = yield* SqliteClient.make({ filename: `${databasePath}.lock`, disableWAL: true })
    const connection = yield* sql.reserve
    yield* connection.execute("PRAGMA busy_timeout = 0", [], undefined)
    yield* connection.execute("BEGIN EXCLUSIVE", [], undefined)
  }).pipe(
    Effect.provide(Reactivity.layer),
    Effect.mapError(
      (error) =>
        new DatabaseRefused({
          message:
            reasonOf(error) === "retry"
              ? `another evald server uses the database file ${databasePath}: stop it, or give this one another file in database.url (DB_URL).`
              : `the lock file ${databasePath}.lock cannot be used: is its folder writable?`
        })
    ),
    Effect.catchAllDefect((defect) =>
      Effect.fail(
        new DatabaseRefused({
          message: `the database file ${databasePath} cannot be used: ${defect instanceof Error ? defect.message : "it cannot be opened"}. Does its folder exist, and is it writable?`
        })
      )
    )
  )
