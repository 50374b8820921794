/**
 * Samples of benchmarks: a set for each benchmark, the kinds that its samples are of, a narrow row for each sample, and compressed chunks
 * with the records. Every list is a merge of ranges of one kind each, so that any filter with any order is read from an index.
 */
import type { Dialect } from "../connection/session.ts"
import type { Migration } from "./migration.ts"

const statements = (dialect: Dialect): ReadonlyArray<string> => {
  const pg = dialect === "pg"
  const key = pg ? `TEXT COLLATE "C"` : "TEXT"
  const real = pg ? "DOUBLE PRECISION" : "REAL"
  const identity = pg ? "INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY" : "INTEGER PRIMARY KEY AUTOINCREMENT"
  const long = pg ? "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY" : "INTEGER PRIMARY KEY AUTOINCREMENT"
  // no index: rows are found by their names and their order
  const row = pg ? "BIGINT GENERATED ALWAYS AS IDENTITY" : "INTEGER PRIMARY KEY AUTOINCREMENT"
  const bytes = pg ? "BYTEA" : "BLOB"
  const clustered = pg ? "" : "WITHOUT ROWID"
  const order = (name: string, column: string) =>
    `CREATE INDEX sample_rows_by_${name} ON sample_rows (set_key, kind, ${column}, key)`
  return [
    `CREATE TABLE sample_sets (
      key ${identity}, tenant ${key} NOT NULL, job_id ${key} NOT NULL, idx INTEGER NOT NULL, gone INTEGER NOT NULL, stored INTEGER NOT NULL,
      revision INTEGER NOT NULL, repeats INTEGER NOT NULL, clustered INTEGER NOT NULL, updated_at ${key} NOT NULL, digest TEXT, digest_revision INTEGER)`,
    "CREATE UNIQUE INDEX sample_sets_by_unit ON sample_sets (job_id, idx) WHERE gone = 0",
    "CREATE INDEX sample_sets_gone ON sample_sets (key) WHERE gone = 1",

    `CREATE TABLE sample_kinds (
      set_key INTEGER NOT NULL, kind INTEGER NOT NULL, verdict ${key} NOT NULL, reason ${key} NOT NULL, finish_reason ${key} NOT NULL, flags ${key} NOT NULL,
      stored INTEGER NOT NULL, with_score INTEGER NOT NULL, score_sum ${real} NOT NULL, score_squares ${real} NOT NULL, score_min ${real} NOT NULL,
      score_max ${real} NOT NULL, fractions INTEGER NOT NULL, PRIMARY KEY (set_key, kind)) ${clustered}`,

    `CREATE TABLE sample_chunks (key ${long}, set_key INTEGER NOT NULL, hash ${key} NOT NULL, data ${bytes} NOT NULL)`,
    "CREATE UNIQUE INDEX sample_chunks_by_hash ON sample_chunks (set_key, hash)",
    // it is compressed already
    ...(pg ? ["ALTER TABLE sample_chunks ALTER COLUMN data SET STORAGE EXTERNAL"] : []),

    `CREATE TABLE sample_rows (
      key ${row}, chunk ${pg ? "BIGINT" : "INTEGER"} NOT NULL, score ${real} NOT NULL, latency ${real} NOT NULL, set_key INTEGER NOT NULL,
      kind INTEGER NOT NULL, position INTEGER NOT NULL, repetition INTEGER NOT NULL, tokens INTEGER NOT NULL, start INTEGER NOT NULL,
      length INTEGER NOT NULL, sample_id ${key} NOT NULL, task ${key} NOT NULL, cluster ${key}, digest ${bytes} NOT NULL)`,
    "CREATE UNIQUE INDEX sample_rows_by_name ON sample_rows (set_key, sample_id, task, repetition)",
    order("position", "position"),
    order("score", "score"),
    order("tokens", "tokens"),
    order("latency", "latency")
  ]
}

export const samples: Migration = { version: 4, name: "samples", statements }
