/** Storage on the PostgreSQL of the run: every layer that is built has a schema of its own. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import * as Storage from "../../infrastructure/sql/database.ts"
import { StoredTime, settings } from "./storage.ts"

let schemas = 0

/** URL of a new, empty schema in the database at `base` */
export const schemaIn = (base: string) =>
  Effect.gen(function* () {
    const name = `test_${process.pid}_${Math.trunc(performance.now())}_${++schemas}`
    yield* Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(`CREATE SCHEMA ${name}`)).pipe(
      Effect.provide(PgClient.layer({ url: Redacted.make(base), maxConnections: 1 }))
    )
    const url = new URL(base)
    url.searchParams.set("options", `-c search_path=${name}`)
    return url.href
  })

/** the same in the database of the run */
export const freshSchema = Effect.suspend(() => schemaIn(inject("pgUrl")))

export const configOf = (url: string) => ({ ...settings, driver: "pgx" as const, url: Redacted.make(url), poolSize: 8 })

/** several of them with one URL are several servers on one database */
export const postgresAt = (url: string) => Storage.layer(configOf(url))

const run = (url: string, text: string) =>
  Effect.orDie(
    Effect.provide(
      Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(text)),
      PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })
    )
  )

/** a database of its own on the server of the run, made by these statements; gone with the scope */
export const databaseFrom = (statements: string) =>
  Effect.gen(function* () {
    const base = inject("pgUrl")
    const name = `frozen_${process.pid}_${++schemas}`
    yield* Effect.acquireRelease(run(base, `CREATE DATABASE ${name}`), () =>
      run(base, `DROP DATABASE ${name} WITH (FORCE)`)
    )
    const url = new URL(base)
    url.pathname = `/${name}`
    yield* run(url.href, statements)
    return url.href
  })

const moved = (column: string, millis: number) =>
  `${column} = to_char((${column}::timestamptz - ${millis} * interval '1 millisecond') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** the database's clock cannot be set, but the times of its tasks can: what they say is then so much longer ago */
const timeOf = (url: string) => {
  const pass = (millis: number) =>
    Effect.asVoid(run(url, `UPDATE tasks SET ${moved("due_at", millis)}, ${moved("lease_until", millis)}`))
  return Layer.succeed(StoredTime, { pass, withClockSet: (millis, effect) => Effect.zipRight(pass(millis), effect) })
}

/** a new one, and how time passes in it */
export const timedPostgres = Layer.unwrapEffect(
  Effect.map(Effect.orDie(freshSchema), (url) => Layer.merge(postgresAt(url), timeOf(url)))
)

export const postgres = Layer.unwrapEffect(Effect.map(Effect.orDie(freshSchema), postgresAt))
