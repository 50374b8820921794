import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import * as OpenDatabase from "../../../infrastructure/sql/connection/open.ts"
import { settings, sqliteAt, sqliteFile, temporaryFolder } from "../../support/storage.ts"
import { everyStoragePort } from "./every-port.suite.ts"
import { frozenSuite } from "./upgrade/frozen.suite.ts"
import { releasesSuite } from "./upgrade/releases.suite.ts"
import { upgradeSuite } from "./upgrade/upgrade.suite.ts"

everyStoragePort("SQLite file", sqliteFile)

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
