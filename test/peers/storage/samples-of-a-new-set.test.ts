/** Statistics of a table are older than its newest rows: what PostgreSQL plans by them must not make a call of samples read all of a benchmark's for each of its records. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import { SampleStore } from "../../../application/ports/stores/sample-store.ts"
import type { Sample } from "../../../domain/sample/sample.ts"
import { statement } from "../../support/open-transaction.ts"
import { freshSchema, postgresAt } from "../../support/postgres.ts"
import { jobId, makeJob } from "../../support/stored-jobs.ts"

const sample = (index: number): Sample => {
  const key = { task: "t", index, repeat: 0, verdict: "correct" } as const
  const id = `added:${index}`
  return { ...key, sampleId: id, flags: [], document: { ...key, v: 1, sample_id: id } }
}

const job = makeJob({ id: jobId(1), tenant: "t", benchmarks: 2 })
const add = (index: number, samples: ReadonlyArray<Sample>) =>
  Effect.flatMap(SampleStore, (store) =>
    store.add({ tenant: "t", jobId: job.id, index }, samples, { maxPerJob: 1_000_000, content: "full" })
  )

/** rows like the first of the set, under other names */
const filled = (index: number, rows: number): string =>
  `INSERT INTO sample_rows (chunk, score, latency, set_key, kind, position, repetition, tokens, start, length, sample_id, task, cluster, digest)
   SELECT chunk, score, latency, set_key, kind, n, 0, tokens, start, length, 'filled:' || n, task, cluster, digest
   FROM sample_rows, generate_series(1, ${rows}) n WHERE sample_id = 'added:0' AND set_key = (SELECT key FROM sample_sets WHERE idx = ${index})`

const readRows = (url: string) =>
  Effect.map(
    statement(
      url,
      "SELECT sum(idx_tup_read)::int AS read FROM pg_stat_user_indexes WHERE relname = 'sample_rows' AND schemaname = current_schema()"
    ),
    ([row]) => Number(row?.["read"])
  )

/** what a connection read is told when it ends */
const connected = <A, E>(url: string, use: Effect.Effect<A, E, JobStore | SampleStore>) =>
  Effect.scoped(Effect.flatMap(Layer.build(postgresAt(url)), (context) => Effect.provide(use, context)))

/** two benchmarks with a sample each, in tables of which nothing becomes known by itself */
const twoSets = Effect.gen(function* () {
  const url = yield* freshSchema
  yield* connected(
    url,
    Effect.gen(function* () {
      yield* (yield* JobStore).insert(job, [])
      yield* add(0, [sample(0)])
      yield* add(1, [sample(0)])
    })
  )
  for (const table of ["sample_rows", "sample_sets", "sample_kinds"])
    yield* statement(url, `ALTER TABLE ${table} SET (autovacuum_enabled = false)`)
  return url
})

describe("samples of a benchmark that is newer than the statistics", () => {
  it.scopedLive(
    "are looked up by their names (a call read all rows of its benchmark for each record, and timed out)",
    () =>
      Effect.gen(function* () {
        const url = yield* twoSets
        yield* statement(url, filled(0, 200_000))
        yield* statement(url, "ANALYZE sample_rows")
        yield* statement(url, filled(1, 20_000))
        const before = yield* readRows(url)
        const added = yield* connected(
          url,
          add(
            1,
            Array.from({ length: 50 }, (_, at) => sample(at + 1))
          )
        )
        assert.strictEqual(added.stored, 50)
        assert.isBelow((yield* readRows(url)) - before, 2000)
      })
  )

  for (const known of ["nothing", "of the other benchmark"] as const)
    it.scopedLive(
      `one of them is found by its name, statistics: ${known} (all rows of a kind of its benchmark were read for it)`,
      () =>
        Effect.gen(function* () {
          const url = yield* twoSets
          yield* statement(url, filled(0, 20_000))
          if (known !== "nothing") yield* statement(url, "ANALYZE sample_rows")
          yield* statement(url, filled(1, 20_000))
          const before = yield* readRows(url)
          const find = (task: { readonly task?: string }) =>
            Effect.flatMap(SampleStore, (store) =>
              store.find({ tenant: "t", jobId: job.id, index: 1 }, { sampleId: "filled:7", repeat: 0, ...task })
            )
          const found = yield* connected(url, Effect.all([find({}), find({ task: "t" }), find({ task: "other" })]))
          assert.deepStrictEqual(
            found.map((one) => one?.sampleId),
            ["filled:7", "filled:7", undefined]
          )
          assert.isBelow((yield* readRows(url)) - before, 20)
        })
    )
})
