/** A call of samples is stored whole or not at all, although its chunks are stored before its rows. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { Unavailable } from "../../../../application/errors.ts"
import { JobStore } from "../../../../application/ports/stores/job-store.ts"
import { SampleStore } from "../../../../application/ports/stores/sample-store.ts"
import { readSample } from "../../../../domain/sample/read-sample.ts"
import { Database } from "../../../../infrastructure/sql/connection/client.ts"
import { open } from "../../../../infrastructure/sql/connection/open.ts"
import { ports } from "../../../../infrastructure/sql/database.ts"
import { settings, temporaryFolder } from "../../../support/storage.ts"
import { jobId, makeJob } from "../../../support/stored-jobs.ts"

const sampleOf = (index: number) => {
  const { sample } = readSample(
    {
      v: 1,
      task: "t",
      repeat: 0,
      verdict: "correct",
      sample_id: `t:${index}`,
      index,
      response: `${index} `.repeat(500)
    },
    []
  )
  return sample ?? assert.fail("not a sample")
}

/** more chunks than one transaction takes */
const samples = Array.from({ length: 600 }, (_, index) => sampleOf(index))

const unit = { tenant: "t", jobId: jobId(1), index: 0 }
const full = { maxPerJob: 1_000_000, content: "full" } as const

describe("samples of which the database takes only a part", () => {
  for (const { name, failing } of [
    { name: "the rows", failing: { operation: "addSamples", nth: 1 } },
    { name: "some of the chunks", failing: { operation: "addChunks", nth: 2 } }
  ])
    it.scopedLive(
      `without ${name} nothing of a call is there, and all of it once it is sent again, each chunk once`,
      () =>
        Effect.gen(function* () {
          const path = join(yield* temporaryFolder, "evald.db")
          const database = yield* open({ ...settings, driver: "sqlite", url: Redacted.make(`file:${path}`) })
          let seen = 0
          const broken = Database.of({
            ...database,
            writeLong: (operation, body, line) =>
              operation === failing.operation && ++seen === failing.nth
                ? Effect.fail(new Unavailable({ peer: "database", operation, cause: "full" }))
                : database.writeLong(operation, body, line)
          })
          const count = (table: string) =>
            Effect.map(
              database.read("count", (session) =>
                session.query<{ n: number }>(`SELECT count(*) AS n FROM ${table}`, [])
              ),
              ([row]) => row?.n ?? 0
            )
          yield* Effect.gen(function* () {
            const store = yield* SampleStore
            yield* (yield* JobStore).insert(makeJob({ id: unit.jobId, tenant: unit.tenant }), [])
            const page = store.page(unit, { filter: {}, sort: { by: "index", descending: false }, limit: 1000 })
            const failed = yield* Effect.flip(store.add(unit, samples, full))
            assert.strictEqual(failed._tag, "Unavailable")
            assert.strictEqual(seen, failing.nth)
            assert.strictEqual((yield* page).total, 0)
            assert.isUndefined(yield* store.summary(unit))
            const left = yield* count("sample_chunks")
            assert.deepEqual(yield* store.add(unit, samples, full), { stored: 600, replaced: 0, duplicate: 0 })
            const { items, total } = yield* page
            assert.strictEqual(total, 600)
            const texts = yield* store.texts(items)
            assert.deepEqual(
              texts.map((text) => JSON.parse(text ?? "null")),
              samples.map(({ document }) => document)
            )
            const chunks = yield* count("sample_chunks")
            assert.isAbove(chunks, 8)
            assert.isAbove(left, 0)
            assert.strictEqual(chunks, new Set(items.map(({ place }) => place.chunk)).size)
          }).pipe(Effect.provide(Layer.provide(ports(settings, 1), Layer.succeed(Database, broken))))
        })
    )
})
