/** A password of the database that is changed while a server runs: what is mounted is read again, and nothing needs a restart. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, Schedule } from "effect"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import * as Storage from "../../../infrastructure/sql/database.ts"
import { configOf, freshSchema } from "../../support/postgres.ts"
import { jobId, makeJob } from "../../support/stored-jobs.ts"

const sql = (url: string, text: string) =>
  Effect.flatMap(PgClient.PgClient, (client) => client.unsafe<Record<string, unknown>>(text)).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
  )

describe("a password that is changed under a running server", () => {
  it.scopedLive(
    "is read again from its file as soon as the old one is refused: calls succeed and others are heard by it",
    () =>
      Effect.gen(function* () {
        const url = yield* freshSchema
        const role = `rotated_${process.pid}`
        const as = (password: string) => {
          const own = new URL(url)
          own.username = role
          own.password = password
          return own.href
        }
        const cut = sql(url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`)
        yield* sql(url, `CREATE ROLE ${role} SUPERUSER LOGIN PASSWORD 'first'`)
        yield* Effect.addFinalizer(() =>
          Effect.ignore(Effect.zipRight(cut, sql(url, `DROP ROLE ${role}`))).pipe(Effect.retry({ times: 3 }))
        )
        let mounted = as("first")
        const context = yield* Layer.build(
          Storage.layer({
            ...configOf(mounted),
            reread: Effect.sync(() => Option.some(Redacted.make(`${mounted}\n`)))
          })
        )
        const store = yield* Effect.provide(JobStore, context)
        const job = makeJob({ id: jobId(1), tenant: "t", benchmarks: 1 })
        yield* store.insert(job, [])

        yield* sql(url, `ALTER ROLE ${role} PASSWORD 'second'`)
        yield* cut
        // the mount follows later than the database
        const refused = yield* Effect.either(Effect.repeatN(store.load("t", job.id), 3))
        assert.strictEqual(refused._tag === "Left" ? refused.left._tag : "answered", "Unavailable")
        mounted = as("second")
        // a connection that was cut may still be in the pool: whoever gets it tries once more
        const loaded = yield* Effect.retry(store.load("t", job.id), { times: 8 })
        assert.strictEqual(loaded.id, job.id)
        yield* Effect.forEach(
          [2, 3, 4, 5],
          (n) => store.insert(makeJob({ id: jobId(n), tenant: "t", benchmarks: 1 }), []),
          {
            concurrency: "unbounded"
          }
        )
        yield* Effect.retry(
          Effect.filterOrFail(
            sql(url, `SELECT pid FROM pg_stat_activity WHERE usename = '${role}' AND query LIKE 'LISTEN%'`),
            (rows) => rows.length === 1
          ),
          Schedule.intersect(Schedule.spaced("200 millis"), Schedule.recurs(200))
        )
      }),
    90_000
  )
})
