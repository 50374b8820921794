/** Storage on the PostgreSQL of the run: every layer that is built has a schema of its own. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import * as Storage from "../../infrastructure/sql/database.ts"
import { settings } from "./storage.ts"

let schemas = 0

/** URL of a new, empty schema */
export const freshSchema = Effect.gen(function* () {
  const base = inject("pgUrl")
  const name = `test_${process.pid}_${Math.trunc(performance.now())}_${++schemas}`
  yield* Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(`CREATE SCHEMA ${name}`)).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(base), maxConnections: 1 }))
  )
  const url = new URL(base)
  url.searchParams.set("options", `-c search_path=${name}`)
  return url.href
})

export const configOf = (url: string) => ({ ...settings, driver: "pgx" as const, url: Redacted.make(url), poolSize: 8 })

/** several of them with one URL are several servers on one database */
export const postgresAt = (url: string) => Storage.layer(configOf(url))

export const postgres = Layer.unwrapEffect(Effect.map(Effect.orDie(freshSchema), postgresAt))
