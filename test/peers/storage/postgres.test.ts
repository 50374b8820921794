import { everyStoragePort } from "../../contract/storage/every-port.suite.ts"
import { postgres } from "../../support/postgres.ts"

everyStoragePort("PostgreSQL", postgres, false)
