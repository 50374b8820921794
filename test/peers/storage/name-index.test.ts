/**
 * Searching names on PostgreSQL: with its index of trigrams where the extension pg_trgm can be had, as PG_URL may name one, and without.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { load } from "../../../config/load.ts"
import * as Client from "../../../infrastructure/sql/client.ts"
import { nameIndexState } from "../../../infrastructure/sql/name-index.ts"
import type { Session } from "../../../infrastructure/sql/session.ts"
import { databaseChecks } from "../../../interfaces/main/database-check.ts"
import { nameSearchSuite } from "../../contract/storage/name-search.suite.ts"
import { configOf, freshSchema, postgresAt } from "../../support/postgres.ts"

/** whether this PostgreSQL brings the extension along; without it the same searches must give the same rows */
const isAvailable = (url: string) =>
  Effect.map(
    Effect.provide(
      Effect.flatMap(Client.Database, (database) =>
        database.read("test", (session) => session.query("SELECT 1 FROM pg_available_extensions WHERE name = 'pg_trgm'", []))
      ),
      Client.layer(configOf(url))
    ),
    (rows) => rows.length > 0
  )

const stateAt = (url: string) =>
  Effect.flatMap(Client.Database, (database) => database.read("test", nameIndexState)).pipe(Effect.provide(Client.layer(configOf(url))))

const checksAt = (url: string) =>
  Effect.flatMap(load("config", { DB_URL: url, HOME: "/nonexistent" }), (settings) => databaseChecks({ ...settings, "database.driver": "pgx" }))

const untilReady = (url: string) => Effect.repeat(stateAt(url), { until: (state) => state === "ready", schedule: Schedule.spaced("100 millis") })

/** a schema in which a server has built the index, where one can be built */
const indexed = Effect.gen(function* () {
  const url = yield* freshSchema
  if (yield* isAvailable(url)) yield* Effect.scoped(Effect.zipRight(Layer.build(postgresAt(url)), untilReady(url)))
  return url
})

nameSearchSuite("PostgreSQL with its index", Layer.unwrapEffect(Effect.map(Effect.orDie(indexed), postgresAt)))

const withoutExtension = (url: string) =>
  Effect.gen(function* () {
    assert.strictEqual(yield* stateAt(url), "no_extension")
    const [, search] = yield* checksAt(url)
    assert.deepInclude(search, { name: "search by name", status: "note" })
    assert.include(search?.fix, "CREATE EXTENSION pg_trgm")
  })

const explained = (session: Session) =>
  Effect.zipRight(
    session.query("SET enable_seqscan = off", []),
    session.query<{ "QUERY PLAN": string }>("EXPLAIN SELECT key FROM jobs WHERE name_key LIKE '%rare%'", [])
  )

describe("the index over names", () => {
  it.live("is built beside the servers, once, and used for a rare part of a name; without the extension doctor says what is missing", () =>
    Effect.gen(function* () {
      const url = yield* indexed
      yield* Effect.scoped(Effect.all([Layer.build(postgresAt(url)), Layer.build(postgresAt(url))], { concurrency: "unbounded" }))
      if (!(yield* isAvailable(url))) return yield* withoutExtension(url)
      assert.strictEqual(yield* stateAt(url), "ready")
      assert.deepStrictEqual(
        (yield* checksAt(url)).map(({ name, status }) => [name, status]),
        [
          ["PostgreSQL", "ok"],
          ["search by name", "ok"]
        ]
      )
      const plan = yield* Effect.provide(
        Effect.flatMap(Client.Database, (database) => database.read("test", explained)),
        Client.layer({ ...configOf(url), poolSize: 1 })
      )
      assert.include(plan.map((row) => row["QUERY PLAN"]).join("\n"), "jobs_names")
    })
  )

  it.live("that was left half done is made again", () =>
    Effect.gen(function* () {
      const url = yield* indexed
      if (!(yield* isAvailable(url))) return yield* withoutExtension(url)
      const spoil = "UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass('jobs_names')"
      yield* Effect.provide(
        Effect.flatMap(Client.Database, (database) => database.write("test", (session) => session.write(spoil, []))),
        Client.layer(configOf(url))
      )
      assert.strictEqual(yield* stateAt(url), "unbuilt")
      yield* Effect.scoped(Effect.zipRight(Layer.build(postgresAt(url)), untilReady(url)))
    })
  )
})

describe("a PostgreSQL that is not there", () => {
  it.live("is a problem with its address", () =>
    Effect.gen(function* () {
      const [check] = yield* checksAt("postgres://user:canary@127.0.0.1:1/none")
      assert.deepInclude(check, { name: "PostgreSQL", status: "problem" })
      assert.notInclude(JSON.stringify(check), "canary")
    })
  )
})
