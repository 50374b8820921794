/**
 * Brings a database to the schema of this build. Migrations are numbered, run once each, only forward, and together in one
 * transaction. Those of a release only add to the release before, so that its servers go on during a rolling update: a schema one release
 * newer is taken as it is, one that is newer still is refused, because this build would write rows that the newer one cannot trust.
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
import { usageOfBenchmarks } from "./migrations/0010-usage-of-benchmarks.ts"
import { narrowNames } from "./migrations/0011-narrow-names.ts"
import type { Migration } from "./migrations/migration.ts"

/** in the order of their versions */
export const migrations: ReadonlyArray<Migration> = [
  initial,
  runtimeRecords,
  tenantsInTurn,
  samples,
  names,
  decisions,
  notifications,
  audit,
  usage,
  usageOfBenchmarks,
  narrowNames
]

export const schemaVersion = migrations.length

/** the releases that changed the schema, with the first migration of each; the last one has all that come after */
export const releases: ReadonlyArray<SchemaRelease> = [{ release: "0.2", first: 1 }]

interface SchemaRelease {
  readonly release: string
  readonly first: number
}

/** any number, the same in every server: replicas that start together take turns */
const advisoryLock = 7_270_010_131

/** the second table tells older builds how many releases they are behind */
const bookkeeping = [
  "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL)",
  "CREATE TABLE IF NOT EXISTS schema_releases (release TEXT PRIMARY KEY, first INTEGER NOT NULL)"
]

const keepRelease =
  "INSERT INTO schema_releases (release, first) VALUES (?, ?) ON CONFLICT (release) DO UPDATE SET first = excluded.first"

/** the version found is returned for messages; the arguments are for tests of older and newer builds */
export const migrate = (
  known: ReadonlyArray<Migration> = migrations,
  ofReleases: ReadonlyArray<SchemaRelease> = releases
): Effect.Effect<number, DatabaseRefused, Database> =>
  Effect.gen(function* () {
    const database = yield* Database
    const now = new Date(yield* Effect.clockWith((clock) => clock.currentTimeMillis)).toISOString()
    const newest = known.length
    return yield* database.write("migrate", (session) =>
      Effect.gen(function* () {
        if (session.dialect === "pg") yield* session.query("SELECT pg_advisory_xact_lock(?)", [advisoryLock])
        for (const statement of bookkeeping) yield* session.write(statement, [])
        const [row] = yield* session.query<{ version: number | null }>(
          "SELECT max(version) AS version FROM schema_version",
          []
        )
        const found = row?.version ?? 0
        if (found > newest) {
          const newer = yield* session.query<{ release: string }>(
            "SELECT release FROM schema_releases WHERE first > ? ORDER BY first",
            [newest]
          )
          if (newer.length === 1) return found
          const theirs = newer.at(-1)?.release
          return yield* new DatabaseRefused({
            message: `the database has schema version ${found}${theirs === undefined ? "" : ` of release ${theirs}`}, this build of release ${ofReleases.at(-1)?.release} knows versions up to ${newest} and runs on those of the next release at most: start a newer build, or restore a backup made before the update.`
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
        const kept = yield* session.query<SchemaRelease>("SELECT release, first FROM schema_releases", [])
        for (const { release, first } of ofReleases)
          if (!kept.some((one) => one.release === release && one.first === first))
            yield* session.write(keepRelease, [release, first])
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

const migrated = Effect.flatMap(migrate(), (found) =>
  found > schemaVersion
    ? Effect.logWarning(
        `the database has schema version ${found} of the next release, this build knows versions up to ${schemaVersion}: it runs beside servers of that release until they have taken over`
      )
    : Effect.void
)

export const layer: Layer.Layer<never, DatabaseRefused, Database> = Layer.effectDiscard(
  Effect.zipRight(migrated, writable)
)
