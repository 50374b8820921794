/**
 * Searching names on PostgreSQL, with its index of trigrams and without. On an instance of its own: a build waits for every transaction that
 * is open, also for those of other suites.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schedule, TestServices } from "effect"
import { afterAll, beforeAll } from "vitest"
import { StoreStatistics } from "../../../application/ports/stores/store-statistics.ts"
import { load } from "../../../config/load.ts"
import { Database } from "../../../infrastructure/sql/connection/client.ts"
import * as OpenDatabase from "../../../infrastructure/sql/connection/open.ts"
import { nameIndexState } from "../../../infrastructure/sql/name-index.ts"
import { databaseChecks } from "../../../interfaces/main/compose/database-check.ts"
import { nameSearchSuite } from "../../contract/storage/name-search.suite.ts"
import { openTransaction, statement } from "../../support/open-transaction.ts"
import { type OwnPostgres, ownPostgres } from "../../support/own-postgres.ts"
import { configOf, postgresAt, schemaIn } from "../../support/postgres.ts"
import { untilTrue } from "../../support/until.ts"

let postgres: OwnPostgres
beforeAll(async () => {
  postgres = await ownPostgres()
})
afterAll(() => postgres?.remove())

const newSchema = Effect.orDie(Effect.suspend(() => schemaIn(postgres.url)))

const stateAt = (url: string) =>
  Effect.flatMap(Database, (database) => database.read("test", nameIndexState)).pipe(
    Effect.provide(OpenDatabase.layer(configOf(url)))
  )

/** for looks that go to the database */
const eventually = <E>(look: Effect.Effect<boolean, E>) =>
  Effect.repeat(look, { until: (yes) => yes, schedule: Schedule.spaced("50 millis") })

const untilReady = (url: string) => eventually(Effect.map(stateAt(url), (state) => state === "ready"))

/** a schema in which a server has built the index; a server that waits to try again needs a clock that goes on */
const indexed = TestServices.provideLive(
  Effect.tap(newSchema, (url) => Effect.scoped(Effect.zipRight(Layer.build(postgresAt(url)), untilReady(url))))
)

/** a schema of somebody who may not make the extension, in a database that has none */
const bare = Effect.gen(function* () {
  const url = new URL(postgres.url)
  const name = `bare_${Math.trunc(performance.now())}`
  for (const text of [`CREATE ROLE ${name} LOGIN PASSWORD 'bare'`, `CREATE DATABASE ${name}`])
    yield* statement(postgres.url, text)
  url.pathname = name
  yield* statement(url.href, `CREATE SCHEMA AUTHORIZATION ${name}`)
  url.username = name
  url.password = "bare"
  return url.href
}).pipe(Effect.orDie)

/** a server that has looked whether there is an index */
const looked = (url: string) =>
  Layer.tap(postgresAt(url), (context) =>
    Effect.flatMap(StoreStatistics, ({ activity }) =>
      untilTrue(
        Effect.map(activity, ({ operations }) =>
          operations.some(({ operation, succeeded }) => operation === "nameIndexState" && succeeded > 0)
        )
      )
    ).pipe(Effect.provide(context))
  )

nameSearchSuite("PostgreSQL with its index", Layer.unwrapEffect(Effect.map(indexed, looked)))
nameSearchSuite("PostgreSQL without the extension", Layer.unwrapEffect(Effect.map(bare, looked)))

const checksAt = (url: string) =>
  Effect.flatMap(load("config", { DB_URL: url, HOME: "/nonexistent" }), (settings) =>
    databaseChecks({ ...settings, "database.driver": "pgx" })
  )

const found = (url: string, text: string) => Effect.map(statement(url, text), (rows) => rows.length > 0)

const waiting =
  "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND state = 'active' AND wait_event_type = 'Lock'"
const halfDone = "SELECT 1 FROM pg_index WHERE indexrelid = to_regclass('jobs_names') AND NOT indisvalid"

describe("the index over names", () => {
  it.live("is built beside the servers, once, and used for a rare part of a name", () =>
    Effect.gen(function* () {
      const url = yield* newSchema
      yield* Effect.scoped(
        Effect.zipRight(
          Effect.all([Layer.build(postgresAt(url)), Layer.build(postgresAt(url))], { concurrency: "unbounded" }),
          untilReady(url)
        )
      )
      assert.deepStrictEqual(
        (yield* checksAt(url)).map(({ name, status }) => [name, status]),
        [
          ["PostgreSQL", "ok"],
          ["search by name", "ok"]
        ]
      )
      const plan = yield* statement(
        url,
        "SET enable_seqscan = off; EXPLAIN SELECT key FROM jobs WHERE name_key LIKE '%rare%'"
      )
      assert.include(JSON.stringify(plan), "jobs_names")
    })
  )

  it.live("is missing where the extension may not be made: doctor says what to do", () =>
    Effect.gen(function* () {
      const url = yield* bare
      yield* Effect.scoped(Layer.build(looked(url)))
      assert.strictEqual(yield* stateAt(url), "no_extension")
      const [, search] = yield* checksAt(url)
      assert.deepInclude(search, { name: "search by name", status: "note" })
      assert.include(search?.fix, "CREATE EXTENSION pg_trgm")
    })
  )

  it.live("that was left half done is made again", () =>
    Effect.gen(function* () {
      const url = yield* indexed
      yield* statement(url, "UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass('jobs_names')")
      assert.strictEqual(yield* stateAt(url), "unbuilt")
      yield* Effect.scoped(Effect.zipRight(Layer.build(postgresAt(url)), untilReady(url)))
    })
  )

  it.live(
    "waits for a long transaction in nobody's way: servers start and stop meanwhile, and build it when the transaction has ended",
    () =>
      Effect.gen(function* () {
        const url = yield* newSchema
        yield* Effect.scoped(Effect.zipRight(Layer.build(postgresAt(url)), untilReady(url)))
        yield* statement(url, "DROP INDEX jobs_names")
        const { finish } = yield* openTransaction(url, "LOCK TABLE jobs IN ROW EXCLUSIVE MODE")
        // ends while its build waits
        yield* Effect.scoped(Effect.zipRight(Layer.build(postgresAt(url)), eventually(found(url, waiting))))
        // finds the build of the other one given up, and what it left
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* Layer.build(postgresAt(url))
            yield* eventually(
              Effect.zipWith(found(url, waiting), found(url, halfDone), (waits, left) => !waits && left)
            )
            assert.strictEqual(yield* stateAt(url), "unbuilt")
            yield* finish()
            yield* untilReady(url)
          })
        )
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
