/**
 * The index of trigrams over names of jobs on PostgreSQL. It needs the extension pg_trgm, which a server makes where it may, and is built
 * beside the running servers, so that no migration holds them up. Without it names are searched in the order of the list.
 */
import type { SqlConnection, SqlError } from "@effect/sql"
import type { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Schedule } from "effect"
import { Database } from "./client.ts"
import * as Session from "./session.ts"

/** any number, the same in every server: one of them builds */
const advisoryLock = 7_270_010_132

/** soon at first: another server may be building, or the database be busy */
const again = Schedule.union(Schedule.exponential("1 second"), Schedule.spaced("5 minutes"))

/** `no_extension`: pg_trgm is not there and may not be made by this user; `unbuilt`: no server has built the index yet */
export type NameIndexState = "ready" | "no_extension" | "unbuilt"

/** the schema that holds the extension, which need not be on the search path */
const extensionText = "SELECT n.nspname AS schema FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm'"
const indexText = "SELECT i.indisvalid AS valid FROM pg_index i WHERE i.indexrelid = to_regclass('jobs_names')"

const schemaOf = (session: Session.Session) => Effect.map(session.query<{ schema: string }>(extensionText, []), ([row]) => row?.schema)

export const nameIndexState = (session: Session.Session): Effect.Effect<NameIndexState, SqlError.SqlError> =>
  Effect.gen(function* () {
    const [index] = yield* session.query<{ valid: boolean }>(indexText, [])
    if (index?.valid === true) return "ready"
    return (yield* schemaOf(session)) === undefined ? "no_extension" : "unbuilt"
  })

/** makes the extension where it can be made; a refusal is no failure */
const extension = (session: Session.Session) =>
  Effect.gen(function* () {
    const found = yield* schemaOf(session)
    if (found !== undefined) return found
    yield* Effect.ignore(session.query("CREATE EXTENSION IF NOT EXISTS pg_trgm", []))
    return yield* schemaOf(session)
  })

const quoted = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`

/** outside any transaction; one that another server left half done is made again */
const build = (session: Session.Session) =>
  Effect.gen(function* () {
    const schema = yield* extension(session)
    if (schema === undefined) return
    const [index] = yield* session.query<{ valid: boolean }>(indexText, [])
    if (index?.valid === true) return
    yield* Effect.logInfo("the index over names of jobs is being built")
    if (index !== undefined) yield* session.query("DROP INDEX CONCURRENTLY IF EXISTS jobs_names", [])
    yield* session.query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS jobs_names ON jobs USING gin (name_key ${quoted(schema)}.gin_trgm_ops)`, [])
  })

/** building takes as long as it takes: no time-out of a statement holds for it, and none is missing for the next user of the connection */
const alone = (connection: SqlConnection.Connection) => {
  const session = Session.make(connection, "pg")
  const released = Effect.ignore(Effect.all([session.query("SELECT pg_advisory_unlock(?)", [advisoryLock]), session.query("RESET ALL", [])]))
  return Effect.gen(function* () {
    const [row] = yield* session.query<{ mine: boolean }>("SELECT pg_try_advisory_lock(?) AS mine", [advisoryLock])
    if (row?.mine !== true) return yield* nameIndexState(session)
    yield* Effect.ensuring(
      Effect.zipRight(Effect.all([session.query("SET statement_timeout = 0", []), session.query("SET lock_timeout = 0", [])]), build(session)),
      released
    )
    return yield* nameIndexState(session)
  })
}

export class NameIndex extends Context.Tag("evald/infrastructure/sql/NameIndex")<NameIndex, { readonly isReady: () => boolean }>() {}

const built = (pg: PgClient.PgClient) => Effect.scoped(Effect.flatMap(pg.reserve, alone))

const make = Effect.gen(function* () {
  const { pg } = yield* Database
  let ready = false
  if (pg === undefined) return NameIndex.of({ isReady: () => false })
  const once = Effect.map(built(pg), (state) => {
    ready = state === "ready"
    return state
  })
  yield* once.pipe(
    Effect.tapError((error) => Effect.logWarning("the index over names of jobs could not be built", error)),
    Effect.orElseSucceed(() => "unbuilt" as const),
    Effect.repeat({ until: (state) => state === "ready", schedule: again }),
    Effect.forkScoped
  )
  return NameIndex.of({ isReady: () => ready })
})

export const layer: Layer.Layer<NameIndex, never, Database> = Layer.scoped(NameIndex, make)
