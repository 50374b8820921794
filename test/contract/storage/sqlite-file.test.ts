import { sqliteFile } from "../../support/storage.ts"
import { jobStoreSuite } from "./job-store.suite.ts"

jobStoreSuite("SQLite file", sqliteFile)
