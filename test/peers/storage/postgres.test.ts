import { Effect } from "effect"
import * as OpenDatabase from "../../../infrastructure/sql/connection/open.ts"
import { everyStoragePort } from "../../contract/storage/every-port.suite.ts"
import { frozenSuite } from "../../contract/storage/upgrade/frozen.suite.ts"
import { releasesSuite } from "../../contract/storage/upgrade/releases.suite.ts"
import { upgradeSuite } from "../../contract/storage/upgrade/upgrade.suite.ts"
import { configOf, databaseFrom, freshSchema, postgres, postgresAt, timedPostgres } from "../../support/postgres.ts"

everyStoragePort("PostgreSQL", postgres, timedPostgres)

const place = Effect.map(freshSchema, (url) => ({
  storage: postgresAt(url),
  database: OpenDatabase.layer(configOf(url))
}))

upgradeSuite("PostgreSQL", place)
releasesSuite("PostgreSQL", place)
frozenSuite("PostgreSQL", ({ statements, said }) =>
  Effect.map(databaseFrom(statements), (url) => ({
    storage: postgresAt(url),
    database: OpenDatabase.layer(configOf(url)),
    said: said.pg
  }))
)
