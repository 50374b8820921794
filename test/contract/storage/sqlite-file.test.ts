import { sqliteFile } from "../../support/storage.ts"
import { everyStoragePort } from "./every-port.suite.ts"

everyStoragePort("SQLite file", sqliteFile)
