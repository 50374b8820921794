/** Several servers on one PostgreSQL, and a PostgreSQL that goes away. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Chunk, type Context, Deferred, Effect, Either, Fiber, Layer, Redacted, type Scope, Stream } from "effect"
import { ChangeFeed } from "../../../application/ports/change-feed.ts"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import { TaskQueue } from "../../../application/ports/task-queue.ts"
import { checkDatabase } from "../../../infrastructure/sql/connection/check.ts"
import * as OpenDatabase from "../../../infrastructure/sql/connection/open.ts"
import * as Storage from "../../../infrastructure/sql/database.ts"
import { schemaVersion } from "../../../infrastructure/sql/migrate.ts"
import { hour, jumpingClock } from "../../support/jumping-clock.ts"
import { configOf, freshSchema, postgresAt } from "../../support/postgres.ts"
import type { StorageLayer } from "../../support/storage.ts"
import { cancel, report } from "../../support/store-actions.ts"
import { completedEvent, jobId, launchTasks, makeJob, runningEvent } from "../../support/stored-jobs.ts"

type Server = Context.Context<Layer.Layer.Success<StorageLayer>>

const server = (url: string): Effect.Effect<Server, unknown, Scope.Scope> => Layer.build(postgresAt(url))

const servers = (url: string, count: number) =>
  Effect.all(
    Array.from({ length: count }, () => server(url)),
    { concurrency: "unbounded" }
  )

const postgresWith = (url: string, statementTimeoutMillis: number) =>
  Storage.layer({ ...configOf(url), statementTimeoutMillis })

/** without the schema and the name of one test */
const inWholeServer = (url: string) => {
  const whole = new URL(url)
  whole.searchParams.delete("options")
  whole.searchParams.delete("application_name")
  return whole.href
}

const sql = (url: string, text: string) =>
  Effect.flatMap(PgClient.PgClient, (client) => client.unsafe<Record<string, unknown>>(text)).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1, applicationName: "intruder" }))
  )

describe("several servers on one PostgreSQL", () => {
  it.scopedLive("that start together on an empty database migrate it once", () =>
    Effect.gen(function* () {
      const url = yield* freshSchema
      const all = yield* servers(url, 4)
      assert.strictEqual(all.length, 4)
      assert.deepEqual(yield* sql(url, "SELECT count(*)::int AS n FROM schema_version"), [{ n: schemaVersion }])
    })
  )

  it.scopedLive("claim every task once", () =>
    Effect.gen(function* () {
      const url = yield* freshSchema
      const all = yield* servers(url, 3)
      const [first] = all
      assert.isDefined(first)
      const job = makeJob({ id: jobId(1), tenant: "t", benchmarks: 300 })
      yield* Effect.provide(
        Effect.flatMap(JobStore, (store) => store.insert(job, launchTasks(job))),
        first
      )
      const drain = (name: string) =>
        Effect.gen(function* () {
          const queue = yield* TaskQueue
          const keys: Array<string> = []
          for (;;) {
            const tasks = yield* queue.claim("launch", name, 7, 60_000)
            if (tasks.length === 0) return keys
            keys.push(...tasks.map((task) => task.key))
            yield* Effect.forEach(tasks, (task) => queue.complete(task, name), { discard: true })
          }
        })
      const claimed = (yield* Effect.all(
        all.flatMap((context, number) => [
          Effect.provide(drain(`${number}a`), context),
          Effect.provide(drain(`${number}b`), context)
        ]),
        { concurrency: "unbounded" }
      )).flat()
      assert.strictEqual(claimed.length, 300)
      assert.strictEqual(new Set(claimed).size, 300)
    })
  )

  it.scopedLive(
    "whose clocks are off by hours respect each other's leases and start each other's tasks at once (leases went by each server's own clock)",
    () =>
      Effect.gen(function* () {
        const url = yield* freshSchema
        const [right, fast, slow] = yield* servers(url, 3)
        assert.isDefined(right)
        assert.isDefined(fast)
        assert.isDefined(slow)
        const { clock: ahead, jump: setAhead } = yield* jumpingClock
        const { clock: behind, jump: setBehind } = yield* jumpingClock
        yield* setAhead(2 * hour)
        yield* setBehind(-2 * hour)
        const claim = (holder: string, limit: number) =>
          Effect.flatMap(TaskQueue, (queue) => queue.claim("launch", holder, limit, 30_000))
        const create = (number: number) => {
          const job = makeJob({ id: jobId(number), tenant: "t", benchmarks: 1 })
          return Effect.flatMap(JobStore, (store) => store.insert(job, launchTasks(job)))
        }
        const on = { right, fast, slow }
        const clocks = { fast: ahead, slow: behind }
        const at = <A, E>(name: "right" | "fast" | "slow", effect: Effect.Effect<A, E, JobStore | TaskQueue>) =>
          Effect.provide(name === "right" ? effect : Effect.withClock(effect, clocks[name]), on[name])
        const claimants = ["right", "fast", "slow"] as const
        for (const [number, owner] of claimants.entries()) {
          // stored by the server after the owner in the round
          yield* at(claimants[(number + 1) % 3] ?? "right", create(number))
          const [held] = yield* at(owner, claim(owner, 1))
          assert.isDefined(held)
          assert.strictEqual(held.jobId, jobId(number))
          for (const other of claimants)
            assert.deepEqual(yield* at(other, claim(`thief ${other}`, 5)), [], `${other} takes what ${owner} holds`)
          assert.isTrue(
            yield* at(
              owner,
              Effect.flatMap(TaskQueue, (queue) => queue.renew(held, owner, 30_000))
            )
          )
          for (const other of claimants) assert.deepEqual(yield* at(other, claim(`thief ${other}`, 5)), [])
          yield* at(
            owner,
            Effect.flatMap(TaskQueue, (queue) => queue.retry(held, owner, 0, "again"))
          )
          for (const other of claimants) {
            const [again] = yield* at(other, claim(other, 5))
            assert.isDefined(again)
            assert.strictEqual(again.jobId, jobId(number))
            yield* at(
              other,
              Effect.flatMap(TaskQueue, (queue) => queue.retry(again, other, 0, "again"))
            )
          }
          const [last] = yield* at(owner, claim(owner, 5))
          assert.isDefined(last)
          yield* at(
            owner,
            Effect.flatMap(TaskQueue, (queue) => queue.complete(last, owner))
          )
        }
      })
  )

  it.scopedLive("wake each other's launchers and watchers, in order and without loss", () =>
    Effect.gen(function* () {
      const url = yield* freshSchema
      const [writer, second, reader] = yield* servers(url, 3)
      assert.isDefined(writer)
      assert.isDefined(second)
      assert.isDefined(reader)
      const job = makeJob({ id: jobId(1), tenant: "t", benchmarks: 200 })
      const ready = yield* Deferred.make<void>()
      const watching = yield* Effect.gen(function* () {
        const feed = yield* ChangeFeed
        const from = yield* feed.latest
        yield* Deferred.succeed(ready, undefined)
        return yield* feed.subscribe({ tenant: "t" }, from).pipe(Stream.take(201), Stream.runCollect)
      }).pipe(Effect.provide(reader), Effect.fork)
      const waiting = yield* Effect.fork(
        Effect.provide(
          Effect.flatMap(TaskQueue, (queue) => queue.awaitWork("launch")),
          reader
        )
      )
      yield* Deferred.await(ready)
      yield* Effect.provide(
        Effect.flatMap(JobStore, (store) => store.insert(job, launchTasks(job))),
        writer
      )
      yield* Fiber.join(waiting)
      yield* Effect.forEach(
        job.benchmarks,
        ({ index }) => Effect.provide(report(job.id, runningEvent(index)), index % 2 === 0 ? writer : second),
        {
          concurrency: 16,
          discard: true
        }
      )
      const numbers = Chunk.toReadonlyArray(yield* Fiber.join(watching)).map((change) => change.sequence)
      assert.strictEqual(new Set(numbers).size, 201)
      assert.deepEqual(
        numbers,
        [...numbers].sort((a, b) => a - b)
      )
    })
  )

  it.scopedLive("agree about jobs that all of them change at the same moment", () =>
    Effect.gen(function* () {
      const url = yield* freshSchema
      const all = yield* servers(url, 3)
      const on = <A, E>(number: number, effect: Effect.Effect<A, E, JobStore>) =>
        Effect.flatMap(Effect.fromNullable(all[number % 3]), (context) => Effect.provide(effect, context))
      const jobs = Array.from({ length: 12 }, (_, number) =>
        makeJob({ id: jobId(number), tenant: "t", benchmarks: 10 })
      )
      yield* Effect.forEach(
        jobs,
        (job, number) =>
          on(
            number,
            Effect.flatMap(JobStore, (store) => store.insert(job, []))
          ),
        { concurrency: 12, discard: true }
      )
      const work = jobs.flatMap((job, number) => [
        ...job.benchmarks.map(({ index }) => on(index, Effect.either(report(job.id, completedEvent(index))))),
        ...(number % 3 === 0 ? [on(number + 1, Effect.either(cancel("t", job.id)))] : [])
      ])
      yield* Effect.all(work, { concurrency: 40, discard: true })
      const states = yield* Effect.forEach(jobs, (job, number) =>
        on(
          number,
          Effect.map(
            Effect.flatMap(JobStore, (store) => store.load("t", job.id)),
            ({ state }) => state
          )
        )
      )
      for (const [number, state] of states.entries())
        assert.include(number % 3 === 0 ? ["completed", "cancelled"] : ["completed"], state)
      assert.deepEqual(yield* Effect.provide(checkDatabase, OpenDatabase.layer(configOf(url))), [])
    })
  )
})

describe("a PostgreSQL that fails", () => {
  it.scopedLive("cut connections are an unavailable database, and the next call works", () =>
    Effect.gen(function* () {
      // a name of its own: the connections of other tests stay
      const named = new URL(yield* freshSchema)
      named.searchParams.set("application_name", "cut_off")
      const url = named.href
      const context = yield* server(url)
      const store = yield* Effect.provide(JobStore, context)
      const feed = yield* Effect.provide(ChangeFeed, context)
      const job = makeJob({ id: jobId(1), tenant: "t", benchmarks: 400 })
      yield* store.insert(job, [])
      const watching = yield* Effect.fork(
        feed.subscribe({ tenant: "t" }, yield* feed.latest).pipe(
          Stream.takeUntil((change) => change.kind === "deleted"),
          Stream.runDrain
        )
      )
      const reporting = yield* Effect.fork(
        Effect.forEach(
          job.benchmarks,
          ({ index }) => Effect.provide(Effect.either(report(job.id, runningEvent(index))), context),
          { concurrency: 8 }
        )
      )
      let cuts = 0
      for (let round = 0; round < 5; round++) {
        yield* Effect.sleep("30 millis")
        const cut = yield* sql(
          inWholeServer(url),
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cut_off'"
        )
        cuts += cut.length
      }
      assert.isAbove(cuts, 0)
      const outcomes = yield* Fiber.join(reporting)
      const refused = outcomes.flatMap((outcome) => (outcome._tag === "Left" ? [outcome.left] : []))
      for (const error of refused) assert.strictEqual(error._tag, "Unavailable")
      const { counts } = yield* Effect.retry(store.load("t", job.id), { times: 5 })
      const acknowledged = outcomes.filter((outcome) => outcome._tag === "Right").length
      // an answer may be lost after its COMMIT, never the other way round
      assert.isAtLeast(counts.running, acknowledged)
      yield* store.remove("t", job.id, () => Either.right([]))
      yield* Fiber.join(watching)
    })
  )

  it.scopedLive("a row that somebody keeps locked ends in an unavailable database, not in waiting", () =>
    Effect.gen(function* () {
      const url = yield* freshSchema
      const context = yield* Layer.build(postgresWith(url, 300))
      const store = yield* Effect.provide(JobStore, context)
      const job = makeJob({ id: jobId(1), tenant: "t" })
      yield* store.insert(job, [])
      const locked = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      const holder = yield* Effect.gen(function* () {
        const client = yield* PgClient.PgClient
        yield* client.withTransaction(
          Effect.gen(function* () {
            yield* client.unsafe("SELECT 1 FROM jobs FOR UPDATE")
            yield* Deferred.succeed(locked, undefined)
            yield* Deferred.await(release)
          })
        )
      }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })), Effect.fork)
      yield* Deferred.await(locked)
      const refused = yield* Effect.flip(Effect.provide(report(job.id, runningEvent(0)), context))
      assert.strictEqual(refused._tag, "Unavailable")
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.join(holder)
      assert.isTrue((yield* Effect.provide(report(job.id, runningEvent(0)), context)).applied)
    })
  )

  it.live("one that is not there is refused with its address and without its password", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(
        Effect.scoped(Layer.build(OpenDatabase.layer(configOf("postgres://user:canary@127.0.0.1:1/none"))))
      )
      assert.include(refused.message, "127.0.0.1:1")
      assert.notInclude(refused.message, "canary")
    })
  )
})
