/** On SQLite: read-only, full and locked by somebody else; refusals say so, nothing acknowledged is lost, and nobody restarts anything. */
import { join } from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import { SqliteClient } from "@effect/sql-sqlite-node"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Duration, Effect, Fiber, Layer, Option, Redacted } from "effect"
import { JobStore } from "../../../../application/ports/stores/job-store.ts"
import { checkDatabase } from "../../../../infrastructure/sql/connection/check.ts"
import { Database } from "../../../../infrastructure/sql/connection/client.ts"
import * as OpenDatabase from "../../../../infrastructure/sql/connection/open.ts"
import * as Storage from "../../../../infrastructure/sql/database.ts"
import type { JobSpec } from "../../../../providers/contract/job-spec.ts"
import { makeDelivery } from "../../../../providers/sdk/events/event-delivery.ts"
import {
  layer as app,
  at,
  eventBody,
  HttpApp,
  idOf,
  jobBody,
  jobsPath,
  providersPath
} from "../../../support/http-app.ts"
import { settings, sqliteMemory, temporaryFolder } from "../../../support/storage.ts"

/** the storage of a server, and its database for doing it harm */
const exposed = (url?: string) => {
  const config = { ...settings, driver: "sqlite" as const, ...(url === undefined ? {} : { url: Redacted.make(url) }) }
  return Layer.provideMerge(Storage.ports(settings, 1), OpenDatabase.layer(config))
}

/** on the only connection of a database in memory, outside of transactions */
const pragma = (text: string) =>
  Effect.flatMap(Database, (database) =>
    database.read("test", (session) => session.query<Record<string, number>>(`PRAGMA ${text}`, []))
  )

const provider = { name: "mine", runtime: { local: { command: "run" } }, benchmarks: [{ id: "own" }] }

const isRefusal = ({
  status,
  code,
  headers,
  text
}: {
  status: number
  code: string | undefined
  headers: object
  text: string
}) => {
  assert.deepStrictEqual([status, code], [503, "database_unavailable"], text)
  assert.match(String((headers as { readonly [name: string]: unknown })["retry-after"]), /^\d+$/)
  assert.notMatch(text, /sqlite|readonly|disk|full/i)
  // the answer to a COMMIT may have been lost: nobody may be told that nothing happened
  assert.include(text, "Idempotency-Key")
}

const withExposed = <A, E>(effect: Effect.Effect<A, E, HttpApp | Database>) =>
  Effect.scoped(
    Effect.flatMap(Layer.build(exposed()), (context) =>
      Effect.provide(
        effect,
        Layer.merge(app({ storage: Layer.succeedContext(context) }), Layer.succeedContext(context))
      )
    )
  )

describe("a database that can only be read", () => {
  it.live("refuses every write and serves every read, until it can be written again", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const job = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
      const mine = idOf(yield* http.send("POST", providersPath, { body: provider }))
      yield* pragma("query_only = 1")
      const key = { "content-type": "application/json", "idempotency-key": "again" }
      isRefusal(yield* http.send("POST", jobsPath, { body: jobBody(), headers: key }))
      isRefusal(yield* http.send("POST", providersPath, { body: provider }))
      isRefusal(yield* http.send("PUT", `${providersPath}/${mine}`, { body: provider }))
      isRefusal(yield* http.send("POST", `${jobsPath}/${job}/events`, { body: eventBody() }))
      isRefusal(yield* http.send("DELETE", `${jobsPath}/${job}`))
      isRefusal(yield* http.send("DELETE", `${jobsPath}/${job}?hard_delete=true`))
      isRefusal(yield* http.send("DELETE", `${providersPath}/${mine}`))
      for (const path of [jobsPath, `${jobsPath}/${job}`, providersPath, `${providersPath}/${mine}`]) {
        assert.strictEqual((yield* http.send("GET", path)).status, 200)
      }
      const dry = yield* http.send("POST", `${jobsPath}?dry_run=true`, { body: jobBody() })
      assert.strictEqual(dry.status, 200)
      yield* pragma("query_only = 0")
      const created = yield* http.send("POST", jobsPath, { body: jobBody(), headers: key })
      assert.deepStrictEqual([created.status, created.headers["idempotent-replayed"]], [202, undefined])
      assert.strictEqual((yield* http.send("POST", `${jobsPath}/${job}/events`, { body: eventBody() })).status, 200)
      assert.strictEqual(at((yield* http.send("GET", jobsPath)).json, "total_count"), 2)
      assert.deepStrictEqual(yield* checkDatabase, [])
    }).pipe(withExposed)
  )
})

describe("a database without room", () => {
  it.live("refuses what does not fit, keeps what was acknowledged, and goes on when there is room", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const first = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
      const [{ page_count: pages = 0 } = {}] = yield* pragma("page_count")
      yield* pragma(`max_page_count = ${pages + 60}`)
      const post = (number: number) =>
        http.send("POST", jobsPath, { body: jobBody({ name: `job ${number}`, custom: { text: "x".repeat(20_000) } }) })
      const answers = yield* Effect.forEach(
        Array.from({ length: 60 }, (_, number) => number),
        post,
        { concurrency: 8 }
      )
      const [taken, refused] = [
        answers.filter(({ status }) => status === 202),
        answers.filter(({ status }) => status !== 202)
      ]
      assert.isAbove(taken.length, 0)
      assert.isAbove(refused.length, 0)
      refused.forEach(isRefusal)
      assert.strictEqual((yield* http.send("GET", `${jobsPath}/${first}`)).status, 200)
      yield* pragma("max_page_count = 1000000")
      assert.strictEqual((yield* post(100)).status, 202)
      assert.strictEqual((yield* http.send("POST", `${jobsPath}/${first}/events`, { body: eventBody() })).status, 200)
      for (const { json } of taken)
        assert.strictEqual((yield* http.send("GET", `${jobsPath}/${String(at(json, "resource.id"))}`)).status, 200)
      assert.strictEqual(at((yield* http.send("GET", jobsPath)).json, "total_count"), taken.length + 2)
      assert.deepStrictEqual(yield* checkDatabase, [])
    }).pipe(withExposed)
  )
})

const lockedBy = (path: string, release: Deferred.Deferred<void>, held: Deferred.Deferred<void>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* SqliteClient.make({ filename: path })
      const connection = yield* sql.reserve
      yield* connection.execute("BEGIN IMMEDIATE", [], undefined)
      yield* Deferred.succeed(held, undefined)
      yield* Deferred.await(release)
      yield* connection.execute("ROLLBACK", [], undefined)
    })
  ).pipe(Effect.provide(Reactivity.layer))

const specOf = (id: string, port: number): JobSpec => ({
  id,
  provider_id: "p",
  benchmark_id: "b",
  benchmark_index: 0,
  model: { url: "http://model.example.com/v1", name: "m" },
  parameters: {},
  callback_url: `http://127.0.0.1:${port}`
})

describe("a database file that somebody else keeps locked", () => {
  it.scopedLive(
    "refuses writes soon, answers everything else meanwhile, and takes the adapter's result afterwards",
    () =>
      Effect.gen(function* () {
        const path = join(yield* temporaryFolder, "evald.db")
        const context = yield* Layer.build(app({ storage: exposed(`file:${path}`) }))
        const http = Context.get(context, HttpApp)
        const job = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
        const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const locking = yield* Effect.fork(lockedBy(path, release, held))
        yield* Deferred.await(held)
        const delivery = yield* makeDelivery(specOf(job, http.port), {})
        const event = { provider_id: "p", id: "b", benchmark_index: 0, status: "completed", metrics: { acc: 0.5 } }
        const delivering = yield* Effect.fork(delivery.deliverTerminal(event, Duration.seconds(60)))
        const refusing = yield* Effect.fork(http.send("POST", jobsPath, { body: jobBody() }))
        assert.strictEqual((yield* http.send("GET", `${jobsPath}/${job}`)).status, 200)
        assert.isTrue(Option.isNone(yield* Fiber.poll(refusing)), "the read waits for no write")
        isRefusal(yield* Fiber.join(refusing))
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(locking)
        assert.strictEqual(yield* Fiber.join(delivering), "accepted")
        const ended = yield* http.send("GET", `${jobsPath}/${job}`)
        assert.deepStrictEqual(
          [at(ended.json, "status.state"), at(ended.json, "results.benchmarks.0.metrics.acc")],
          ["completed", 0.5]
        )
        assert.strictEqual((yield* http.send("POST", jobsPath, { body: jobBody() })).status, 202)
      }),
    60_000
  )
})

describe("a database that does not answer", () => {
  it.scopedLive(
    "holds up neither readiness nor metrics",
    () =>
      Effect.gen(function* () {
        // as the drivers do: nothing that was begun can be interrupted
        const released = yield* Deferred.make<void>()
        const stuck = Effect.uninterruptible(Deferred.await(released))
        const storage = Layer.map(sqliteMemory, (all) =>
          Context.add(all, JobStore, { ...Context.get(all, JobStore), ping: stuck })
        )
        const http = Context.get(yield* Layer.build(app({ storage })), HttpApp)
        yield* Effect.addFinalizer(() => Deferred.succeed(released, undefined))
        const ready = yield* http.send("GET", "/api/v1/health/ready")
        assert.deepStrictEqual([ready.status, at(ready.json, "dependencies.0.ok")], [503, false])
      }),
    30_000
  )
})
