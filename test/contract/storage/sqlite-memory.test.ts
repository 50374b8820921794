import { sqliteMemory } from "../../support/storage.ts"
import { everyStoragePort } from "./every-port.suite.ts"

everyStoragePort("SQLite in memory", sqliteMemory)
