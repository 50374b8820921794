import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { PlanSeals } from "../../../application/ports/stores/plan-seals.ts"
import * as OpenDatabase from "../../../infrastructure/sql/connection/open.ts"
import { settings, sqliteAt, sqliteFile, temporaryFolder } from "../../support/storage.ts"
import { everyStoragePort } from "./every-port.suite.ts"
import { frozenSuite } from "./upgrade/frozen.suite.ts"
import { releasesSuite } from "./upgrade/releases.suite.ts"
import { upgradeSuite } from "./upgrade/upgrade.suite.ts"

everyStoragePort("SQLite file", sqliteFile)

it.scoped("a seal of a plan is known to the next server of the same database, and to none of another", () =>
  Effect.gen(function* () {
    const [path, other] = [join(yield* temporaryFolder, "evald.db"), join(yield* temporaryFolder, "evald.db")]
    const seal = yield* Effect.provide(
      Effect.map(PlanSeals, (seals) => seals.seal("a plan")),
      sqliteAt(path)
    )
    const isKnown = (database: string) =>
      Effect.provide(
        Effect.map(PlanSeals, ({ isSealOf }) => isSealOf(seal, "a plan")),
        sqliteAt(database)
      )
    assert.deepStrictEqual([yield* isKnown(path), yield* isKnown(other)], [true, false])
  })
)

const place = Effect.map(temporaryFolder, (folder) => {
  const path = join(folder, "evald.db")
  return {
    path,
    storage: sqliteAt(path),
    database: OpenDatabase.layer({ ...settings, driver: "sqlite", url: Redacted.make(`file:${path}`) })
  }
})

upgradeSuite("SQLite file", place)
releasesSuite("SQLite file", place)
frozenSuite("SQLite file", ({ file, said }) =>
  Effect.map(place, ({ path, ...rest }) => {
    writeFileSync(path, file)
    return { ...rest, said: said.sqlite }
  })
)
