/**
 * Whose usage a row is, so that what is told after the end of a benchmark takes its place, and how the benchmark ended: estimates are made
 * of whole runs. Rows of before have neither.
 */
import type { Dialect } from "../connection/session.ts"
import type { Migration } from "./migration.ts"

const statements = (dialect: Dialect): ReadonlyArray<string> => [
  `ALTER TABLE model_usage ADD COLUMN job_id ${dialect === "pg" ? `TEXT COLLATE "C"` : "TEXT"}`,
  "ALTER TABLE model_usage ADD COLUMN idx INTEGER",
  "ALTER TABLE model_usage ADD COLUMN state TEXT",
  "CREATE UNIQUE INDEX model_usage_by_run ON model_usage (job_id, idx)"
]

export const usageOfBenchmarks: Migration = { version: 10, name: "usage of benchmarks", statements }
