/** At the level of the stores: the same history gives the same bytes on every backend. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Memory from "../../../infrastructure/memory/storage.ts"
import { sqliteFile, sqliteMemory } from "../../support/storage.ts"
import { transcript } from "./same-bytes.ts"

it.effect("memory, SQLite in memory and SQLite file answer the same", () =>
  Effect.gen(function* () {
    const [memory, sqlite, file] = yield* Effect.all([
      Effect.provide(transcript, Memory.layer({ vendorAliases: true })),
      Effect.provide(transcript, sqliteMemory),
      Effect.provide(transcript, sqliteFile)
    ])
    assert.strictEqual(memory.all.items.length, 3)
    assert.deepEqual(sqlite, memory)
    assert.deepEqual(file, memory)
  })
)
