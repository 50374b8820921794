/** At the level of the stores: PostgreSQL answers the bytes that SQLite answers. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { transcript } from "../../contract/storage/same-bytes.ts"
import { postgres } from "../../support/postgres.ts"
import { sqliteMemory } from "../../support/storage.ts"

it.effect("SQLite and PostgreSQL answer the same", () =>
  Effect.gen(function* () {
    const [sqlite, pg] = yield* Effect.all([
      Effect.provide(transcript, sqliteMemory),
      Effect.provide(transcript, postgres)
    ])
    assert.deepEqual(pg, sqlite)
  })
)
