/**
 * Names of a tenant's jobs without their times and ids: what a part of a name that many jobs have is counted in. Its entries are less than half
 * as long as those of the index that lists are read from.
 */
import type { Dialect } from "../connection/session.ts"
import type { Migration } from "./migration.ts"

/** nothing asks for an order of names: bytes are compared soonest */
const statements = (dialect: Dialect): ReadonlyArray<string> => [
  `CREATE INDEX jobs_by_name ON jobs (tenant, name_key${dialect === "pg" ? ' COLLATE "C"' : ""})`
]

export const narrowNames: Migration = { version: 11, name: "narrow names", statements }
