/** A database looked at from outside, while a server may be running on it: for backups and checks. Nothing is migrated or locked. */
import { existsSync, renameSync, rmSync, statSync } from "node:fs"
import { Effect, Layer } from "effect"
import { Database } from "./connection/client.ts"
import { makePrivate } from "./connection/database-files.ts"
import { type DatabaseConfig, DatabaseRefused, locate } from "./connection/location.ts"
import { open } from "./connection/open.ts"
import { compactFile, openReadOnly } from "./connection/sqlite.ts"
import { schemaVersion } from "./migrate.ts"

const refused = (message: string) => new DatabaseRefused({ message })

const located = (config: DatabaseConfig) =>
  Effect.try({
    try: () => locate(config),
    catch: (error) => (error instanceof DatabaseRefused ? error : refused("database.url cannot be read."))
  })

/** refuses memory, an absent file, and a schema that this build does not know */
export const layer = (config: DatabaseConfig): Layer.Layer<Database, DatabaseRefused> =>
  Layer.scoped(
    Database,
    Effect.gen(function* () {
      const location = yield* located(config)
      if (location._tag === "Memory")
        return yield* refused(
          "a database in memory ends with its server: set database.url (DB_URL) to the file or the PostgreSQL that is meant."
        )
      if (location._tag === "File" && !existsSync(location.path))
        return yield* refused(`there is no database file ${location.path}.`)
      const database = yield* location._tag === "File" ? openReadOnly(location.path) : open(config)
      const [row] = yield* database
        .read("schemaVersion", (session) =>
          session.query<{ version: number }>("SELECT max(version) AS version FROM schema_version", [])
        )
        .pipe(
          Effect.catchAllCause(() =>
            Effect.fail(
              refused(
                location._tag === "File"
                  ? `${location.path} is no evald database.`
                  : `${location.url.host} holds no evald database.`
              )
            )
          )
        )
      if (row?.version === schemaVersion) return database
      return yield* refused(
        `the database has schema version ${row?.version ?? 0}, this build reads version ${schemaVersion}: use the build that the server runs, or start a server of this build once.`
      )
    })
  )

/**
 * Writes a consistent copy of a SQLite database to a new file, complete or not at all; the server goes on meanwhile. PostgreSQL has
 * better tools of its own, which the refusal names.
 */
export const backup = (target: string): Effect.Effect<void, DatabaseRefused, Database> =>
  Effect.gen(function* () {
    const database = yield* Database
    if (database.dialect === "pg")
      return yield* refused(
        'PostgreSQL is backed up with its own tools: pg_dump --format=custom --file=FILE "$DB_URL", restored with pg_restore.'
      )
    if (existsSync(target)) return yield* refused(`${target} is there already: name a file that is not.`)
    const partial = `${target}.partial`
    yield* Effect.sync(() => {
      rmSync(partial, { force: true })
      makePrivate(partial)
    })
    yield* database
      .read("backup", (session) => session.query("VACUUM INTO ?", [partial]))
      .pipe(
        Effect.zipRight(Effect.try(() => renameSync(partial, target))),
        Effect.catchAllCause(() =>
          Effect.fail(
            refused(`${target} cannot be written: is its folder there, writable, and on a disk with enough room?`)
          )
        ),
        Effect.onError(() => Effect.sync(() => rmSync(partial, { force: true })))
      )
  })

/** gives free space of a SQLite file back, and answers how many bytes; PostgreSQL does it by itself */
export const compact = (config: DatabaseConfig): Effect.Effect<number, DatabaseRefused> =>
  Effect.gen(function* () {
    const location = yield* located(config)
    if (location._tag !== "File") return 0
    const size = Effect.sync(() => statSync(location.path).size)
    const before = yield* size
    yield* compactFile(location.path)
    return before - (yield* size)
  })
