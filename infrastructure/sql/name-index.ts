/**
 * The index of trigrams over names of jobs on PostgreSQL. It needs the extension pg_trgm, which a server makes where it may, and is built
 * beside the running servers, so that neither a migration nor a start waits for it. Without it names are searched in the order of the list.
 * Reference: configuration.md, "Databases".
 */
import { Socket } from "node:net"
import * as Reactivity from "@effect/experimental/Reactivity"
import type { SqlConnection, SqlError } from "@effect/sql"
import { Context, Effect, Layer, Schedule } from "effect"
import { Database } from "./connection/client.ts"
import type { RotatingClient } from "./connection/rotating-client.ts"
import * as Session from "./connection/session.ts"

/** any number, the same in every server: of those that share a table one builds */
const advisoryLock = 727_010_132

/** soon at first: another server may be building, or a transaction be open that the build has to wait for */
const again = Schedule.union(Schedule.exponential("1 second"), Schedule.spaced("5 minutes"))

/** a build waits for every transaction that is open; one that takes longer is given up and tried again later */
const lockPatience = "5s"

/** `no_extension`: pg_trgm is not there and may not be made by this user; `unbuilt`: no server has built the index yet */
export type NameIndexState = "ready" | "no_extension" | "unbuilt"

/** the schema that holds the extension, which need not be on the search path */
const extensionText =
  "SELECT n.nspname AS schema FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm'"
const indexText = "SELECT i.indisvalid AS valid FROM pg_index i WHERE i.indexrelid = to_regclass('jobs_names')"

const schemaOf = (session: Session.Session) =>
  Effect.map(session.query<{ schema: string }>(extensionText, []), ([row]) => row?.schema)

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

/** outside any transaction */
const build = (session: Session.Session) =>
  Effect.gen(function* () {
    const schema = yield* extension(session)
    if (schema === undefined) return
    const [index] = yield* session.query<{ valid: boolean }>(indexText, [])
    if (index?.valid === true) return
    yield* Effect.logInfo("the index over names of jobs is being built")
    if (index !== undefined) yield* session.query("DROP INDEX CONCURRENTLY IF EXISTS jobs_names", [])
    yield* session.query(
      `CREATE INDEX CONCURRENTLY IF NOT EXISTS jobs_names ON jobs USING gin (name_key ${quoted(schema)}.gin_trgm_ops)`,
      []
    )
  })

/** what a build left half done when it was given up or killed is made again; one server at a time, the others find it made */
const alone = (connection: SqlConnection.Connection) => {
  const session = Session.make(connection, "pg")
  return Effect.gen(function* () {
    // no statement of a build is short, and none may wait long
    yield* session.query("SET statement_timeout = 0", [])
    yield* session.query(`SET lock_timeout = '${lockPatience}'`, [])
    const [row] = yield* session.query<{ mine: boolean }>(
      "SELECT pg_try_advisory_lock(?, hashtext('jobs'::regclass::oid::text)) AS mine",
      [advisoryLock]
    )
    if (row?.mine === true) yield* build(session)
    return yield* nameIndexState(session)
  })
}

/**
 * On a connection of its own, which may be silent for as long as a build takes, and which ends with it. Nobody waits for its end: a server
 * that stops leaves the statement under way to the database, which finishes it.
 */
const built = (pg: Pick<RotatingClient, "url">) =>
  Effect.gen(function* () {
    const { make: connect } = yield* Effect.promise(() => import("@effect/sql-pg/PgClient"))
    const own = yield* connect({
      url: pg.url(),
      maxConnections: 1,
      connectTimeout: "5 seconds",
      stream: () => new Socket().setKeepAlive(true, 30_000)
    })
    return yield* Effect.flatMap(own.reserve, alone)
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.uninterruptible, Effect.disconnect)

export class NameIndex extends Context.Tag("evald/infrastructure/sql/NameIndex")<
  NameIndex,
  { readonly isReady: () => boolean }
>() {}

const make = Effect.gen(function* () {
  const database = yield* Database
  const { pg } = database
  let ready = false
  if (pg === undefined) return NameIndex.of({ isReady: () => false })
  let tried = false
  const once = Effect.gen(function* () {
    const found = yield* database.read("nameIndexState", nameIndexState)
    // who may not make the extension is not refused again and again
    const state = found === "unbuilt" || (found === "no_extension" && !tried) ? yield* built(pg) : found
    tried = true
    ready = state === "ready"
    return state
  })
  yield* once.pipe(
    Effect.tapError((error) =>
      Effect.logWarning("the index over names of jobs is not built yet, and will be tried again", error)
    ),
    Effect.orElseSucceed(() => "unbuilt" as const),
    Effect.repeat({ until: (state) => state === "ready", schedule: again }),
    Effect.forkScoped
  )
  return NameIndex.of({ isReady: () => ready })
})

export const layer: Layer.Layer<NameIndex, never, Database> = Layer.scoped(NameIndex, make)
