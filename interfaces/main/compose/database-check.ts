/** Whether a PostgreSQL answers, and how it searches names. */
import { Effect, Redacted } from "effect"
import type { Settings } from "../../../config/settings.ts"
import { Database } from "../../../infrastructure/sql/connection/client.ts"
import * as OpenDatabase from "../../../infrastructure/sql/connection/open.ts"
import { type NameIndexState, nameIndexState } from "../../../infrastructure/sql/name-index.ts"
import type { Check } from "../../cli/checklist.ts"

const searchChecks: { readonly [State in NameIndexState]: Check } = {
  ready: { name: "search by name", status: "ok", detail: "has its index" },
  unbuilt: {
    name: "search by name",
    status: "note",
    detail: "has no index yet and reads every name",
    fix: "start a server: it builds the index beside its work"
  },
  no_extension: {
    name: "search by name",
    status: "note",
    detail: "reads every name, because the database has no extension pg_trgm",
    fix: "let an administrator run CREATE EXTENSION pg_trgm in this database; servers build the index within five minutes"
  }
}

const absent = (reason: string): Check => ({
  name: "PostgreSQL",
  status: "problem",
  detail: reason,
  fix: "correct database.url (DB_URL), or start the database"
})

/** nothing for SQLite, whose file is looked at as a file */
export const databaseChecks = (settings: Settings): Effect.Effect<ReadonlyArray<Check>> => {
  const url = settings["database.url"]
  if (settings["database.driver"] !== "pgx" || url === undefined) return Effect.succeed([])
  const state = Effect.flatMap(Database, (database) => database.read("nameIndexState", nameIndexState))
  return state.pipe(
    Effect.provide(
      OpenDatabase.layer({
        driver: "pgx",
        url: Redacted.make(Redacted.value(url)),
        poolSize: 1,
        statementTimeoutMillis: 5000
      })
    ),
    Effect.disconnect,
    Effect.timeout("8 seconds"),
    Effect.match({
      onSuccess: (found) => [{ name: "PostgreSQL", status: "ok", detail: "answers" } as const, searchChecks[found]],
      onFailure: (error) => [absent(error._tag === "DatabaseRefused" ? error.message : "does not answer in time")]
    })
  )
}
