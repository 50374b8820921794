/**
 * What benchmarks used of their models: a row for each that ended, which stays when its job is removed, and the sum of a job on its head.
 * Benchmarks that ended before have none.
 */
import type { Dialect } from "../connection/session.ts"
import type { Migration } from "./migration.ts"

const statements = (dialect: Dialect): ReadonlyArray<string> => {
  const pg = dialect === "pg"
  const key = pg ? `TEXT COLLATE "C"` : "TEXT"
  const count = `${pg ? "BIGINT" : "INTEGER"} NOT NULL`
  const identity = pg ? "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY" : "INTEGER PRIMARY KEY AUTOINCREMENT"
  return [
    "ALTER TABLE jobs ADD COLUMN usage TEXT",
    `CREATE TABLE model_usage (
      key ${identity}, tenant ${key} NOT NULL, ended_at ${key} NOT NULL, model ${key} NOT NULL, provider_id ${key} NOT NULL, benchmark_id ${key} NOT NULL,
      requests ${count}, retries ${count}, replayed ${count}, input_tokens ${count}, output_tokens ${count}, reasoning_tokens ${count},
      estimated_tokens ${count}, cost ${pg ? "DOUBLE PRECISION" : "REAL"})`,
    "CREATE INDEX model_usage_by_time ON model_usage (tenant, ended_at)",
    "CREATE INDEX model_usage_by_benchmark ON model_usage (tenant, provider_id, benchmark_id, key)"
  ]
}

export const usage: Migration = { version: 9, name: "usage", statements }
