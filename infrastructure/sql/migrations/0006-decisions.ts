/**
 * Comparisons and gates as they were answered, with the jobs they are about; and of each sample what was asked, so that two runs are seen to
 * have asked the same without reading their records. Samples stored before do not say it.
 */
import type { Dialect } from "../connection/session.ts"
import type { Migration } from "./migration.ts"

const statements = (dialect: Dialect): ReadonlyArray<string> => {
  const pg = dialect === "pg"
  const key = pg ? `TEXT COLLATE "C"` : "TEXT"
  const identity = pg ? "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY" : "INTEGER PRIMARY KEY AUTOINCREMENT"
  return [
    `ALTER TABLE sample_rows ADD COLUMN prompt ${key}`,

    `CREATE TABLE decisions (
      key ${identity}, tenant ${key} NOT NULL, kind ${key} NOT NULL, id ${key} NOT NULL, series ${key} NOT NULL, look INTEGER NOT NULL,
      inputs ${key} NOT NULL, created_at ${key} NOT NULL, record TEXT NOT NULL)`,
    "CREATE UNIQUE INDEX decisions_by_id ON decisions (tenant, kind, id)",
    // of two that are made at the same moment one finds the other's place taken
    "CREATE UNIQUE INDEX decisions_by_series ON decisions (tenant, kind, series, look)",

    `CREATE TABLE decision_jobs (
      tenant ${key} NOT NULL, job_id ${key} NOT NULL, kind ${key} NOT NULL, decision_key ${pg ? "BIGINT" : "INTEGER"} NOT NULL,
      PRIMARY KEY (tenant, job_id, kind, decision_key)) ${pg ? "" : "WITHOUT ROWID"}`
  ]
}

export const decisions: Migration = { version: 6, name: "decisions", statements }
