/** What a search by name asks of a SQLite database: one row for the index of trigrams, and the narrow index for the total. */
import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Column, Param } from "../../../../../infrastructure/sql/connection/session.ts"
import * as Session from "../../../../../infrastructure/sql/connection/session.ts"
import type { JobContext } from "../../../../../infrastructure/sql/jobs/context.ts"
import { rareNames } from "../../../../../infrastructure/sql/jobs/name-search.ts"
import { pageJobs } from "../../../../../infrastructure/sql/jobs/page.ts"
import * as RecordCache from "../../../../../infrastructure/sql/jobs/record-cache.ts"
import { migrations } from "../../../../../infrastructure/sql/migrate.ts"

/** as much of the driver as is used here: it has no types */
interface Driver {
  readonly exec: (text: string) => void
  readonly prepare: (text: string) => {
    readonly all: (...params: ReadonlyArray<unknown>) => ReadonlyArray<unknown>
    readonly run: (...params: ReadonlyArray<unknown>) => void
  }
  readonly transaction: (body: () => void) => () => void
}
const Sqlite = createRequire(import.meta.url)("better-sqlite3") as new (path: string) => Driver

/** the schema with so many jobs of one name, and the statements that were asked with how many rows they gave */
const databaseOf = (jobs: number) => {
  const database = new Sqlite(":memory:")
  for (const { statements } of migrations) for (const text of statements("sqlite")) database.exec(text)
  const insert = database.prepare(
    `INSERT INTO jobs (id, tenant, created_at, updated_at, name, name_key, state, version, pending, running, completed, failed, cancelled,
      message, model, threshold) VALUES (?, 'bench', '', '', '', ?, 'completed', 1, 0, 0, 1, 0, 0, '', '', 0)`
  )
  database.transaction(() => {
    for (let number = 0; number < jobs; number++) insert.run(String(number), `nightly ${number}`)
  })()
  const asked: Array<{ readonly text: string; readonly params: ReadonlyArray<Param | Column>; readonly rows: number }> =
    []
  const session = Session.reading("sqlite", <Row>(text: string, params: ReadonlyArray<Param | Column>) =>
    Effect.sync(() => {
      const rows = database.prepare(text).all(...params) as ReadonlyArray<Row>
      asked.push({ text, params, rows: rows.length })
      return rows
    })
  )
  const plan = (text: string, params: ReadonlyArray<Param | Column>): string =>
    (database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...params) as ReadonlyArray<{ readonly detail: string }>)
      .map(({ detail }) => detail)
      .join("; ")
  return { session, asked, plan }
}

describe("a search by name", () => {
  it.effect(
    "asks the index of trigrams for one row: 2,000 jobs are named in it, and of more it says that they are many",
    () =>
      Effect.gen(function* () {
        const few = databaseOf(2000)
        const found = yield* rareNames(few.session, false, "bench", "Nightly")
        assert.strictEqual(found?.jobs, 2000)
        assert.deepEqual(
          JSON.parse(found?.keys ?? ""),
          Array.from({ length: 2000 }, (_, at) => at + 1)
        )
        assert.deepEqual(yield* rareNames(few.session, false, "bench", "weekly"), { jobs: 0, keys: "[]" })
        const many = databaseOf(2001)
        assert.isUndefined(yield* rareNames(many.session, false, "bench", "nightly"))
        assert.deepEqual(
          [...few.asked, ...many.asked].map(({ rows }) => rows),
          [1, 1, 1]
        )
      })
  )

  it.effect("that many jobs may answer reads the page in its order and counts names in the narrow index", () =>
    Effect.gen(function* () {
      const { session, asked, plan } = databaseOf(10)
      const context = { hasNameIndex: () => false } as unknown as JobContext
      const query = { limit: 1, offset: 0, name: "ni", after: { createdAt: "", id: "" } }
      assert.strictEqual((yield* pageJobs(session, context, RecordCache.make(), "bench", query)).total, 10)
      const [page, total] = asked.map(({ text, params }) => plan(text, params))
      assert.strictEqual(asked.length, 2)
      assert.include(page, "USING COVERING INDEX jobs_page")
      assert.include(total, "USING COVERING INDEX jobs_by_name")
    })
  )
})
