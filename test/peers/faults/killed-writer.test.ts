/** On PostgreSQL: the writing process is killed with -9 again and again. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as OpenDatabase from "../../../infrastructure/sql/connection/open.ts"
import { survivesKills } from "../../support/killed-writer.ts"
import { configOf, freshSchema } from "../../support/postgres.ts"

describe("a PostgreSQL whose client is killed with -9", () => {
  it.scopedLive(
    "loses nothing that was acknowledged and keeps nothing half done",
    () =>
      Effect.gen(function* () {
        const url = yield* freshSchema
        yield* survivesKills(url, OpenDatabase.layer(configOf(url)))
      }),
    120_000
  )
})
