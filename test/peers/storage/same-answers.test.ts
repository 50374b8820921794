/** Over HTTP: PostgreSQL gives the answers that SQLite gives. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { answersTo, differences } from "../../support/corpus-run.ts"
import { layer as app } from "../../support/http-app.ts"
import { postgres } from "../../support/postgres.ts"
import { sqliteMemory } from "../../support/storage.ts"

it.live(
  "SQLite and PostgreSQL answer the same requests with the same bytes",
  () =>
    Effect.gen(function* () {
      const sqlite = yield* Effect.provide(answersTo(), app({ storage: sqliteMemory }))
      assert.deepStrictEqual(differences(sqlite, yield* Effect.provide(answersTo(), app({ storage: postgres }))), [])
    }),
  180_000
)
