/** On a database file: the writing process is killed with -9 again and again. */
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as OpenDatabase from "../../../../infrastructure/sql/connection/open.ts"
import { survivesKills } from "../../../support/killed-writer.ts"
import { settings, temporaryFolder } from "../../../support/storage.ts"

describe("a database file under kill -9", () => {
  it.scopedLive(
    "loses nothing that was acknowledged and keeps nothing half done",
    () =>
      Effect.gen(function* () {
        const path = join(yield* temporaryFolder, "evald.db")
        yield* survivesKills(
          path,
          OpenDatabase.layer({ ...settings, driver: "sqlite", url: Redacted.make(`file:${path}`) })
        )
      }),
    60_000
  )
})
