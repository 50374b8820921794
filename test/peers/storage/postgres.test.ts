import { Effect } from "effect"
import * as Client from "../../../infrastructure/sql/connection/client.ts"
import { everyStoragePort } from "../../contract/storage/every-port.suite.ts"
import { upgradeSuite } from "../../contract/storage/upgrade.suite.ts"
import { configOf, freshSchema, postgres, postgresAt, timedPostgres } from "../../support/postgres.ts"

everyStoragePort("PostgreSQL", postgres, timedPostgres)

const place = Effect.map(freshSchema, (url) => ({ storage: postgresAt(url), database: Client.layer(configOf(url)) }))

upgradeSuite("PostgreSQL", place)
