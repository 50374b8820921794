/** Over HTTP: one request corpus gets the same answers on every storage. PostgreSQL is in `test/peers`. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Memory from "../../../infrastructure/memory/storage.ts"
import { unexplained } from "../../fixtures/recorded-answers/recorded-answers.ts"
import { answersTo, differences, statusesOf } from "../../support/corpus-run.ts"
import { layer as app } from "../../support/http-app.ts"
import { type StorageLayer, sqliteFile, sqliteMemory } from "../../support/storage.ts"

const on = (storage: StorageLayer) => Effect.provide(answersTo(), app({ storage }))

it.live(
  "memory, SQLite in memory and SQLite file answer the same requests with the same bytes, those that were recorded",
  () =>
    Effect.gen(function* () {
      const sqlite = yield* on(sqliteMemory)
      const statuses = statusesOf(sqlite)
      assert.isAbove(sqlite.length, 500)
      for (const status of [200, 201, 202, 204, 304, 400, 404, 405, 406, 409, 412, 415])
        assert.isAbove(statuses.get(status) ?? 0, 0, `nothing answered ${status}`)
      assert.deepStrictEqual(
        [...statuses.keys()].filter((status) => status >= 500),
        []
      )
      assert.deepStrictEqual(unexplained(sqlite), [])
      assert.deepStrictEqual(differences(sqlite, yield* on(sqliteFile)), [])
      assert.deepStrictEqual(differences(sqlite, yield* on(Memory.layer({ vendorAliases: true }))), [])
    }),
  120_000
)
