import { sqliteMemory } from "../../support/storage.ts"
import { jobStoreSuite } from "./job-store.suite.ts"

jobStoreSuite("SQLite in memory", sqliteMemory)
