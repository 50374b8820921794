/** A network to PostgreSQL that swallows everything: nobody waits for ever, and nothing stays broken afterwards. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Either, Fiber, Layer, Redacted, Schedule, Stream } from "effect"
import { ChangeFeed } from "../../../application/ports/change-feed.ts"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import * as Storage from "../../../infrastructure/sql/database.ts"
import { configOf, freshSchema } from "../../support/postgres.ts"
import { report } from "../../support/store-actions.ts"
import { jobId, makeJob, runningEvent } from "../../support/stored-jobs.ts"
import { tcpGate } from "../../support/tcp-gate.ts"

const gateTo = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(() => tcpGate(Number(new URL(url).port))),
    (gate) => Effect.promise(() => gate.close())
  )

const through = (url: string, port: number) => {
  const gated = new URL(url)
  gated.port = String(port)
  return gated.href
}

const sql = (url: string, text: string) =>
  Effect.flatMap(PgClient.PgClient, (client) => client.unsafe<Record<string, unknown>>(text)).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1, applicationName: "intruder" }))
  )

const listeners = (url: string) =>
  sql(
    url,
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'evald' AND query LIKE 'LISTEN%' AND state = 'idle' AND datname = current_database()"
  )

/** until a listener other than the first is there */
const newListener = (url: string, first: unknown) =>
  listeners(url).pipe(
    Effect.filterOrFail((rows) => rows.some(({ pid }) => pid !== first)),
    Effect.retry(Schedule.spaced("200 millis"))
  )

describe("a network that swallows everything", () => {
  it.scopedLive(
    "ends in an unavailable database in bounded time, and works again when it passes again",
    () =>
      Effect.gen(function* () {
        const url = yield* freshSchema
        const gate = yield* gateTo(url)
        const context = yield* Layer.build(
          Storage.layer({ ...configOf(through(url, gate.port)), statementTimeoutMillis: 1000 })
        )
        const store = yield* Effect.provide(JobStore, context)
        const job = makeJob({ id: jobId(1), tenant: "t", benchmarks: 40 })
        yield* store.insert(job, [])
        const feed = yield* Effect.provide(ChangeFeed, context)
        const heard = yield* Deferred.make<void>()
        const watching = yield* Effect.fork(
          feed.subscribe({ tenant: "t" }, yield* feed.latest).pipe(
            Stream.tap(() => Deferred.succeed(heard, undefined)),
            Stream.takeUntil((change) => change.kind === "deleted"),
            Stream.runDrain
          )
        )
        // warm: lines and readers hold connections that will be silent
        yield* Effect.forEach([0, 1, 2], (index) => Effect.provide(report(job.id, runningEvent(index)), context), {
          concurrency: 3
        })
        yield* Deferred.await(heard)
        const [first] = yield* listeners(url)
        gate.swallow()
        const asked = [
          ...Array.from({ length: 12 }, () => Effect.asVoid(store.load("t", job.id))),
          ...Array.from({ length: 12 }, (_, index) =>
            Effect.asVoid(Effect.provide(report(job.id, runningEvent(10 + index)), context))
          )
        ]
        const [took, outcomes] = yield* Effect.timed(
          Effect.forEach(asked, (one) => Effect.either(one), { concurrency: "unbounded" })
        )
        for (const outcome of outcomes)
          assert.strictEqual(outcome._tag === "Left" ? outcome.left._tag : "answered", "Unavailable")
        assert.isBelow(Duration.toSeconds(took), 30)
        yield* Effect.promise(() => gate.pass())
        const loaded = yield* Effect.retry(store.load("t", job.id), {
          times: 20,
          schedule: Schedule.spaced("500 millis")
        })
        assert.strictEqual(loaded.counts.running, 3)
        yield* newListener(url, first?.["pid"])
        yield* store.remove("t", job.id, () => Either.right([]))
        yield* Fiber.join(watching)
      }),
    90_000
  )
})

describe("a connection for notifications that is cut", () => {
  it.scopedLive(
    "is made again",
    () =>
      Effect.gen(function* () {
        const url = yield* freshSchema
        const name = `cut_${process.pid}`
        const named = new URL(url)
        named.searchParams.set("application_name", name)
        yield* Layer.build(Storage.layer(configOf(named.href)))
        const of = (text: string) => sql(url, text.replaceAll("?", name))
        const found = Effect.retry(
          Effect.filterOrFail(
            of("SELECT pid FROM pg_stat_activity WHERE application_name = '?' AND query LIKE 'LISTEN%'"),
            (rows) => rows.length === 1
          ),
          Schedule.spaced("100 millis")
        )
        const [before] = yield* found
        for (let round = 0; round < 2; round++) {
          const [pid] = yield* found
          yield* of(`SELECT pg_terminate_backend(${String(pid?.["pid"])})`)
        }
        const [after] = yield* found
        assert.notStrictEqual(after?.["pid"], before?.["pid"])
      }),
    60_000
  )
})
