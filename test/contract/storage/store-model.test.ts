/** On a database file: random histories agree with a model after every step, restarts included. */
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as OpenDatabase from "../../../infrastructure/sql/connection/open.ts"
import { settings, sqliteAt, temporaryFolder } from "../../support/storage.ts"
import { history, play } from "../../support/store-model.ts"

const placeIn = (folder: string) => {
  const path = join(folder, "evald.db")
  return {
    storage: sqliteAt(path),
    database: OpenDatabase.layer({ ...settings, driver: "sqlite", url: Redacted.make(`file:${path}`) })
  }
}

describe("a job store on a file", () => {
  it.effect.prop(
    "agrees with the model after every step, restarts included",
    [history],
    ([steps]) =>
      Effect.asVoid(Effect.scoped(Effect.flatMap(temporaryFolder, (folder) => play(placeIn(folder), steps)))),
    { fastCheck: { numRuns: 40 } }
  )
})
