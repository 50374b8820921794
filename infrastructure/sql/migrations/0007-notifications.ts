/** What became of the messages about jobs: one row for each event to each address. They go with their job. */
import type { Dialect } from "../connection/session.ts"
import type { Migration } from "./migration.ts"

const statements = (dialect: Dialect): ReadonlyArray<string> => {
  const pg = dialect === "pg"
  const key = pg ? `TEXT COLLATE "C"` : "TEXT"
  return [
    `CREATE TABLE notifications (
      job_id ${key} NOT NULL, source ${key} NOT NULL, target INTEGER NOT NULL, event ${key} NOT NULL, tenant ${key} NOT NULL,
      first_at ${key} NOT NULL, record TEXT NOT NULL, PRIMARY KEY (job_id, source, target, event)) ${pg ? "" : "WITHOUT ROWID"}`
  ]
}

export const notifications: Migration = { version: 7, name: "notifications", statements }
