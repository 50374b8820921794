import { sqliteFile, sqliteMemory } from "../../support/storage.ts"
import { runtimeRecordsSuite } from "./runtime-records.suite.ts"

runtimeRecordsSuite("SQLite in memory", sqliteMemory, true)
runtimeRecordsSuite("SQLite file", sqliteFile, true)
