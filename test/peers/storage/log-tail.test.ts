/** What holds up the watchers of a PostgreSQL, and what must not. */
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, Fiber, Layer, Stream } from "effect"
import { ChangeFeed } from "../../../application/ports/change-feed.ts"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import { StoreStatistics } from "../../../application/ports/stores/store-statistics.ts"
import { openTransaction, statement } from "../../support/open-transaction.ts"
import { freshSchema, postgresAt } from "../../support/postgres.ts"
import { jobId, makeJob } from "../../support/stored-jobs.ts"

const burnNumber = "SELECT nextval(pg_get_serial_sequence('changes', 'sequence'))"

const create = (number: number) =>
  Effect.flatMap(JobStore, (store) => store.insert(makeJob({ id: jobId(number), tenant: "t", benchmarks: 1 }), []))

const watch = (count: number) =>
  Effect.gen(function* () {
    const feed = yield* ChangeFeed
    const from = yield* feed.latest
    return yield* Effect.fork(
      feed.subscribe({ tenant: "t" }, from).pipe(
        Stream.take(count),
        Stream.runCollect,
        Effect.map((changes) =>
          Chunk.toReadonlyArray(changes).map((change) => (change.kind === "missed" ? change.kind : change.jobId))
        )
      )
    )
  })

describe("watchers of a PostgreSQL", () => {
  it.scopedLive("do not wait behind a transaction that does not write changes, however long it takes", () =>
    Effect.gen(function* () {
      const url = yield* freshSchema
      const context = yield* Layer.build(postgresAt(url))
      // has a transaction id, which holds back what counts as ended in the whole instance
      const { finish } = yield* openTransaction(
        url,
        "CREATE TABLE somebody_elses (n int)",
        "INSERT INTO somebody_elses VALUES (1)",
        "SELECT count(*) FROM changes"
      )
      yield* Effect.gen(function* () {
        const watching = yield* watch(2)
        yield* create(1)
        yield* statement(url, burnNumber)
        yield* create(2)
        assert.deepEqual(yield* Fiber.join(watching), [jobId(1), jobId(2)])
        // a server that starts meanwhile does not wait either
        const late = yield* Layer.build(postgresAt(url))
        assert.isAbove(
          yield* Effect.provide(
            Effect.flatMap(ChangeFeed, (feed) => feed.latest),
            late
          ),
          2
        )
      }).pipe(Effect.provide(context))
      yield* finish()
    })
  )

  it.scopedLive(
    "wait for a transaction that writes changes and took its number earlier, and hear everything in order",
    () =>
      Effect.gen(function* () {
        const url = yield* freshSchema
        const context = yield* Layer.build(postgresAt(url))
        yield* Effect.gen(function* () {
          const watching = yield* watch(2)
          const { finish } = yield* openTransaction(
            url,
            "INSERT INTO changes (tenant, job_id, kind) VALUES ('t', 'first', 'updated')"
          )
          yield* create(1)
          const { activity } = yield* StoreStatistics
          const looks = Effect.map(
            activity,
            ({ operations }) => operations.find(({ operation }) => operation === "tailWriters")?.succeeded ?? 0
          )
          // looks that are paused for longer and longer, and never at a run
          yield* Effect.repeat(Effect.zipRight(Effect.sleep("5 millis"), looks), { until: (count) => count >= 4 })
          assert.strictEqual((yield* Fiber.poll(watching))._tag, "None")
          yield* finish()
          assert.deepEqual(yield* Fiber.join(watching), ["first", jobId(1)])
        }).pipe(Effect.provide(context))
      })
  )
})
