/**
 * Brings a database to the schema of this build. Migrations are numbered, run once each, only forward, and together in one
 * transaction; a schema newer than the build is refused, because an older server would write rows that the newer one cannot trust.
 */
import { Effect, Layer } from "effect"
import { Database } from "./connection/client.ts"
import { DatabaseRefused } from "./connection/location.ts"
import { writeProbe } from "./connection/write-probe.ts"
import { initial } from "./migrations/0001-initial.ts"
import { runtimeRecords } from "./migrations/0002-runtime-records.ts"
import { tenantsInTurn } from "./migrations/0003-tenants-in-turn.ts"
import { samples } from "./migrations/0004-samples.ts"
import { names } from "./migrations/0005-names.ts"
import { decisions } from "./migrations/0006-decisions.ts"
import { notifications } from "./migrations/0007-notifications.ts"
import { audit } from "./migrations/0008-audit.ts"
import { usage } from "./migrations/0009-usage.ts"
import type { Migration } from "./migrations/migration.ts"

const migrations: ReadonlyArray<Migration> = [
  initial,
  runtimeRecords,
  tenantsInTurn,
  samples,
  names,
  decisions,
  notifications,
  audit,
  usage
]

export const schemaVersion = migrations.length

/** any number, the same in every server: replicas that start together take turns */
const advisoryLock = 7_270_010_131

const bookkeeping =
  "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL)"

/** the version found is returned for messages; `known` is for tests of older and newer builds */
export const migrate = (
  known: ReadonlyArray<Migration> = migrations
): Effect.Effect<number, DatabaseRefused, Database> =>
  Effect.gen(function* () {
    const database = yield* Database
    const now = new Date(yield* Effect.clockWith((clock) => clock.currentTimeMillis)).toISOString()
    const newest = known.length
    return yield* database.write("migrate", (session) =>
      Effect.gen(function* () {
        if (session.dialect === "pg") yield* session.query("SELECT pg_advisory_xact_lock(?)", [advisoryLock])
        yield* session.write(bookkeeping, [])
        const [row] = yield* session.query<{ version: number | null }>(
          "SELECT max(version) AS version FROM schema_version",
          []
        )
        const found = row?.version ?? 0
        if (found > newest) {
          return yield* new DatabaseRefused({
            message: `the database has schema version ${found}, this build knows versions up to ${newest}: start a newer build, or restore a backup made before the update.`
          })
        }
        for (const { version, name, statements } of known.slice(found)) {
          for (const statement of statements(session.dialect)) yield* session.write(statement, [])
          yield* session.write("INSERT INTO schema_version (version, name, applied_at) VALUES (?, ?, ?)", [
            version,
            name,
            now
          ])
        }
        return found
      })
    )
  }).pipe(
    Effect.catchTag("Unavailable", (error) =>
      Effect.fail(new DatabaseRefused({ message: `the database schema cannot be prepared: ${causeOf(error.cause)}.` }))
    )
  )

const causeOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error ? cause.message : "the database does not answer"
}

/** a schema that needed nothing says nothing about a file or disk that cannot be written */
const writable = Effect.flatMap(Database, (database) => writeProbe(database, "startProbe")).pipe(
  Effect.catchTag("Unavailable", ({ cause }) =>
    Effect.fail(
      new DatabaseRefused({
        message: `the database cannot be written: ${causeOf(cause)}. Is it writable for this user, and is there room on its disk?`
      })
    )
  )
)

export const layer: Layer.Layer<never, DatabaseRefused, Database> = Layer.effectDiscard(
  Effect.zipRight(migrate(), writable)
)
