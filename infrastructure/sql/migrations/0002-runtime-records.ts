/** What the cluster runtime keeps: which server observes, since when it has seen something, and captured log tails. */

import type { Dialect } from "../connection/session.ts"
import type { Migration } from "./migration.ts"

const statements = (dialect: Dialect): ReadonlyArray<string> => {
  const pg = dialect === "pg"
  const key = pg ? `TEXT COLLATE "C"` : "TEXT"
  const clustered = pg ? "" : "WITHOUT ROWID"
  const unit = `tenant ${key} NOT NULL, job_id ${key} NOT NULL, idx INTEGER NOT NULL, attempt INTEGER NOT NULL`
  return [
    `CREATE TABLE leases (role ${key} PRIMARY KEY, holder ${key} NOT NULL, term INTEGER NOT NULL, held_until ${key} NOT NULL) ${clustered}`,
    `CREATE TABLE unit_notes (${unit}, note TEXT NOT NULL, PRIMARY KEY (job_id, idx, attempt)) ${clustered}`,
    `CREATE TABLE unit_logs (${unit}, container ${key} NOT NULL, text TEXT NOT NULL, PRIMARY KEY (job_id, idx, attempt, container))`
  ]
}

export const runtimeRecords: Migration = { version: 2, name: "runtime records", statements }
