import { runtimeRecordsSuite } from "../../contract/storage/runtime-records.suite.ts"
import { postgres } from "../../support/postgres.ts"

runtimeRecordsSuite("PostgreSQL", postgres, false)
